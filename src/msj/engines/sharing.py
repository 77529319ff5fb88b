"""Models that share speed (wcfs, section 3): the jobs served and their speeds change only at arrivals and completions.

Jobs wait in one queue, or in one per need where need decides; at every event speeds are given out anew from the
heads of the queues, to at most as many jobs as there are servers (or as may share), whatever the length of the queue.
Jobs that stay on their server keep its number in ``estimate``, which nothing else uses here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.heterogeneous_servers import HeterogeneousServers
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.sharing import Sharing
from msj.disciplines.threshold_parallelism import ThresholdParallelism
from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, enter, leave
from msj.workloads import JobBlock

EQUALLY, BY_RANK, UP_TO_NEED, STAYING = range(4)


class SharingKernel(EventKernel):
    """Runs one of the models; ``needs`` lists every need that can occur."""

    def __init__(self, *, servers: int, policy: Sharing, needs: NDArray[np.int64]) -> None:
        super().__init__(servers=servers, name=policy.name)
        self.most, self.rule = servers, UP_TO_NEED
        self.speeds = np.ones(servers)
        self.group_of = np.zeros(servers + 1, dtype=np.int64)
        distinct = np.unique(needs)
        if isinstance(policy, LimitedProcessorSharing):
            self.most, self.rule = policy.limit_on(servers), EQUALLY
        elif isinstance(policy, HeterogeneousServers):
            self.rule = STAYING if policy.assignment == "stay" else BY_RANK
            fastest_first = np.array(policy.relative_speeds(servers))
            self.speeds = fastest_first[::-1].copy() if policy.assignment == "slowest-first" else fastest_first
        elif isinstance(policy, ThresholdParallelism) and policy.order != "fcfs":
            rank = np.arange(len(distinct))
            self.group_of[distinct] = rank if policy.order == "inelastic" else rank[::-1]
        self.queues = np.full((2, len(distinct)), -1, dtype=np.int64)  # first and last, in order of preference
        self.active = np.zeros((2, self.most), dtype=np.int64)  # jobs in service, now and before
        self.speed = np.zeros(self.most)
        self.taken = np.zeros(servers, dtype=np.bool_)  # servers that somebody stays on

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        return int(
            _run(
                block.arrival, block.job_class, block.need, block.duration, last, self.servers, self.rule, self.most,
                self.speeds, self.taken, self.group_of, self.queues, self.active, self.speed, self.jobs, self.count,
                self.time, out_real, out_whole,
            )
        )  # fmt: skip


@helper
def _give_out(
    servers: Any, rule: Any, most: Any, speeds: Any, taken: Any, queues: Any, active: Any, speed: Any, jobs: Any,
    count: Any, time: Any,
) -> Any:  # fmt: skip
    before = count[at.RUNNING]
    for i in range(before):
        active[1, i] = active[0, i]
        jobs[active[0, i]].position = 0
    size = 0
    free = float(servers)
    for g in range(queues.shape[1]):
        slot = queues[0, g]
        while slot >= 0 and size < most and free > 0.0:
            active[0, size] = slot
            if rule == BY_RANK:
                speed[size] = speeds[size]
            elif rule == STAYING:
                if jobs[slot].start < 0.0:
                    server = 0
                    while taken[server]:
                        server += 1
                    taken[server] = True
                    jobs[slot].estimate = server
                speed[size] = speeds[int(jobs[slot].estimate)]
            elif rule == UP_TO_NEED:
                speed[size] = min(float(jobs[slot].need), free)
                free -= speed[size]
            if jobs[slot].start < 0.0:
                jobs[slot].start = time[at.NOW]
            jobs[slot].position = 1
            size += 1
            slot = jobs[slot].next
    if rule == EQUALLY:
        for i in range(size):
            speed[i] = servers / size
    for i in range(before):
        if jobs[active[1, i]].position == 0:
            jobs[active[1, i]].preemptions += 1
    count[at.RUNNING] = size


@helper
def _serve_until(servers: Any, active: Any, speed: Any, jobs: Any, count: Any, time: Any, now: Any) -> Any:
    passed = now - time[at.NOW]
    used = 0.0
    for i in range(count[at.RUNNING]):
        slot = active[0, i]
        jobs[slot].remaining -= passed * speed[i] / jobs[slot].need
        used += speed[i]
    if count[at.PRESENT] > count[at.RUNNING]:
        time[at.AREA] += passed * max(servers - used, 0.0)
    time[at.NOW] = now


@helper
def _unlink(queues: Any, jobs: Any, slot: Any) -> Any:
    g, before, after = jobs[slot].group, jobs[slot].before, jobs[slot].next
    if before < 0:
        queues[0, g] = after
    else:
        jobs[before].next = after
    if after < 0:
        queues[1, g] = before
    else:
        jobs[after].before = before


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, last: Any, servers: Any, rule: Any, most: Any, speeds: Any,
    taken: Any, group_of: Any, queues: Any, active: Any, speed: Any, jobs: Any, count: Any, time: Any, out_real: Any,
    out_whole: Any,
) -> Any:  # fmt: skip
    i = 0
    while True:
        if i == len(arrival) and (not last or count[at.PRESENT] == 0):
            return at.FINISHED
        ends, first = np.inf, -1
        for j in range(count[at.RUNNING]):
            slot = active[0, j]
            end = time[at.NOW] + max(jobs[slot].remaining, 0.0) * jobs[slot].need / speed[j]
            if end < ends or (end == ends and jobs[slot].number < jobs[active[0, first]].number):
                ends, first = end, j
        until = arrival[i] if i < len(arrival) else np.inf
        if first >= 0 and ends <= until:
            _serve_until(servers, active, speed, jobs, count, time, ends)
            slot = active[0, first]
            jobs[slot].finish = ends
            if rule == STAYING:
                taken[int(jobs[slot].estimate)] = False
            _unlink(queues, jobs, slot)
            leave(jobs, count, out_real, out_whole, slot)
            count[at.RUNNING] -= 1
            for j in range(first, count[at.RUNNING]):
                active[0, j] = active[0, j + 1]
        else:
            _serve_until(servers, active, speed, jobs, count, time, until)
            g = group_of[need[i]]
            slot = enter(jobs, count, arrival[i], job_class[i], need[i], duration[i], g)
            jobs[slot].before, jobs[slot].next = queues[1, g], -1
            if queues[1, g] < 0:
                queues[0, g] = slot
            else:
                jobs[queues[1, g]].next = slot
            queues[1, g] = slot
            i += 1
        _give_out(servers, rule, most, speeds, taken, queues, active, speed, jobs, count, time)
