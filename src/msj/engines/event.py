"""What event kernels share: the table of jobs present, room for it, and the way jobs come in and out.

Between events nothing changes. At an arrival or a completion the policy decides anew; completions at the moment of an
arrival come first, and simultaneous completions one after the other, each followed by a decision.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from msj.engines import columns as at
from msj.engines.compiling import helper
from msj.engines.completed import Completed
from msj.engines.heap import push, remove
from msj.errors import InvalidInput
from msj.workloads import JobBlock

NOBODY = -1


class EventKernel(ABC):
    """Holds the jobs present; a subclass says what happens at events."""

    def __init__(self, *, servers: int, name: str) -> None:
        self.servers = servers
        self.name = name
        self.jobs = np.empty(0, dtype=at.JOB)
        self.heap = np.empty(2 * servers, dtype=np.int64)
        self.count = np.zeros(at.COUNTS, dtype=np.int64)
        self.count[[at.IDLE, at.FIRST, at.LAST, at.FREE_SLOT]] = servers, NOBODY, NOBODY, NOBODY
        self.time = np.zeros(at.TIMES)
        self.out_real, self.out_whole = np.empty((4, 0)), np.empty((4, 0), dtype=np.int64)

    @property
    def clock(self) -> float:
        """Time of the last arrival."""
        return float(self.time[at.NOW])

    @property
    def wasted_area(self) -> float:
        """Integral over time of the servers idle while jobs wait."""
        return float(self.time[at.AREA])

    def present(self) -> float:
        """Jobs in the system."""
        return float(self.count[at.PRESENT])

    def advance(self, block: JobBlock) -> Completed:
        """Let the block's jobs arrive; return those that finish until the last of them has."""
        return self._go(block, last=False)

    def drain(self) -> Completed:
        """Serve what is left after the last arrival."""
        times, numbers = np.empty(0), np.empty(0, dtype=np.int64)
        return self._go(JobBlock(arrival=times, job_class=numbers, need=numbers, duration=times), last=True)

    @abstractmethod
    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        """Handle events up to the block's last arrival, or all of them; return what stopped it."""

    def _go(self, block: JobBlock, *, last: bool) -> Completed:
        most = int(self.count[at.PRESENT]) + len(block)
        self._make_room(most)
        if len(self.out_real[0]) < most:
            self.out_real, self.out_whole = np.empty((4, 2 * most)), np.empty((4, 2 * most), dtype=np.int64)
        out_real, out_whole = self.out_real, self.out_whole
        self.count[at.DONE] = 0
        status = self._run(block, last, out_real, out_whole)
        if status:
            done = (
                "chose jobs that need more servers than there are"
                if status == at.TOO_MANY_SERVERS
                else ("stopped a running job although it is not preemptive")
            )
            raise InvalidInput(f"policy '{self.name}' {done} ({self.servers}); correct its function")
        count = int(self.count[at.DONE])
        return Completed(
            number=out_whole[0, :count],
            job_class=out_whole[1, :count],
            need=out_whole[2, :count],
            preemptions=out_whole[3, :count],
            arrival=out_real[0, :count],
            duration=out_real[1, :count],
            start=out_real[2, :count],
            finish=out_real[3, :count],
        )

    def _make_room(self, most: int) -> None:
        old = len(self.jobs)
        if most <= old:
            return
        size = max(most, 2 * old)
        jobs = np.zeros(size, dtype=at.JOB)
        jobs[:old] = self.jobs
        jobs["next"][old:] = np.arange(old + 1, size + 1)
        jobs["next"][-1] = self.count[at.FREE_SLOT]
        self.count[at.FREE_SLOT] = old
        self.jobs = jobs


@helper
def enter(jobs: Any, count: Any, arrival: Any, job_class: Any, need: Any, duration: Any, group: Any) -> Any:
    """Give an arriving job a slot."""
    slot = count[at.FREE_SLOT]
    count[at.FREE_SLOT] = jobs[slot].next
    jobs[slot].arrival = arrival
    jobs[slot].duration = duration
    jobs[slot].remaining = duration
    jobs[slot].start = -1.0
    jobs[slot].finish = np.inf
    jobs[slot].number = count[at.ARRIVED]
    jobs[slot].job_class = job_class
    jobs[slot].need = need
    jobs[slot].preemptions = 0
    jobs[slot].group = group
    count[at.ARRIVED] += 1
    count[at.PRESENT] += 1
    return slot


@helper
def leave(jobs: Any, count: Any, out_real: Any, out_whole: Any, slot: Any) -> Any:
    """Write a finished job out and give its slot back."""
    i = count[at.DONE]
    out_real[0, i] = jobs[slot].arrival
    out_real[1, i] = jobs[slot].duration
    out_real[2, i] = jobs[slot].start
    out_real[3, i] = jobs[slot].finish
    out_whole[0, i] = jobs[slot].number
    out_whole[1, i] = jobs[slot].job_class
    out_whole[2, i] = jobs[slot].need
    out_whole[3, i] = jobs[slot].preemptions
    count[at.DONE] += 1
    count[at.PRESENT] -= 1
    jobs[slot].next = count[at.FREE_SLOT]
    count[at.FREE_SLOT] = slot


@helper
def pass_time(count: Any, time: Any, now: Any) -> Any:
    """Move the clock, adding up the servers that stand idle while jobs wait."""
    if count[at.PRESENT] > count[at.RUNNING]:
        time[at.AREA] += (now - time[at.NOW]) * count[at.IDLE]
    time[at.NOW] = now


@helper
def start(jobs: Any, heap: Any, count: Any, now: Any, slot: Any) -> Any:
    """Put a waiting job into service."""
    count[at.IDLE] -= jobs[slot].need
    if jobs[slot].start < 0.0:
        jobs[slot].start = now
    jobs[slot].finish = now + jobs[slot].remaining
    count[at.RUNNING] = push(heap, count[at.RUNNING], jobs, slot)


@helper
def stop(jobs: Any, heap: Any, count: Any, now: Any, slot: Any) -> Any:
    """Take a running job out of service; it will go on where it was."""
    count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
    count[at.IDLE] += jobs[slot].need
    jobs[slot].remaining = jobs[slot].finish - now
    jobs[slot].finish = np.inf
    jobs[slot].preemptions += 1


@helper
def append(jobs: Any, count: Any, slot: Any) -> Any:
    """Put a job at the end of the line."""
    last = count[at.LAST]
    jobs[slot].before, jobs[slot].next = last, -1
    if last < 0:
        count[at.FIRST] = slot
    else:
        jobs[last].next = slot
    count[at.LAST] = slot


@helper
def unlink(jobs: Any, count: Any, slot: Any) -> Any:
    """Take a job out of the line."""
    before, after = jobs[slot].before, jobs[slot].next
    if before < 0:
        count[at.FIRST] = after
    else:
        jobs[before].next = after
    if after < 0:
        count[at.LAST] = before
    else:
        jobs[after].before = before
