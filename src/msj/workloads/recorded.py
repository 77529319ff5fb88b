"""Jobs from arrays: a recorded log, or a list made by hand for a test."""

from __future__ import annotations

from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from msj.errors import InvalidInput
from msj.store import digest
from msj.workloads.job_block import JobBlock


class RecordedJobs:
    """A source of given jobs, in order of arrival.

    Parameters
    ----------
    arrival, need, duration
        One entry per job, in lists, arrays of any layout or columns of a frame; arrivals may not decrease, needs are
        whole numbers from 1 on, durations at least 0. Dates and times count in seconds since 1970, spans in seconds.
    job_class
        Index of each job's class; 0 for all where nothing is said.
    estimate
        What the user said each job would take.

    The arrays are copied: what happens to the given ones later does not matter.

    Examples
    --------
    >>> len(RecordedJobs(arrival=[0, 1], need=[2, 1], duration=[3.0, 4.0]).take(10))
    2
    """

    def __init__(
        self,
        *,
        arrival: ArrayLike,
        need: ArrayLike,
        duration: ArrayLike,
        job_class: ArrayLike | None = None,
        estimate: ArrayLike | None = None,
    ) -> None:
        arrivals = _seconds(arrival, "arrival")
        self.jobs = JobBlock(
            arrival=arrivals,
            job_class=np.zeros(len(arrivals), dtype=np.int64) if job_class is None else _whole(job_class, "job_class"),
            need=_whole(need, "need"),
            duration=_seconds(duration, "duration"),
            estimate=None if estimate is None else _seconds(estimate, "estimate"),
        )
        self.taken = 0
        _check(self.jobs)

    def to_spec(self) -> dict[str, Any]:
        """Return how many jobs there are and a hash of them: enough to tell whether others are the same."""
        columns = vars(self.jobs)
        return {"jobs": len(self.jobs), "identity": digest({name: columns[name] for name in sorted(columns)})}

    def rewound(self) -> RecordedJobs:
        """Return a source of the same jobs that begins with the first again."""
        again = copy(self)
        again.taken = 0
        return again

    @property
    def at_hand(self) -> int:
        """All that are left: they lie in one piece."""
        return max(len(self.jobs) - self.taken, 1)

    def take(self, count: int) -> JobBlock:
        """Return the next ``count`` jobs, or fewer when there are no more."""
        here = slice(self.taken, self.taken + count)
        self.taken = min(self.taken + count, len(self.jobs))
        return JobBlock(
            arrival=self.jobs.arrival[here],
            job_class=self.jobs.job_class[here],
            need=self.jobs.need[here],
            duration=self.jobs.duration[here],
            estimate=None if self.jobs.estimate is None else self.jobs.estimate[here],
        )


def _check(jobs: JobBlock) -> None:
    columns = {"arrival": jobs.arrival, "job_class": jobs.job_class, "need": jobs.need, "duration": jobs.duration}
    if jobs.estimate is not None:
        columns["estimate"] = jobs.estimate
    for name, column in columns.items():
        if column.shape != (len(jobs),):
            raise InvalidInput(f"{name} has shape {column.shape} for {len(jobs)} arrivals; give one entry per job")
        if not np.all(np.isfinite(column)):
            raise InvalidInput(f"{name} of job {int(np.argmin(np.isfinite(column)))} is not finite; give a number")
    late = np.flatnonzero(np.diff(jobs.arrival) < 0)
    if late.size:
        raise InvalidInput(f"job {late[0] + 1} arrives before job {late[0]}; sort the jobs by arrival")
    for name, least in (("need", 1), ("job_class", 0)):
        low = np.flatnonzero(columns[name] < least)
        if low.size:
            raise InvalidInput(f"{name} of job {low[0]} is {columns[name][low[0]]}; it must be at least {least}")
    for name in ("duration", "estimate"):
        low = np.flatnonzero(columns[name] < 0) if name in columns else np.array([])
        if low.size:
            raise InvalidInput(f"{name} of job {low[0]} is {columns[name][low[0]]}; it must be at least 0")


def _seconds(given: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a copy as numbers that lie in one piece; dates and times as seconds since 1970, spans as seconds."""
    array = np.asarray(given)
    if array.dtype == object and array.size:
        array = np.array([_plain(value) for value in array.ravel()], dtype=object).reshape(array.shape)
    try:
        if array.dtype.kind in "mM":
            whole = array.astype("datetime64[us]" if array.dtype.kind == "M" else "timedelta64[us]")
            if np.isnat(whole).any():
                raise InvalidInput(f"{name} of job {int(np.argmax(np.isnat(whole)))} is not a time; leave the job out")
            return np.array(whole.astype(np.int64) / 1e6)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        return np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{name} holds something that is no number ({error}); give one number per job") from None


def _plain(value: Any) -> Any:
    """Return a date or a span among objects as seconds."""
    if isinstance(value, datetime):
        return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value


def _whole(given: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return a copy as whole numbers; what is none is refused, not cut."""
    array = np.asarray(given)
    if array.dtype.kind in "iu" and (array.dtype != np.uint64):
        return np.array(array, dtype=np.int64, order="C")
    values = _seconds(array, name)
    broken = np.flatnonzero(~(np.abs(values) < 2**53) | (values != np.floor(values)))  # nan included
    if broken.size:
        raise InvalidInput(f"{name} of job {broken[0]} is {values.ravel()[broken[0]]}; it must be a whole number")
    return values.astype(np.int64)
