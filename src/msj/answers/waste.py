"""Wasted servers as a curve, as a result."""

from __future__ import annotations

from typing import Any

from msj.analysis.two_class import TwoClassForm
from msj.analysis.vary import Vary, VaryRateRatio
from msj.answers.question import SystemLike, as_system, question
from msj.answers.saturated import Method
from msj.answers.waste_curve import COLUMNS, waste_curve
from msj.closed_forms import fast_large_jobs_limit, slow_large_jobs_limit
from msj.model import System
from msj.results import Kind, Quantity, Result, Watch, provenance


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
    between the points, carry ``extremum`` too. Over a rate ratio of two exponential classes, ``wasted_servers_limit``
    says where the curve ends on either side (``form``), beside the paper's rules of thumb.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; how much arrives does not matter.
    vary
        What the curve runs over: ``share:CLASS=0..1``, ``rate-ratio=0.01..100`` or ``servers=10..400``; or the values
        themselves, ``share:CLASS=0.1,0.2``, ``rate-ratio=0.01..100/9`` (9 values), ``servers=10..400..10`` (by tens).
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
    rows += _limits(system, found.vary)
    if not found.extrema:
        notes.append(f"{found.wasted_servers[0]:.6g} servers are wasted throughout: no optimum and no pessimum.")
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        provenance=provenance(systems_solved=found.systems_solved),
        notes=tuple(notes),
    )


def _limits(system: System, vary: Vary) -> list[Quantity]:
    """Return where the waste ends as large jobs become much slower or faster (twoclass, section 9.2)."""
    if not isinstance(vary, VaryRateRatio) or TwoClassForm().supports(system) is not None:
        return []
    small, large = sorted(system.active_classes, key=lambda c: c.need)
    classes: dict[str, Any] = {
        "servers": system.servers,
        "needs": (small.need, large.need),
        "shares": (float(small.share), float(large.share)),
    }
    rows: list[tuple[str, float, Kind, str]] = [
        ("slow large jobs", slow_large_jobs_limit(**classes).wasted_servers, "exact", "product form: n mod n_2"),
        ("fast large jobs", fast_large_jobs_limit(**classes).wasted_servers, "exact", "product form: small jobs alone"),
    ]
    if system.servers % large.need == 0:
        thumb = large.need - small.need * (float(small.share) + float(large.share)) / float(large.share)
        if thumb > 0:
            rows.append(("fast large jobs, rule of thumb", thumb, "asymptotic", "n_2 − n_1/p_2, n_2 far above n_1"))
    return [
        Quantity(
            name="wasted_servers_limit", value=value, kind=kind, method=method, citation="twoclass, section 9.2",
            at={"form": form},
        )
        for form, value, kind, method in rows
    ]  # fmt: skip
