"""ServerFilling where taking a job up again costs time (reset, Appendix H.6; the policy: wcfs, section 3.4.2).

A job that was put aside holds its servers for an exponential overhead without progress before it goes on; put aside
while it pays, it owes all of it again. The first start is free.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, append, enter, leave, pass_time, unlink
from msj.engines.heap import push, remove
from msj.workloads import JobBlock, Streams

DRAWS = 4096
# jobs[...].estimate is when the overhead of the present service ends, .group whether the job is chosen.


class PreemptionCostKernel(EventKernel):
    """ServerFilling with an overhead of rate ``overhead_rate`` at every resumption; needs are powers of two."""

    def __init__(self, *, servers: int, overhead_rate: float, streams: Streams) -> None:
        super().__init__(servers=servers, name="preemption-cost")
        self.rate = overhead_rate
        self.random = streams.generator("policy")
        self.draws = self.random.standard_exponential(max(DRAWS, 2 * servers))
        self.used = np.zeros(1, dtype=np.int64)

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        self.count[at.STATE] = 0
        while True:
            status = _run(
                block.arrival, block.job_class, block.need, block.duration, last, self.servers, self.rate, self.draws,
                self.used, self.jobs, self.heap, self.count, self.time, out_real, out_whole,
            )  # fmt: skip
            if status != at.MORE_RANDOM_NUMBERS:
                return int(status)
            self.random.standard_exponential(out=self.draws)
            self.used[0] = 0


@helper
def _choose(servers: Any, jobs: Any, count: Any) -> Any:
    """Mark the jobs to serve; return the first job that is no candidate."""
    wanted = 0
    beyond = count[at.FIRST]
    while beyond >= 0 and wanted < servers:
        jobs[beyond].group = 0
        wanted += jobs[beyond].need
        beyond = jobs[beyond].next
    free = servers
    size = servers
    while size > 0 and free > 0:
        slot = count[at.FIRST]
        while slot != beyond and free >= size:
            if jobs[slot].need == size:
                jobs[slot].group = 1
                free -= size
            slot = jobs[slot].next
        size //= 2
    return beyond


@helper
def _decide(servers: Any, rate: Any, draws: Any, used: Any, jobs: Any, heap: Any, count: Any, now: Any) -> Any:
    beyond = _choose(servers, jobs, count)
    slot = count[at.FIRST]
    while slot != beyond:
        if jobs[slot].group == 0 and jobs[slot].finish < np.inf:
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            jobs[slot].remaining -= max(now - jobs[slot].estimate, 0.0)
            jobs[slot].finish = np.inf
            jobs[slot].preemptions += 1
        slot = jobs[slot].next
    slot = count[at.FIRST]
    while slot != beyond:
        if jobs[slot].group == 1 and jobs[slot].finish == np.inf:
            jobs[slot].estimate = now
            if jobs[slot].preemptions > 0:
                jobs[slot].estimate += draws[used[0]] / rate
                used[0] += 1
            if jobs[slot].start < 0.0:
                jobs[slot].start = now
            jobs[slot].finish = jobs[slot].estimate + jobs[slot].remaining
            count[at.IDLE] -= jobs[slot].need
            count[at.RUNNING] = push(heap, count[at.RUNNING], jobs, slot)
        slot = jobs[slot].next


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, last: Any, servers: Any, rate: Any, draws: Any, used: Any,
    jobs: Any, heap: Any, count: Any, time: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = count[at.STATE]
    while True:
        if i == len(arrival) and (not last or count[at.PRESENT] == 0):
            return at.FINISHED
        if used[0] + servers > len(draws):  # one event resumes at most so many jobs
            count[at.STATE] = i
            return at.MORE_RANDOM_NUMBERS
        until = arrival[i] if i < len(arrival) else np.inf
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            pass_time(count, time, jobs[slot].finish)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            unlink(jobs, count, slot)
            leave(jobs, count, out_real, out_whole, slot)
        else:
            pass_time(count, time, until)
            append(jobs, count, enter(jobs, count, until, job_class[i], need[i], duration[i], 0))
            i += 1
        _decide(servers, rate, draws, used, jobs, heap, count, time[at.NOW])
