"""FCFS without an event loop: job by job, in order of arrival.

start_i = max(arrival_i, start_{i-1}, the moment at which need_i servers are free). Completions wait in a heap; those
up to the moment the job comes to the head of the line are taken off first, then as many as it must wait for. While
it waits, the free servers are idle although a job waits: that area is added up on the way (reset, section 3.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import kernel
from msj.engines.completed import Completed
from msj.engines.ends import pop, push
from msj.workloads import JobBlock


class FcfsKernel:
    """FCFS on ``servers`` servers, advanced block by block."""

    def __init__(self, *, servers: int) -> None:
        self.servers = servers
        self.ends = np.empty(servers)  # heap of completion times; at most one per server
        self.held = np.empty(servers, dtype=np.int64)  # servers each of them frees
        self.counts = np.array([0, servers], dtype=np.int64)  # jobs in the heap, servers free
        self.times = np.zeros(3)  # last start, idle area while jobs wait, last arrival
        self.number = 0
        self.out, self.counting = np.empty((2, 0)), np.empty(0, dtype=np.int64)

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
        if len(self.out[0]) != len(block):
            self.out = np.empty((2, len(block)))
            self.counting = np.arange(len(block))
        start, finish = self.out
        _advance(
            block.arrival, block.need, block.duration, self.ends, self.held, self.counts, self.times, start, finish
        )
        first, self.number = self.number, self.number + len(block)
        return Completed(
            number=first + self.counting,
            arrival=block.arrival,
            job_class=block.job_class,
            need=block.need,
            duration=block.duration,
            start=start,
            finish=finish,
        )

    def drain(self) -> Completed:
        """Nothing is left: every job was returned with its block."""
        return Completed.none()


@kernel
def _advance(
    arrival: NDArray[np.float64],
    need: NDArray[np.int64],
    duration: NDArray[np.float64],
    ends: NDArray[np.float64],
    held: NDArray[np.int64],
    counts: NDArray[np.int64],
    times: NDArray[np.float64],
    start: NDArray[np.float64],
    finish: NDArray[np.float64],
) -> Any:
    size, free = counts[0], counts[1]
    head, wasted = times[0], times[1]
    for i in range(len(arrival)):
        head = max(head, arrival[i])
        wanted = need[i]
        while size > 0 and ends[0] <= head:
            free += held[0]
            size = pop(ends, held, size)
        while free < wanted:
            now = ends[0]
            wasted += (now - head) * free
            head = now
            free += held[0]
            size = pop(ends, held, size)
        # Completions at the very moment of the start are left for the next job: nothing depends on them.
        start[i] = head
        end = head + duration[i]
        finish[i] = end
        free -= wanted
        size = push(ends, held, size, end, wanted)
    counts[0], counts[1] = size, free
    times[0], times[1] = head, wasted
    if len(arrival):
        times[2] = arrival[-1]
