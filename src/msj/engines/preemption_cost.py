"""ServerFilling where taking a job up again costs time (reset, Appendix H.6; the policy: wcfs, section 3.4.2).

A job that was put aside holds its servers for an exponential overhead without progress before it goes on; put aside
while it pays, it owes all of it again. The first start is free.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import (
    EventEngine,
    append,
    complete,
    enter,
    leave,
    next_arrival,
    next_completion,
    pass_time,
    unlink,
)
from msj.engines.heap import push, remove
from msj.engines.state import FINISHED, MORE_DRAWS, Arriving, job_row
from msj.workloads.job_block import JobBlock


class Rule(NamedTuple):
    """Servers, a power of two, and the rate of overheads."""

    servers: int
    rate: float


class PreemptionCostEngine(EventEngine):
    """ServerFilling with an overhead of rate ``overhead_rate`` at every resumption; needs are powers of two."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", chosen="i8", progress_from="f8")

    def __init__(self, cluster: Cluster, *, overhead_rate: float) -> None:
        super().__init__(cluster, draws="standard_exponential", least=cluster.servers)
        self.rule = Rule(cluster.servers, overhead_rate)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(self.rule, arriving, self.present_jobs, self.draws, self.finished))


@helper
def _choose(servers: Any, jobs: Any, first: Any) -> Any:
    """Mark the jobs to serve; return the first job that is no candidate."""
    wanted = 0
    beyond = first
    while beyond >= 0 and wanted < servers:
        jobs[beyond].chosen = 0
        wanted += jobs[beyond].need
        beyond = jobs[beyond].next
    free = servers
    size = servers
    while size > 0 and free > 0:
        slot = first
        while slot != beyond and free >= size:
            if jobs[slot].need == size:
                jobs[slot].chosen = 1
                free -= size
            slot = jobs[slot].next
        size //= 2
    return beyond


@helper
def _decide(rule: Any, present: Any, draws: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    beyond = _choose(rule.servers, jobs, state.first)
    slot = state.first
    while slot != beyond:
        if jobs[slot].chosen == 0 and jobs[slot].finish < np.inf:
            remove(present, slot)
            state.idle += jobs[slot].need
            jobs[slot].remaining -= max(state.now - jobs[slot].progress_from, 0.0)
            jobs[slot].finish = np.inf
            jobs[slot].preemptions += 1
        slot = jobs[slot].next
    slot = state.first
    while slot != beyond:
        if jobs[slot].chosen == 1 and jobs[slot].finish == np.inf:
            jobs[slot].progress_from = state.now
            if jobs[slot].preemptions > 0:
                jobs[slot].progress_from += draws.values[draws.used[0]] / rule.rate
                draws.used[0] += 1
            if jobs[slot].start < 0.0:
                jobs[slot].start = state.now
            jobs[slot].finish = jobs[slot].progress_from + jobs[slot].remaining
            state.idle -= jobs[slot].need
            push(present, slot)
        slot = jobs[slot].next


@kernel
def _run(rule: Any, arriving: Any, present: Any, draws: Any, finished: Any) -> Any:
    state = present.state[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        if draws.used[0] + rule.servers > len(draws.values):  # one event resumes at most so many jobs
            return MORE_DRAWS
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            slot = complete(present)
            unlink(present, slot)
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            append(present, enter(present, arriving))
        _decide(rule, present, draws)
