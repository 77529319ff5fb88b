"""Policies that prefer jobs of least remaining size (need × remaining duration).

Jobs of one need are in order of remaining duration: those in service all shrink alike, so their order never changes,
and those waiting do not shrink at all. So each need has a sorted list of jobs in service and a heap of jobs waiting,
and a decision walks through the needs, always taking the least remaining size, until the servers are spoken for.
Between events the decision stands: jobs in service only move ahead of those that wait.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, enter, leave, pass_time, start, stop
from msj.engines.heap import remove
from msj.workloads import JobBlock

GREEDY, FIRST_FIT, SERVER_FILLING = range(3)


class BySizeKernel(EventKernel):
    """Runs one of the rules above; ``needs`` lists every need that can occur."""

    def __init__(self, *, servers: int, name: str, needs: NDArray[np.int64], rule: int) -> None:
        super().__init__(servers=servers, name=name)
        self.rule = rule
        self.needs = np.unique(needs)
        self.group_of = np.zeros(servers + 1, dtype=np.int64)
        self.group_of[self.needs] = np.arange(len(self.needs))
        self.serving = np.zeros((len(self.needs), servers + 1), dtype=np.int64)
        self.taken = np.zeros_like(self.serving)
        self.waiting = np.zeros((len(self.needs), 0), dtype=np.int64)
        self.sizes = np.zeros((4, len(self.needs)), dtype=np.int64)  # in service, waiting, taken, considered

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        room = len(self.jobs) - self.waiting.shape[1]
        if room > 0:
            self.waiting = np.concatenate([self.waiting, np.zeros((len(self.needs), room), dtype=np.int64)], axis=1)
        serves, waits, takes, seen = self.sizes
        return int(
            _run(
                block.arrival, block.job_class, block.need, block.duration, last, self.servers, self.rule, self.needs,
                self.group_of, self.serving, self.taken, self.waiting, serves, waits, takes, seen, self.jobs, self.heap,
                self.count, self.time, out_real, out_whole,
            )
        )  # fmt: skip


@helper
def _shorter(jobs: Any, a: Any, b: Any) -> Any:
    if jobs[a].remaining != jobs[b].remaining:
        return jobs[a].remaining < jobs[b].remaining
    return jobs[a].number < jobs[b].number


@helper
def _wait(jobs: Any, waiting: Any, waits: Any, g: Any, slot: Any) -> Any:
    hole = waits[g]
    waits[g] += 1
    while hole > 0 and _shorter(jobs, slot, waiting[g, (hole - 1) >> 1]):
        waiting[g, hole] = waiting[g, (hole - 1) >> 1]
        hole = (hole - 1) >> 1
    waiting[g, hole] = slot


@helper
def _shortest_waiting(jobs: Any, waiting: Any, waits: Any, g: Any) -> Any:
    shortest = waiting[g, 0]
    waits[g] -= 1
    size = waits[g]
    slot = waiting[g, size]
    hole, child = 0, 1
    while child < size:
        if child + 1 < size and _shorter(jobs, waiting[g, child + 1], waiting[g, child]):
            child += 1
        if not _shorter(jobs, waiting[g, child], slot):
            break
        waiting[g, hole] = waiting[g, child]
        hole, child = child, 2 * child + 1
    waiting[g, hole] = slot
    return shortest


@helper
def _next(jobs: Any, serving: Any, waiting: Any, serves: Any, waits: Any, seen: Any, g: Any) -> Any:
    # The shortest job of this need that is not yet considered, in service or waiting; -1 if there is none.
    slot = -1
    if seen[g] < serves[g]:
        slot = serving[g, seen[g]]
    if waits[g] > 0 and (slot < 0 or _shorter(jobs, waiting[g, 0], slot)):
        slot = waiting[g, 0]
    return slot


@helper
def _consider(
    jobs: Any, servers: Any, rule: Any, needs: Any, serving: Any, waiting: Any, taken: Any, serves: Any, waits: Any,
    takes: Any, seen: Any,
) -> Any:  # fmt: skip
    # Take jobs by remaining size into ``taken`` until the rule has enough of them.
    free = servers
    while free > 0:
        least, size = -1, 0.0
        for g in range(len(needs)):
            if rule == FIRST_FIT and needs[g] > free:
                break
            slot = _next(jobs, serving, waiting, serves, waits, seen, g)
            if slot >= 0:
                its = needs[g] * jobs[slot].remaining
                if least < 0 or its < size or (its == size and jobs[slot].number < jobs[least].number):
                    least, size = slot, its
        if least < 0 or (rule == GREEDY and jobs[least].need > free):
            break
        g = jobs[least].group
        if waits[g] > 0 and waiting[g, 0] == least:
            _shortest_waiting(jobs, waiting, waits, g)
        else:
            seen[g] += 1
        taken[g, takes[g]] = least
        takes[g] += 1
        free -= jobs[least].need


@helper
def _obey(
    jobs: Any, servers: Any, needs: Any, serving: Any, waiting: Any, taken: Any, serves: Any, waits: Any, takes: Any,
    heap: Any, count: Any, now: Any,
) -> Any:  # fmt: skip
    # Of those taken serve as many of the largest needs as fit: all of them, unless the rule takes more than fit.
    free = servers
    for step in range(len(needs)):
        g = len(needs) - 1 - step
        fits = min(takes[g], free // needs[g])
        free -= fits * needs[g]
        for i in range(serves[g]):
            jobs[serving[g, i]].before = 0
        for i in range(takes[g]):
            slot = taken[g, i]
            jobs[slot].before = 1 if i < fits else 0
            if i >= fits and jobs[slot].finish == np.inf:
                _wait(jobs, waiting, waits, g, slot)
        for i in range(serves[g]):
            slot = serving[g, i]
            if jobs[slot].before == 0:
                stop(jobs, heap, count, now, slot)
                _wait(jobs, waiting, waits, g, slot)
        for i in range(fits):
            slot = taken[g, i]
            serving[g, i] = slot
            if jobs[slot].finish == np.inf:
                start(jobs, heap, count, now, slot)
        serves[g] = fits


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, last: Any, servers: Any, rule: Any, needs: Any,
    group_of: Any, serving: Any, taken: Any, waiting: Any, serves: Any, waits: Any, takes: Any, seen: Any, jobs: Any,
    heap: Any, count: Any, time: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = 0
    while True:
        if i == len(arrival) and (not last or count[at.RUNNING] == 0):
            return at.FINISHED
        until = arrival[i] if i < len(arrival) else np.inf
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            pass_time(count, time, jobs[slot].finish)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            g = jobs[slot].group
            place = 0
            while serving[g, place] != slot:
                place += 1
            serves[g] -= 1
            for j in range(place, serves[g]):
                serving[g, j] = serving[g, j + 1]
            leave(jobs, count, out_real, out_whole, slot)
        else:
            pass_time(count, time, until)
            slot = enter(jobs, count, arrival[i], job_class[i], need[i], duration[i], group_of[need[i]])
            _wait(jobs, waiting, waits, jobs[slot].group, slot)
            i += 1
        now = time[at.NOW]
        for g in range(len(needs)):
            takes[g], seen[g] = 0, 0
            for j in range(serves[g]):
                jobs[serving[g, j]].remaining = jobs[serving[g, j]].finish - now
        _consider(jobs, servers, rule, needs, serving, waiting, taken, serves, waits, takes, seen)
        _obey(jobs, servers, needs, serving, waiting, taken, serves, waits, takes, heap, count, now)
