"""Mean response time against load, from an empty cluster to the edge of stability, as a result: any policy, any law.

The saturated chain and the blocks of the open system do not depend on the arrival rate: they are made once and serve
every load. As the load goes to 0 a job meets nobody, and E[T] is the mean time it takes alone; where that is not the
mean duration (a shared machine, a set-up time) it is what the open system gives at a load of 1e-9.

Where there is no exact answer, every load is simulated, with 95 % intervals and by streams of its own. The threshold is
then what ``answers.threshold`` finds, and where that is a bracket, loads are shares of its low end: a load that was not
seen to be taken is not asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from msj.analysis.base import BEYOND, ResponseAnalysis, mean_time_alone, without_load
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.response import Response, beside_prediction, exact_response, predicted, response
from msj.answers.saturated import analyses, that_apply, why_none
from msj.answers.threshold import UNANSWERED, Threshold, exact_threshold, find_threshold
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, NotSupported, TooLarge
from msj.model import System
from msj.model.numbers import number
from msj.results import Missing, Quantity, Result, Watch, provenance
from msj.workloads import Rng
from msj.workloads.streams import seed_record

NOBODY_ELSE = 1e-9  # a load at which a job meets nobody
SIMULATED_LOADS = (0.0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
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
def curve(
    system: SystemLike,
    *,
    loads: Iterable[float] | None = None,
    jobs: int | None = None,
    rng: Rng = None,
    seed: Rng = None,
    progress: Watch | None = None,
) -> Result:
    """Return E[T] at each of ``loads`` (shares of the threshold, 0 included): exactly where possible, else simulated.

    Rows stand at a load and an arrival rate; per class too, with the probability of waiting where it is known, and with
    the RESET prediction where there is one.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; its own load does not matter.
    loads
        Loads from 0 to below 1; by default 25 of them up to 0.999, or 9 up to 0.95 where each has to be simulated.
    jobs
        Jobs of each simulation, where there is one; by default as many as the cluster's memory asks for.
    seed, rng
        Two names of the seed of what is simulated, as for :func:`msj.simulate`.
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
    given = None if loads is None else checked(loads)
    effort = Effort(progress=progress, operations=math.inf, bytes=math.inf)
    try:
        # The chain of the prediction serves the threshold too: a closed form beside it would be one method more to
        # explain.
        threshold = exact_threshold(system, effort, method="chain")
        require_response(system)
    except UNANSWERED as error:
        root = root_of(rng, seed)
        return simulated_curve(system, given or SIMULATED_LOADS, Effort(progress=progress, jobs=jobs), root, str(error))
    wanted = USUAL_LOADS if given is None else given
    rows, residual = [threshold.stability_threshold, threshold.naive_threshold], 0.0
    for done, load in enumerate(wanted):
        effort.tell(done / len(wanted), f"load {load:g}")
        found = at_load(system, load, threshold, effort)
        residual = max(residual, float(found.facts.get("exact_residual", 0.0)))
        at = {"load": load, "arrival_rate": load * threshold.value}
        for name, overall in SHOWN:
            rows += [row.put(**at) for row in found.rows if (row.name, row.job_class is None) == (name, overall)]
    return Result(system=system.to_spec(), quantities=tuple(rows), provenance=provenance(exact_residual=residual))


def checked(loads: Iterable[float]) -> tuple[float, ...]:
    """Return the loads asked for."""
    wanted = tuple(float(number(load, "load")) for load in loads)
    if not wanted:
        raise InvalidInput("no loads are given; give at least one, such as 0.5")
    for load in wanted:
        if not 0 <= load < 1:
            raise InvalidInput(f"load = {load:g} must be at least 0 and below 1, the stability threshold")
    return wanted


def require_response(system: System) -> None:
    """Refuse a system whose response times have no exact analysis, before its loads are gone through."""
    able = that_apply(ResponseAnalysis, system)
    if not able:
        raise NotSupported(why_none(analyses(ResponseAnalysis), system))
    if not min(a.cost(system).operations for a in able) <= BEYOND:
        raise TooLarge("the exact chain of the open system does not fit")


def simulated_curve(
    system: System, loads: Sequence[float], effort: Effort, root: np.random.SeedSequence, reason: str
) -> Result:
    """Simulate every load."""
    system = without_load(system).replace(name=system.name)
    first, *streams = root.spawn(1 + len(loads))
    threshold = find_threshold(system, effort.replace(jobs=None).part(0.0, 0.1, "threshold"), first, completions=False)
    bracket = threshold.stability_threshold.bracket
    full = threshold.lowest if bracket else threshold.value
    rows = [row for row in (threshold.stability_threshold, threshold.naive_threshold) if row is not None]
    rows += [threshold.attainable_threshold] if threshold.attainable_threshold is not None else []
    missing: list[Missing] = []
    too_short: list[str] = []
    for done, (load, stream) in enumerate(zip(loads, streams, strict=True)):
        part = effort.part(0.1 + 0.9 * done / len(loads), 0.1 + 0.9 * (done + 1) / len(loads), f"load {load:g}")
        part.tell(0.0)
        at = {"load": load * full / threshold.value, "arrival_rate": load * full}
        if load == 0:
            found = lone_jobs(system)
        else:
            found = response(system.replace(arrival_rate=load * full), threshold, part, stream)
        rows += [
            row.put(**at)
            for name, overall in SHOWN
            for row in found.rows
            if (row.name, row.job_class is None) == (name, overall)
        ]
        if found.failure is not None and found.find("mean_response_time") is None:
            missing.append(Missing(name="response times", failure=found.failure, reason=found.failure.value, at=at))
        elif found.failure is Failure.TOO_FEW_JOBS:
            too_short.append(f"{at['load']:.3g}")
    notes = [f"No exact curve: {reason.rstrip('.')}. Every load is simulated."]
    notes += [f"Too short for intervals at load {', '.join(too_short)}: simulate more jobs."] if too_short else []
    notes += [threshold.notes[-1]] if bracket else []
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        provenance=provenance(seed=seed_record(root)),
        notes=tuple(notes),
        missing=tuple(missing),
    )


def lone_jobs(system: System) -> Response:
    """Return what holds in the limit of no load, where the durations tell: nobody waits."""
    alone = mean_time_alone(system)
    if alone is None or not system.arrivals.one_at_a_time:
        return Response()
    facts: dict[str, Any] = {"kind": "exact", "method": "a job that meets nobody"}
    means = [(None, alone), *((c.name, float(c.duration.mean)) for c in system.active_classes)]
    rows = [Quantity(name="mean_response_time", value=mean, job_class=name, **facts) for name, mean in means]
    return Response(rows=(*rows, Quantity(name="waiting_probability", value=0.0, **facts)))


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
    if not system.arrivals.one_at_a_time:
        return row
    if row.name == "waiting_probability":
        return row.replace(value=0.0)
    alone = mean_time_alone(system)
    if row.name != "mean_response_time" or alone is None:
        return row
    means = {c.name: float(c.duration.mean) for c in system.classes}
    return row.replace(value=alone if row.job_class is None else means[row.job_class])
