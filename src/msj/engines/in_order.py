"""What kernels share that serve jobs in order of arrival and never preempt: the whole story of a job is known at once.

As under FCFS, a job starts at max(arrival, previous start, the moment it fits), so its start and finish follow from
the jobs before it alone, and no event loop is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from msj.engines.completed import Completed
from msj.workloads import JobBlock


class InOrderKernel(ABC):
    """Keeps what all of them keep; a subclass finds starts and finishes."""

    def __init__(self, *, most_ends: int) -> None:
        self.ends = np.empty(most_ends)  # heap of the moments at which something becomes free
        self.held = np.empty(most_ends, dtype=np.int64)  # ... and what
        self.size = np.zeros(1, dtype=np.int64)
        self.times = np.zeros(3)  # last start, idle area while jobs wait, last arrival
        self.number = 0

    @property
    def clock(self) -> float:
        """Time of the last arrival."""
        return float(self.times[2])

    @property
    def wasted_area(self) -> float:
        """Integral over time of the servers idle while jobs wait."""
        return float(self.times[1])

    def present(self) -> float:
        """Jobs waiting now: the wait of the last arrival times the rate at which jobs have started so far."""
        behind = max(self.times[0] - self.times[2], 0.0)
        return float(behind * self.number / self.times[0]) if behind else 0.0

    def advance(self, block: JobBlock) -> Completed:
        """Serve the block's jobs; all of them are returned, finished or not yet."""
        start, finish = np.empty((2, len(block)))
        duration = self._run(block, start, finish)
        first, self.number = self.number, self.number + len(block)
        return Completed(
            number=np.arange(first, self.number),
            arrival=block.arrival,
            job_class=block.job_class,
            need=block.need,
            duration=duration,
            start=start,
            finish=finish,
        )

    def drain(self) -> Completed:
        """Nothing is left: every job was returned with its block."""
        return Completed.none()

    @abstractmethod
    def _run(self, block: JobBlock, start: NDArray[np.float64], finish: NDArray[np.float64]) -> NDArray[np.float64]:
        """Write starts and finishes; return each job's work over its need."""
