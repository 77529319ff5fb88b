"""Policies that serve the oldest jobs of each need: only how many of each must be decided.

Jobs of one need form a list in order of arrival, of which a beginning is served; a decision moves the ends of these
beginnings. Nothing depends on how many jobs wait. Policies with a front (ServerFilling: shortest prefix whose needs
reach k; DivisorFilling: the k oldest) keep the jobs behind it in a plain queue; a job that has entered the front stays
in it, because jobs ahead of it only leave.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, enter, leave, pass_time, start, stop
from msj.engines.heap import remove
from msj.engines.packing import exactly, heaviest, heaviest_listed, maximal_packings
from msj.workloads import JobBlock, Streams

MOST_FIRST, LEAST_FIRST, FIRST_FIT, EXACTLY, HEAVIEST, HEAVIEST_PRESENT = range(6)
HEAD, TAIL, EDGE, SERVED, CURSOR = range(5)  # rows of ``groups``, the table of lists
EVERYONE, PREFIX, OLDEST = range(3)  # who may be served
DRAWS = 4096


class ByNeedKernel(EventKernel):
    """Runs one of the rules above; ``needs`` lists every need that can occur."""

    def __init__(
        self,
        *,
        servers: int,
        name: str,
        needs: NDArray[np.int64],
        rule: int,
        front: int = EVERYONE,
        preemptive: bool = True,
        ties: int = 1,
        streams: Streams | None = None,
    ) -> None:
        super().__init__(servers=servers, name=name)
        self.rule, self.front, self.preemptive, self.ties = rule, front, preemptive, ties
        self.needs = np.unique(needs)
        self.group_of = np.zeros(servers + 1, dtype=np.int64)
        self.group_of[self.needs] = np.arange(len(self.needs))
        self.groups = np.zeros((5, len(self.needs)), dtype=np.int64)
        self.groups[[HEAD, TAIL, EDGE]] = -1
        self.members, self.target = np.zeros_like(self.needs), np.zeros_like(self.needs)
        self.best = np.zeros((len(self.needs) + 1, servers + 1), dtype=np.int64)
        self.packings = maximal_packings(self.needs, servers) if rule == HEAVIEST else np.zeros((0, 0), dtype=np.int64)
        self.random = streams.generator("policy") if streams is not None and ties == 0 else None
        self.draws = np.zeros(0) if self.random is None else self.random.random(DRAWS + len(self.needs))
        self.used = np.zeros(1, dtype=np.int64)
        self.in_front = np.zeros(1, dtype=np.int64)  # servers or jobs that the front holds already

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        self.count[at.STATE] = 0
        while True:
            status = _run(
                block.arrival, block.job_class, block.need, block.duration, last, self.servers, self.rule, self.front,
                self.preemptive, self.ties, self.needs, self.group_of, self.groups, self.members, self.target,
                self.best, self.packings, self.draws, self.used, self.in_front, self.jobs, self.heap, self.count,
                self.time, out_real, out_whole,
            )  # fmt: skip
            if status != at.MORE_RANDOM_NUMBERS or self.random is None:
                return int(status)
            kept = self.draws[self.used[0] :]
            self.draws = np.concatenate([kept, self.random.random(DRAWS + len(self.needs) - len(kept))])
            self.used[0] = 0


@helper
def _join(jobs: Any, groups: Any, members: Any, slot: Any) -> Any:
    g = jobs[slot].group
    end = groups[TAIL, g]
    jobs[slot].before, jobs[slot].next = end, -1
    if end < 0:
        groups[HEAD, g] = slot
    else:
        jobs[end].next = slot
    groups[TAIL, g] = slot
    members[g] += 1


@helper
def _part(jobs: Any, groups: Any, members: Any, slot: Any) -> Any:
    g = jobs[slot].group
    before, after = jobs[slot].before, jobs[slot].next
    if before < 0:
        groups[HEAD, g] = after
    else:
        jobs[before].next = after
    if after < 0:
        groups[TAIL, g] = before
    else:
        jobs[after].before = before
    if groups[EDGE, g] == slot:
        groups[EDGE, g] = before
    groups[SERVED, g] -= 1
    members[g] -= 1


@helper
def _extend_front(jobs: Any, count: Any, groups: Any, members: Any, front: Any, servers: Any, in_front: Any) -> Any:
    # The queue behind the front is linked through NEXT from FIRST to LAST.
    while count[at.FIRST] >= 0 and in_front[0] < servers:
        slot = count[at.FIRST]
        count[at.FIRST] = jobs[slot].next
        if count[at.FIRST] < 0:
            count[at.LAST] = -1
        in_front[0] += jobs[slot].need if front == PREFIX else 1
        _join(jobs, groups, members, slot)


@helper
def _first_fit(jobs: Any, needs: Any, groups: Any, target: Any, free: Any) -> Any:
    # The oldest job that fits is the oldest of the next in each list; fewer needs fit as servers are given away.
    size = len(needs)
    for g in range(size):
        end = groups[EDGE, g]
        if target[g] == 0 or end < 0:
            groups[CURSOR, g] = groups[HEAD, g]
        else:
            groups[CURSOR, g] = jobs[end].next
    while True:
        oldest = -1
        for g in range(size):
            if needs[g] > free:
                break
            slot = groups[CURSOR, g]
            if slot >= 0 and (oldest < 0 or jobs[slot].number < jobs[groups[CURSOR, oldest]].number):
                oldest = g
        if oldest < 0:
            return
        target[oldest] += 1
        groups[CURSOR, oldest] = jobs[groups[CURSOR, oldest]].next
        free -= needs[oldest]


@helper
def _serve_fewer(groups: Any, jobs: Any, heap: Any, count: Any, time: Any, g: Any, wanted: Any) -> Any:
    while groups[SERVED, g] > wanted:
        slot = groups[EDGE, g]
        stop(jobs, heap, count, time[at.NOW], slot)
        groups[EDGE, g] = jobs[slot].before
        groups[SERVED, g] -= 1


@helper
def _serve_more(groups: Any, jobs: Any, heap: Any, count: Any, time: Any, g: Any, wanted: Any) -> Any:
    while groups[SERVED, g] < wanted:
        end = groups[EDGE, g]
        slot = groups[HEAD, g] if end < 0 else jobs[end].next
        start(jobs, heap, count, time[at.NOW], slot)
        groups[EDGE, g] = slot
        groups[SERVED, g] += 1


@helper
def _serve_by_need(
    needs: Any, members: Any, servers: Any, largest: Any, preemptive: Any, groups: Any, jobs: Any, heap: Any,
    count: Any, time: Any,
) -> Any:  # fmt: skip
    # One pass in order of need decides and obeys; for a moment more may run than servers allow, so the heap has room.
    size = len(needs)
    free = servers if preemptive else count[at.IDLE]
    for step in range(size):
        g = size - 1 - step if largest else step
        kept = 0 if preemptive else groups[SERVED, g]
        fits = members[g] - kept
        if fits * needs[g] > free:  # dividing costs more than all the rest
            fits = free // needs[g]
        free -= fits * needs[g]
        if groups[SERVED, g] != kept + fits:
            _serve_fewer(groups, jobs, heap, count, time, g, kept + fits)
            _serve_more(groups, jobs, heap, count, time, g, kept + fits)


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, last: Any, servers: Any, rule: Any, front: Any,
    preemptive: Any, ties: Any, needs: Any, group_of: Any, groups: Any, members: Any, target: Any, best: Any,
    packings: Any, draws: Any, used: Any, in_front: Any, jobs: Any, heap: Any, count: Any, time: Any, out_real: Any,
    out_whole: Any,
) -> Any:  # fmt: skip
    i = count[at.STATE]
    while True:
        if i == len(arrival) and (not last or count[at.RUNNING] == 0):
            return at.FINISHED
        if rule >= HEAVIEST and ties == 0 and used[0] + len(needs) > len(draws):
            count[at.STATE] = i
            return at.MORE_RANDOM_NUMBERS
        until = arrival[i] if i < len(arrival) else np.inf
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            pass_time(count, time, jobs[slot].finish)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            _part(jobs, groups, members, slot)
            in_front[0] -= jobs[slot].need if front == PREFIX else 1
            leave(jobs, count, out_real, out_whole, slot)
        else:
            pass_time(count, time, until)
            slot = enter(jobs, count, arrival[i], job_class[i], need[i], duration[i], group_of[need[i]])
            i += 1
            if front == EVERYONE:
                _join(jobs, groups, members, slot)
            elif count[at.FIRST] < 0 and in_front[0] < servers:
                in_front[0] += need[i - 1] if front == PREFIX else 1
                _join(jobs, groups, members, slot)
            else:
                jobs[slot].next = -1
                if count[at.LAST] < 0:
                    count[at.FIRST] = slot
                else:
                    jobs[count[at.LAST]].next = slot
                count[at.LAST] = slot
                continue  # the front is full: nothing changes
        if front != EVERYONE:
            _extend_front(jobs, count, groups, members, front, servers, in_front)
        if rule <= LEAST_FIRST:
            _serve_by_need(needs, members, servers, rule == MOST_FIRST, preemptive, groups, jobs, heap, count, time)
            continue
        free = servers if preemptive else count[at.IDLE]
        for g in range(len(needs)):
            target[g] = 0 if preemptive else groups[SERVED, g]
        if rule == FIRST_FIT:
            _first_fit(jobs, needs, groups, target, free)
        elif rule == EXACTLY:
            exactly(needs, members, servers, best, target)
        elif len(packings):
            used[0] = heaviest_listed(packings, members, ties, draws, used[0], target)
        else:
            used[0] = heaviest(needs, members, servers, rule == HEAVIEST_PRESENT, ties, draws, used[0], best, target)
        for g in range(len(needs)):  # as above, the heap has room for more than can run
            if groups[SERVED, g] != target[g]:
                _serve_fewer(groups, jobs, heap, count, time, g, target[g])
                _serve_more(groups, jobs, heap, count, time, g, target[g])
