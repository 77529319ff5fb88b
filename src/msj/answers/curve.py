"""Mean response time against load, from an empty cluster to the edge of stability, as a result.

The saturated chain and the blocks of the open system do not depend on the arrival rate: they are made once and serve
every load. As the load goes to 0 a job meets nobody, and E[T] is the mean time it takes alone; where that is not the
mean duration (a shared machine, a set-up time) it is what the open system gives at a load of 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from msj.analysis.base import mean_time_alone
from msj.answers.question import SystemLike, as_system, question
from msj.answers.response import Response, beside_prediction, exact_response, predicted
from msj.answers.threshold import Threshold, exact_threshold
from msj.effort import Effort
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import number
from msj.results import Quantity, Result, Watch, provenance

NOBODY_ELSE = 1e-9  # a load at which a job meets nobody
USUAL_LOADS = (*np.round(np.arange(0, 0.95, 0.05), 2).tolist(), 0.95, 0.97, 0.98, 0.99, 0.995, 0.999)
#: Names, and whether of all jobs together.
SHOWN = (
    ("mean_response_time", True),
    ("mean_response_time", False),
    ("waiting_probability", True),
    ("predicted_mean_response_time", True),
    ("reset_difference", True),
)


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
    wanted = [float(number(load, "load")) for load in (USUAL_LOADS if loads is None else loads)]
    if not wanted:
        raise InvalidInput("no loads are given; give at least one, such as 0.5")
    for load in wanted:
        if not 0 <= load < 1:
            raise InvalidInput(f"load = {load:g} must be at least 0 and below 1, the stability threshold")
    effort = Effort(progress=progress, operations=math.inf, bytes=math.inf)
    # The chain of the prediction serves the threshold too: a closed form beside it would be one method more to explain.
    threshold = exact_threshold(system, effort, method="chain")
    rows, residual = [threshold.stability_threshold, threshold.naive_threshold], 0.0
    for done, load in enumerate(wanted):
        effort.tell(done / len(wanted), f"load {load:g}")
        found = at_load(system, load, threshold, effort)
        residual = max(residual, float(found.facts.get("exact_residual", 0.0)))
        at = {"load": load, "arrival_rate": load * threshold.value}
        for name, overall in SHOWN:
            rows += [row.put(**at) for row in found.rows if (row.name, row.job_class is None) == (name, overall)]
    return Result(system=system.to_spec(), quantities=tuple(rows), provenance=provenance(exact_residual=residual))


def at_load(system: System, load: float, threshold: Threshold, effort: Effort) -> Response:
    """Return exact and predicted means at a share of the threshold."""
    rate = max(load, NOBODY_ELSE) * threshold.value
    found = exact_response(system, rate, effort, exact=True, percentiles=False)
    rows = found.rows if load > 0 else tuple(_of_a_lone_job(system, row) for row in found.rows)
    found = replace(found, rows=rows, reset_difference=found.reset_difference if load > 0 else None)
    return Response(
        rows=beside_prediction(found, predicted(system, load * threshold.value, threshold)), facts=found.facts
    )


def _of_a_lone_job(system: System, row: Quantity) -> Quantity:
    """Return a row as it is in the limit of no load: nobody waits, and a job takes what it takes alone."""
    if row.name == "waiting_probability":
        return row.replace(value=0.0)
    alone = mean_time_alone(system)
    if row.name != "mean_response_time" or alone is None:
        return row
    means = {c.name: float(c.duration.mean) for c in system.classes}
    return row.replace(value=alone if row.job_class is None else means[row.job_class])
