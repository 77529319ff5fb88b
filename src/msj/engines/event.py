"""What event engines share: the table of jobs present, room for it, and the way jobs come in and out.

Between events nothing changes. At an arrival or a completion the discipline decides anew; completions at the moment of
an arrival come first, and simultaneous completions one after the other, each followed by a decision.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper
from msj.engines.completed import Completed
from msj.engines.heap import push, remove
from msj.engines.state import (
    MORE_DRAWS,
    NOBODY,
    STATE,
    TOO_MANY_SERVERS,
    Arriving,
    Draws,
    Finished,
    Present,
    job_row,
)
from msj.errors import InvalidInput
from msj.workloads.job_block import JobBlock


class EventEngine(ABC):
    """Holds the jobs present; a subclass says what happens at events.

    ``draws`` is the law of the random numbers its loop uses (``random``, ``standard_exponential``; empty for none) and
    ``least`` how many of them one event may use beyond a few.
    """

    #: A row of the table of jobs.
    row: ClassVar[np.dtype[Any]] = job_row()

    def __init__(self, cluster: Cluster, *, draws: str = "", least: int = 0) -> None:
        self.servers = cluster.servers
        self.name = cluster.name
        jobs, running = np.empty(0, dtype=self.row), np.empty(2 * cluster.servers, dtype=np.int64)
        self.present_jobs = Present(jobs, running, np.zeros(1, dtype=STATE))
        self.state["idle"], self.state["restart"] = cluster.servers, cluster.restart
        for line in ("first", "last", "free_slot"):
            self.state[line] = NOBODY
        self.finished = Finished.room_for(0)
        self.random, self.law = cluster.streams.generator("policy"), draws
        self.draws = Draws(self._drawn(4096 + least if draws else 0), np.zeros(1, dtype=np.int64))

    @property
    def state(self) -> Any:
        """The one row of what is known about the whole."""
        return self.present_jobs.state[0]

    @property
    def clock(self) -> float:
        return float(self.state["now"])

    @property
    def wasted_area(self) -> float:
        return float(self.state["wasted_area"])

    @property
    def lost_area(self) -> float:
        return float(self.state["lost_area"])

    @property
    def areas(self) -> Mapping[str, float]:
        return {}

    def present(self) -> float:
        return float(self.state["present"])

    def advance(self, block: JobBlock) -> Completed:
        return self._go(block, last=False)

    def drain(self) -> Completed:
        times, numbers = np.empty(0), np.empty(0, dtype=np.int64)
        return self._go(JobBlock(arrival=times, job_class=numbers, need=numbers, duration=times), last=True)

    @abstractmethod
    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        """Handle events up to the block's last arrival, or all of them; return what stopped it."""

    def _go(self, block: JobBlock, *, last: bool) -> Completed:
        most = int(self.state["present"]) + len(block)
        self._make_room(most)
        if len(self.finished.number) < most:
            self.finished = Finished.room_for(2 * most)
        self.state["taken"] = self.state["finished"] = 0
        arriving = Arriving(block.arrival, block.job_class, block.need, block.duration, last)
        while (status := self._run(block, arriving)) == MORE_DRAWS:
            self._draw_more()
        self._refuse(status)
        count = int(self.state["finished"])
        return Completed(**{name: column[:count] for name, column in self.finished._asdict().items()})

    def _refuse(self, status: int) -> None:
        """Raise if a loop stopped because of a decision that cannot be carried out."""
        if status:
            done = (
                "chose jobs that need more servers than there are"
                if status == TOO_MANY_SERVERS
                else "stopped a running job although it is not preemptive"
            )
            raise InvalidInput(f"policy '{self.name}' {done} ({self.servers}); correct its function")

    def _make_room(self, most: int) -> None:
        old = len(self.present_jobs.jobs)
        if most <= old:
            return
        size = max(most, 2 * old)
        jobs = np.zeros(size, dtype=self.row)
        jobs[:old] = self.present_jobs.jobs
        jobs["next"][old:] = np.arange(old + 1, size + 1)
        jobs["next"][-1] = self.state["free_slot"]
        self.state["free_slot"] = old
        self.present_jobs = self.present_jobs._replace(jobs=jobs)

    def _drawn(self, count: int) -> NDArray[np.float64]:
        return np.asarray(getattr(self.random, self.law)(count)) if self.law else np.empty(0)

    def _draw_more(self) -> None:
        values, used = self.draws
        kept = values[used[0] :]
        fresh = self._drawn(len(values) - len(kept))
        self.draws = Draws(np.concatenate([kept, fresh]), np.zeros(1, dtype=np.int64))


@helper
def next_arrival(arriving: Any, state: Any) -> Any:
    """Return when the next job of the block arrives; infinite if there is none."""
    return arriving.arrival[state.taken] if state.taken < len(arriving.arrival) else np.inf


@helper
def next_completion(present: Any) -> Any:
    """Return when the next running job finishes; infinite if none is running."""
    return present.jobs[present.heap[0]].finish if present.state[0].running > 0 else np.inf


@helper
def enter(present: Any, arriving: Any) -> Any:
    """Give the next job of the block a slot."""
    jobs, state = present.jobs, present.state[0]
    i, slot = state.taken, state.free_slot
    state.free_slot = jobs[slot].next
    jobs[slot].arrival = arriving.arrival[i]
    jobs[slot].duration = arriving.duration[i]
    jobs[slot].remaining = arriving.duration[i]
    jobs[slot].start = -1.0
    jobs[slot].finish = np.inf
    jobs[slot].number = state.arrived
    jobs[slot].job_class = arriving.job_class[i]
    jobs[slot].need = arriving.need[i]
    jobs[slot].preemptions = 0
    state.arrived += 1
    state.present += 1
    state.taken += 1
    return slot


@helper
def leave(present: Any, finished: Any, slot: Any) -> Any:
    """Write a finished job out and give its slot back."""
    jobs, state = present.jobs, present.state[0]
    i = state.finished
    finished.arrival[i] = jobs[slot].arrival
    finished.duration[i] = jobs[slot].duration
    finished.start[i] = jobs[slot].start
    finished.finish[i] = jobs[slot].finish
    finished.number[i] = jobs[slot].number
    finished.job_class[i] = jobs[slot].job_class
    finished.need[i] = jobs[slot].need
    finished.preemptions[i] = jobs[slot].preemptions
    state.finished += 1
    state.present -= 1
    jobs[slot].next = state.free_slot
    state.free_slot = slot


@helper
def pass_time(state: Any, now: Any) -> Any:
    """Move the clock, adding up the servers that stand idle while jobs wait."""
    if state.present > state.running:
        state.wasted_area += (now - state.now) * state.idle
    state.now = now


@helper
def start(present: Any, slot: Any) -> Any:
    """Put a waiting job into service."""
    jobs, state = present.jobs, present.state[0]
    state.idle -= jobs[slot].need
    if jobs[slot].start < 0.0:
        jobs[slot].start = state.now
    jobs[slot].finish = state.now + jobs[slot].remaining
    push(present, slot)


@helper
def stop(present: Any, slot: Any) -> Any:
    """Take a running job out of service; it will go on where it was, or begin anew."""
    jobs, state = present.jobs, present.state[0]
    remove(present, slot)
    state.idle += jobs[slot].need
    jobs[slot].remaining = jobs[slot].finish - state.now
    if state.restart:
        state.lost_area += jobs[slot].need * (jobs[slot].duration - jobs[slot].remaining)
        jobs[slot].remaining = jobs[slot].duration
    jobs[slot].finish = np.inf
    jobs[slot].preemptions += 1


@helper
def complete(present: Any) -> Any:
    """Let time pass to the next completion and give its servers back; return the slot of the job."""
    jobs, state = present.jobs, present.state[0]
    slot = present.heap[0]
    pass_time(state, jobs[slot].finish)
    remove(present, slot)
    state.idle += jobs[slot].need
    return slot


@helper
def append(present: Any, slot: Any) -> Any:
    """Put a job at the end of the line."""
    jobs, state = present.jobs, present.state[0]
    last = state.last
    jobs[slot].before, jobs[slot].next = last, -1
    if last < 0:
        state.first = slot
    else:
        jobs[last].next = slot
    state.last = slot


@helper
def unlink(present: Any, slot: Any) -> Any:
    """Take a job out of the line."""
    jobs, state = present.jobs, present.state[0]
    before, after = jobs[slot].before, jobs[slot].next
    if before < 0:
        state.first = after
    else:
        jobs[before].next = after
    if after < 0:
        state.last = before
    else:
        jobs[after].before = before
