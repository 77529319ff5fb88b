"""What people want to see of a log, as plain arrays: servers in use and queue over time, arrivals, needs and run times.

The integral of the servers in use is piecewise linear between starts and ends, so the mean over any stretch of time is
a difference of two values of it, exactly. Where a log has no waits, jobs are taken to start when they were submitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.logs.allocation import intervals
from msj.logs.groups import Groups, by_need
from msj.logs.trace import Trace

BINS = 360  # stretches of time in a picture
DAY, HOUR = 86400.0, 3600.0
GANTT_JOBS = 160
RUN_EDGES = np.array([0, 10, 60, 600, 3600, 4 * HOUR, 12 * HOUR, DAY, 3 * DAY, np.inf])
RUN_NAMES = ("under 10 s", "10 s to 1 min", "1 to 10 min", "10 min to 1 h", "1 to 4 h", "4 to 12 h", "12 to 24 h",
             "1 to 3 days", "over 3 days")  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class OverTime:
    """Means over equal stretches of time: servers in use, jobs waiting; ``moment`` is where each begins."""

    moment: NDArray[np.float64]
    in_use: NDArray[np.float64]
    waiting: NDArray[np.float64] | None
    peak: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Gantt:
    """Rectangles of a window: first server, how many, from when until when, and the row of the job."""

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    start: NDArray[np.float64]
    finish: NDArray[np.float64]
    row: NDArray[np.int64]


def starts(trace: Trace) -> NDArray[np.float64]:
    """Return when jobs started; where that is not known, when they were submitted."""
    return np.asarray(trace.column("submit") + np.nan_to_num(trace.column("wait")))


def in_use_words(trace: Trace) -> str:
    """Say how many servers were in use at most; where waits are not known, that is what there would be without any."""
    peak = over_time(trace, 1).peak
    if trace.has_waits:
        return f"at most {peak:,} were in use at one moment"
    return f"if no job waited, at most {peak:,} were in use at one moment"


def over_time(trace: Trace, bins: int = BINS) -> OverTime:
    """Return servers in use and jobs waiting over the log's whole time."""
    start, submit, need = starts(trace), trace.column("submit"), trace.column("need").astype(np.float64)
    finish = start + trace.column("run")
    edges = np.linspace(submit[0], max(float(finish.max()), submit[0] + 1.0), bins + 1)
    in_use, peak = _mean_level(start, finish, need, edges)
    waiting = None
    if trace.has_waits:
        waiting = _mean_level(submit, start, np.ones(len(start)), edges)[0]
    return OverTime(moment=edges[:-1], in_use=in_use, waiting=waiting, peak=round(peak))


def _mean_level(begin: Any, end: Any, weight: Any, edges: Any) -> tuple[NDArray[np.float64], float]:
    """Return the mean over each stretch of the sum of weights present, and the largest sum at any moment."""
    moment = np.concatenate([end, begin])  # at one moment, ends come first
    change = np.concatenate([-weight, weight])
    order = np.argsort(moment, kind="stable")
    moment, level = moment[order], np.cumsum(change[order])
    area = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(moment))])
    return np.diff(np.interp(edges, moment, area)) / np.diff(edges), float(level.max(initial=0.0))


def arrivals(trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return how many jobs were submitted in each hour of the day, and on each weekday from Monday on."""
    if trace.begins is None:
        return None
    moment = trace.column("submit") + trace.begins
    hour = np.floor(moment % DAY / HOUR).astype(np.int64)
    weekday = (np.floor(moment / DAY).astype(np.int64) + 3) % 7  # 1970 began on a Thursday
    return np.bincount(hour, minlength=24), np.bincount(weekday, minlength=7)


def need_and_run(trace: Trace) -> tuple[Groups, NDArray[np.int64]]:
    """Return the groups by need, and how many jobs of each ran how long (the stretches of ``RUN_EDGES``)."""
    groups = by_need(trace.column("need"))
    place = np.searchsorted(RUN_EDGES, trace.column("run"), side="right") - 1
    width = len(RUN_EDGES) - 1
    flat = np.bincount(groups.of_job * width + np.minimum(place, width - 1), minlength=len(groups.names) * width)
    return groups, flat.reshape(len(groups.names), width)


def estimates_and_runs(trace: Trace) -> NDArray[np.int64] | None:
    """Return how many jobs asked for how long (down) and ran how long (across), in the stretches of ``RUN_EDGES``."""
    if not trace.has_estimates:
        return None
    estimate, run = trace.column("estimate"), trace.column("run")
    known = np.isfinite(estimate)
    width = len(RUN_EDGES) - 1
    places = (np.searchsorted(RUN_EDGES, times[known], side="right") - 1 for times in (estimate, run))
    asked, ran = (np.minimum(place, width - 1) for place in places)
    return np.bincount(asked * width + ran, minlength=width * width).reshape(width, width)


def gantt(trace: Trace, jobs: int = GANTT_JOBS) -> Gantt | None:
    """Return a window in the middle of the log with about so many jobs, each on the lowest servers that were free."""
    start = starts(trace)
    finish = start + trace.column("run")
    most = int(max(trace.servers or 0, over_time(trace, 1).peak))
    if most > 100_000 or not len(start):
        return None
    order = np.argsort(start, kind="stable")
    middle = len(order) // 2
    first, last = max(middle - jobs // 2, 0), min(middle + jobs // 2, len(order)) - 1
    begin, end = float(start[order[first]]), float(start[order[last]])
    if end <= begin:
        end = begin + max(float(np.median(trace.column("run"))), 1.0)
    # Whoever runs in the window took servers in view of those who started before them.
    there = np.flatnonzero((start < end) & (finish > begin))
    found, places = intervals(start[there], finish[there], trace.column("need")[there], most)
    row = np.repeat(there, np.diff(places))
    return Gantt(
        first=found[:, 0],
        count=found[:, 1] - found[:, 0] + 1,
        start=np.maximum(start[row], begin),
        finish=np.minimum(finish[row], end),
        row=row,
    )
