"""From tallies to quantities with intervals.

Every mean is a ratio of two sums (response times over jobs, work over time). The run is cut into batches: the
replications if there are at least ten, else the pieces of each. For batch sums y_b, x_b the estimate is
r = sum y / sum x, and with residuals e_b = y_b − r·x_b the 95 % interval is r ± t·sqrt(B·s²(e))/sum x, t the Student
quantile with B − 1 degrees of freedom (Law & Kelton, section 9.5). Percentiles come from the merged sketch; their
interval from the spread of the batches' own percentiles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from msj.model import System
from msj.results import Quantity
from msj.simulation.sketch import Sketch
from msj.simulation.tally import Tally

LEVELS = (50.0, 90.0, 95.0, 99.0, 99.9)
WARM_UP = 0.2  # the first fifth of each replication is left out
ENOUGH_REPLICATIONS = 10

# name, sum above, sum below; "time" and "area" are the tally's own.
RATIOS = (
    ("mean_response_time", "response", "jobs"),
    ("mean_waiting_time", "waiting", "jobs"),
    ("mean_jobs_in_system", "response", "time"),
    ("mean_jobs_waiting", "waiting", "time"),
    ("waiting_probability", "waited", "jobs"),
)
OVERALL = (
    ("utilisation", "work", "server time"),
    ("idle_servers_while_jobs_wait", "area", "time"),
    ("preemptions_per_job", "preemptions", "jobs"),
    ("mean_slowdown", "slowdown", "jobs"),
)


def batches_of(runs: Sequence[Sequence[Tally]], warm_up: float = WARM_UP) -> list[Tally]:
    """Leave out the warm-up of each replication and return what is left as batches."""
    kept = [list(run[math.ceil(warm_up * len(run)) :]) for run in runs]
    kept = [run for run in kept if run]
    if len(kept) >= ENOUGH_REPLICATIONS:
        return [Tally.total(run) for run in kept]
    return [tally for run in kept for tally in run]


def ratio_interval(above: NDArray[np.float64], below: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ratio of the sums and the half-width of its 95 % interval (nan where there are too few batches)."""
    total = below.sum()
    if total == 0:
        return math.nan, math.nan
    ratio = above.sum() / total
    if len(above) < 2:
        return float(ratio), math.nan
    spread = math.sqrt(len(above) * np.var(above - ratio * below, ddof=1))
    return float(ratio), float(stdtrit(len(above) - 1, 0.975) * spread / total)


def series(batches: Sequence[Tally], name: str, job_class: int | None, servers: int) -> NDArray[np.float64]:
    """Return one sum for each batch."""
    if name == "time":
        return np.array([batch.time for batch in batches])
    if name == "server time":
        return np.array([batch.time * servers for batch in batches])
    if name == "area":
        return np.array([batch.wasted_area for batch in batches])
    return np.array([batch.column(name, job_class) for batch in batches])


def relative_half_width(batches: Sequence[Tally]) -> float:
    """Return half-width over value of the mean response time."""
    value, half = ratio_interval(series(batches, "response", None, 1), series(batches, "jobs", None, 1))
    return half / value if value else math.nan


def quantities_of(system: System, batches: Sequence[Tally], method: str, citation: str) -> list[Quantity]:
    """Return every quantity, for all jobs and for each class that came."""
    rows = []
    for index in (None, *range(len(system.classes))):
        if index is not None and len(system.classes) == 1:
            break  # the one class is all jobs
        if not sum(batch.column("jobs", index) for batch in batches):
            continue
        job_class = None if index is None else system.classes[index].name
        for name, above, below in RATIOS + (OVERALL if index is None else ()):
            value, half = ratio_interval(
                series(batches, above, index, system.servers), series(batches, below, index, system.servers)
            )
            rows.append(_row(name, value, half, method, citation, job_class, None))
        rows += _percentiles(batches, index, job_class, method, citation)
    return rows


def _percentiles(
    batches: Sequence[Tally], index: int | None, job_class: str | None, method: str, citation: str
) -> list[Quantity]:
    rows = []
    for name in ("waiting", "response"):
        sketches = []
        for batch in batches:
            found = getattr(batch, name)
            sketches.append(Sketch.total(found) if index is None else found[index])
        whole = Sketch.total(sketches)
        for level in LEVELS:
            each = np.array([value for s in sketches if not math.isnan(value := s.percentile(level))])
            half = math.nan
            if len(each) > 1:
                half = float(stdtrit(len(each) - 1, 0.975) * each.std(ddof=1) / math.sqrt(len(each)))
            rows.append(
                _row(f"{name}_time_percentile", whole.percentile(level), half, method, citation, job_class, level)
            )
    return rows


def _row(
    name: str, value: float, half: float, method: str, citation: str, job_class: str | None, level: float | None
) -> Quantity:
    known = math.isfinite(half)
    return Quantity(
        name=name,
        value=value,
        kind="simulated",
        method=method,
        citation=citation,
        job_class=job_class,
        level=level,
        low=max(value - half, 0.0) if known else None,
        high=value + half if known else None,
    )
