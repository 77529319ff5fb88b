"""What engines share that serve jobs in order of arrival and never preempt: the whole story of a job is known at once.

As under FCFS, a job starts at max(arrival, previous start, the moment it fits), so its start and finish follow from
the jobs before it alone, and no event loop is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from msj.engines.completed import Completed
from msj.workloads.job_block import JobBlock

#: One number each about the whole: last start, servers idle while jobs wait, last arrival, entries of the heap.
STATE = np.dtype([("head", "f8"), ("wasted_area", "f8"), ("last_arrival", "f8"), ("size", "i8")])


class Line(NamedTuple):
    """A heap of the moments at which something becomes free, what that is, and the one row of :data:`STATE`."""

    ends: Any
    held: Any
    state: Any


class Times(NamedTuple):
    """Start and finish of the jobs of a block."""

    start: Any
    finish: Any


class InOrderEngine(ABC):
    """Keeps what all of them keep; a subclass finds starts and finishes."""

    def __init__(self, *, most_ends: int) -> None:
        ends, held = np.empty(most_ends), np.empty(most_ends, dtype=np.int64)
        self.line = Line(ends, held, np.zeros(1, dtype=STATE))
        self.number = 0
        self._times, self._numbers = Times(np.empty(0), np.empty(0)), np.empty(0, dtype=np.int64)

    @property
    def state(self) -> Any:
        """The one row of what is known about the whole."""
        return self.line.state[0]

    @property
    def clock(self) -> float:
        return float(self.state["last_arrival"])

    @property
    def wasted_area(self) -> float:
        return float(self.state["wasted_area"])

    @property
    def lost_area(self) -> float:
        return 0.0  # nobody is stopped

    @property
    def areas(self) -> Mapping[str, float]:
        return {}

    def present(self) -> float:
        """Jobs waiting now: the wait of the last arrival times the rate at which jobs have started so far."""
        head, last_arrival = float(self.state["head"]), self.clock
        return (head - last_arrival) * self.number / head if head > last_arrival else 0.0

    def advance(self, block: JobBlock) -> Completed:
        """Serve the block's jobs; all of them are returned, finished or not yet."""
        if len(self._numbers) != len(block):
            self._times = Times(*np.empty((2, len(block))))
            self._numbers = np.arange(self.number, self.number + len(block))
        else:
            self._numbers += len(block)
        duration = self._run(block, self._times)
        if len(block):
            self.state["last_arrival"] = block.arrival[-1]
        self.number += len(block)
        return Completed(
            number=self._numbers,
            arrival=block.arrival,
            job_class=block.job_class,
            need=block.need,
            duration=duration,
            start=self._times.start,
            finish=self._times.finish,
        )

    def drain(self) -> Completed:
        """Nothing is left: every job was returned with its block."""
        return Completed.none()

    @abstractmethod
    def _run(self, block: JobBlock, times: Times) -> NDArray[np.float64]:
        """Write starts and finishes; return each job's work over its need."""
