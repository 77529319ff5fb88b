"""Balanced splitting: servers that needs own, and helpers who serve in order of arrival.

The oldest waiting job takes its need's own servers, else helpers; if it fits in neither, nobody else may have helpers,
and own servers take the oldest of their need.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time
from msj.engines.need_lists import empty_lists, join, part, serve
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock


class Split(NamedTuple):
    """The lists by need, the list of each need, and servers free: each need's own, and last the helpers."""

    groups: Any
    group_of: Any
    free: Any


class SplittingEngine(EventEngine):
    """``owned`` are pairs of a need and the servers it owns."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", group="i8", helped="i8")

    def __init__(self, cluster: Cluster, *, owned: tuple[tuple[int, int], ...]) -> None:
        super().__init__(cluster)
        needs = np.unique(cluster.needs)
        own = [dict(owned).get(int(need), 0) for need in needs]
        free = np.array([*own, cluster.servers - sum(own)], dtype=np.int64)
        self.split = Split(*empty_lists(needs, cluster.servers), free)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(arriving, self.present_jobs, self.split, self.finished))


@helper
def _next(jobs: Any, groups: Any, g: Any) -> Any:
    return groups[g].head if groups[g].edge < 0 else jobs[groups[g].edge].next


@helper
def _start(present: Any, split: Any, g: Any, helped: Any) -> Any:
    groups = split.groups
    present.jobs[_next(present.jobs, groups, g)].helped = 1 if helped else 0
    split.free[len(groups) if helped else g] -= groups[g].need
    serve(present, groups, g, groups[g].served + 1)


@helper
def _decide(present: Any, split: Any) -> Any:
    jobs, groups, free = present.jobs, split.groups, split.free
    size = len(groups)
    while True:
        oldest, number = -1, 0
        for g in range(size):
            slot = _next(jobs, groups, g)
            if slot >= 0 and (oldest < 0 or jobs[slot].number < number):
                oldest, number = g, jobs[slot].number
        if oldest < 0:
            return
        if free[oldest] >= groups[oldest].need:
            _start(present, split, oldest, False)
        elif free[size] >= groups[oldest].need:
            _start(present, split, oldest, True)
        else:
            break
    for g in range(size):
        while free[g] >= groups[g].need and _next(jobs, groups, g) >= 0:
            _start(present, split, g, False)


@kernel
def _run(arriving: Any, present: Any, split: Any, finished: Any) -> Any:
    jobs, state, groups = present.jobs, present.state[0], split.groups
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            slot = complete(present)
            g = jobs[slot].group
            split.free[len(groups) if jobs[slot].helped == 1 else g] += groups[g].need
            part(jobs, groups, slot)
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            jobs[slot].group = split.group_of[jobs[slot].need]
            join(jobs, groups, slot)
        _decide(present, split)
