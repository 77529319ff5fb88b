"""Mean response time against load, as a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from msj.analysis.exact_response import difference_row
from msj.analysis.response_curve import USUAL_LOADS, ResponseCurve, response_curve
from msj.answers.analyse import reset_row
from msj.answers.question import SystemLike, as_system, question
from msj.results import Quantity, Result, Watch, provenance


@question
def curve(system: SystemLike, *, loads: Iterable[float] | None = None, progress: Watch | None = None) -> Result:
    """Return E[T] exactly at each of ``loads`` (shares of the threshold, 0 included), with the RESET prediction.

    Rows stand at a load and an arrival rate; per class too, and with the probability of waiting where it is known.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; its own load does not matter.
    loads
        Loads from 0 to below 1; by default 25 of them up to 0.999.
    progress
        Told before each load.

    Examples
    --------
    >>> import msj
    >>> found = msj.curve("examples/two_servers.toml", loads=[0, 0.5, 0.8, 0.95])
    >>> [(load, round(row.value, 6)) for load, row in found.along("load", "mean_response_time")]
    [(0.0, 1.333333), (0.5, 2.815423), (0.8, 7.517772), (0.95, 31.320377)]
    """
    system = as_system(system)
    found = response_curve(system, USUAL_LOADS if loads is None else loads, progress=progress)
    rows = [
        Quantity(
            name="stability_threshold", value=found.stability_threshold, kind="exact", method=found.threshold_method
        ),
        Quantity(
            name="naive_threshold",
            value=system.naive_threshold,
            kind="bound",
            method="servers / E[need x duration]",
            citation="twoclass, section 1",
        ),
    ]
    return Result(
        system=system.to_spec(),
        quantities=(*rows, *_rows(found)),
        provenance=provenance(exact_residual=float(np.max(found.residual))),
    )


def _rows(found: ResponseCurve) -> Iterator[Quantity]:
    classes = [c.name for c in found.system.classes]
    for i, load in enumerate(found.loads.tolist()):
        at = {"load": load, "arrival_rate": float(found.arrival_rates[i])}

        def exact(name: str, value: float, job_class: str | None = None, at: dict[str, float] = at) -> Quantity:
            return Quantity(
                name=name,
                value=float(value),
                kind="exact",
                method=found.method,
                citation=found.citation,
                job_class=job_class,
                at=at,
            )

        yield exact("mean_response_time", found.mean_response_time[i])
        for name, value in zip(classes, found.mean_response_time_by_class[i], strict=True):
            yield exact("mean_response_time", value, name)
        if found.waiting_probability is not None:
            yield exact("waiting_probability", found.waiting_probability[i])
        yield reset_row(float(found.predicted_mean_response_time[i])).put(**at)
        yield difference_row(float(found.difference[i])).put(**at)
