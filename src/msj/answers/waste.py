"""Wasted servers as a curve, as a result."""

from __future__ import annotations

from msj.analysis.vary import Vary
from msj.answers.question import SystemLike, as_system, question
from msj.answers.saturated import Method
from msj.answers.waste_curve import COLUMNS, waste_curve
from msj.results import Quantity, Result, Watch, provenance


@question
def waste(
    system: SystemLike,
    vary: Vary | str,
    *,
    points: int | None = None,
    method: Method = "auto",
    progress: Watch | None = None,
) -> Result:
    """Return waste, utilisation and threshold against one parameter, with the local optima and pessima of the waste.

    Rows stand at a ``class_share``, a ``rate_ratio`` or a number of ``servers``; the local optima and pessima, located
    between the points, carry ``extremum`` too.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; how much arrives does not matter.
    vary
        What the curve runs over: ``share:CLASS=0..1``, ``rate-ratio=0.01..100`` or ``servers=10..400``.
    points
        About how many points to take over a share or a rate ratio; by default the more, the more large jobs fit.
    method
        As in :func:`msj.analyse`, at each point.
    progress
        Told after each point.

    Examples
    --------
    >>> import msj
    >>> found = msj.waste("examples/two_servers.toml", "share:large=0..1")
    >>> [(round(share, 3), round(row.value, 3)) for share, row
    ...  in found.at(extremum="pessimum").along("class_share", "wasted_servers")]
    [(0.333, 0.2)]
    """
    system = as_system(system)
    found = waste_curve(system, vary, points=points, method=method, progress=progress)
    rows = []
    for i, value in enumerate(found.parameter.tolist()):
        rows += [
            Quantity(
                name=name,
                value=float(getattr(found, name)[i]),
                kind="exact",
                method=found.method[i],
                citation=found.citation[i],
                at=found.vary.place(value),
            )
            for name in COLUMNS
        ]
    sources = {value: i for i, value in enumerate(found.parameter.tolist())}
    notes = []
    for extremum in found.extrema:
        i = sources[extremum.parameter]
        rows += [
            Quantity(
                name=name,
                value=getattr(extremum, name),
                kind="exact",
                method=found.method[i],
                citation=found.citation[i],
                at={**found.vary.place(extremum.parameter), "extremum": extremum.kind},
            )
            for name in COLUMNS
        ]
    if not found.extrema:
        notes.append(f"{found.wasted_servers[0]:.6g} servers are wasted throughout: no optimum and no pessimum.")
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        provenance=provenance(systems_solved=found.systems_solved),
        notes=tuple(notes),
    )
