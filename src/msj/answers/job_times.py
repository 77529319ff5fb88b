"""How long given jobs took, as rows: means, percentiles, slowdowns; for all jobs and by need.

Slowdown is response time over run time; where jobs are very short it says little, so the bounded slowdown puts 10
seconds in the place of shorter run times: max(1, response / max(run, 10)) (Feitelson 2001). A job of no length has no
slowdown and does not count for its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.logs.groups import Groups
from msj.model.numbers import number
from msj.results import Kind, Quantity

FLOOR = 10.0  # seconds


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTimes:
    """Waiting time and run time of jobs, in seconds; ``response`` where it is more than both together (preemption)."""

    wait: NDArray[np.float64]
    run: NDArray[np.float64]
    response: NDArray[np.float64]
    waited: NDArray[np.bool_]

    def part(self, chosen: Any) -> JobTimes:
        """Return some of the jobs."""
        return JobTimes(
            wait=self.wait[chosen], run=self.run[chosen], response=self.response[chosen], waited=self.waited[chosen]
        )

    def means(self) -> dict[str, float]:
        """Return the means over these jobs; none where there is no job."""
        if not len(self.wait):
            return {}
        found = {
            "mean_response_time": float(self.response.mean()),
            "mean_waiting_time": float(self.wait.mean()),
            "waiting_probability": float(self.waited.mean()),
        }
        lasting = self.run > 0
        if lasting.any():
            found["mean_slowdown"] = float((self.response[lasting] / self.run[lasting]).mean())
        bounded = np.maximum(self.response / np.maximum(self.run, FLOOR), 1.0)
        return found | {"mean_bounded_slowdown": float(bounded.mean())}

    def percentiles(self, levels: Sequence[float]) -> dict[tuple[str, float], float]:
        """Return percentiles of waiting and response times."""
        if not len(self.wait):
            return {}
        found = {}
        for name, times in (("waiting_time_percentile", self.wait), ("response_time_percentile", self.response)):
            for level, value in zip(levels, np.percentile(times, levels), strict=True):
                found[name, float(level)] = float(value)
        return found


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Return percentiles as numbers; what is none is refused."""
    found = tuple(float(number(level, "level")) for level in levels)
    for level in found:
        if not 0 <= level <= 100:
            raise InvalidInput(f"level {level:g} is no percentage; give 0 to 100")
    return found


def rows_of(
    times: JobTimes,
    groups: Groups | None,
    *,
    levels: Sequence[float],
    kind: Kind,
    method: str,
    at: dict[str, Any] | None = None,
    spread: dict[Any, tuple[float, float]] | None = None,
) -> list[Quantity]:
    """Return the rows; ``spread`` has the ends of a bracket for those numbers that have one."""
    found = []
    parts: list[tuple[str | None, JobTimes]] = [(None, times)]
    if groups is not None and len(groups.names) > 1:
        parts += [(name, times.part(groups.of_job == i)) for i, name in enumerate(groups.names)]
    for name, part in parts:
        for key, value in measures(part, levels).items():
            quantity, level = key
            low, high = (spread or {}).get((name, key), (None, None))
            found.append(
                Quantity(
                    name=quantity,
                    value=value,
                    kind=kind,
                    method=method,
                    job_class=name,
                    level=level,
                    at=at or {},
                    low=None if low is None else min(low, value),
                    high=None if high is None else max(high, value),
                    bracket=low is not None,
                )
            )
    return found


def measures(times: JobTimes, levels: Sequence[float]) -> dict[tuple[str, float | None], float]:
    """Return every mean and percentile by name and level."""
    means: dict[tuple[str, float | None], float] = {(name, None): value for name, value in times.means().items()}
    return means | dict(times.percentiles(levels).items())
