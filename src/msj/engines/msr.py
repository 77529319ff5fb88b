"""Packings that take turns: MSR and nMSR.

The time to the next change is exponential, drawn when a packing begins; without preemption, when no more jobs are in
service than the packing has places for (until then the clock stands still).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time
from msj.engines.need_lists import empty_lists, join, part, serve
from msj.engines.state import FINISHED, MORE_DRAWS, Arriving, job_row
from msj.workloads.job_block import JobBlock

#: Which packing it is, and when the next begins; infinite while the clock stands still.
TURN = np.dtype([("packing", "i8"), ("until", "f8")])


class Packings(NamedTuple):
    """The lists by need, the list of each need, the packings (rows), how long each lasts, and whose turn it is."""

    groups: Any
    group_of: Any
    packings: Any
    stays: Any
    turn: Any
    preemptive: bool
    fill: bool


class MsrEngine(EventEngine):
    """Serves by the packing of the moment; without any, each need alone in turn for equal times."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", group="i8")

    def __init__(self, cluster: Cluster, *, packings: Any, stays: Any, preemptive: bool, fill: bool = False) -> None:
        super().__init__(cluster, draws="standard_exponential")
        needs = np.unique(cluster.needs)
        if len(packings) == 0:
            packings, stays = np.diag(cluster.servers // needs), np.ones(len(needs))
        turn = np.zeros(1, dtype=TURN)
        turn["packing"], turn["until"] = -1, 0.0
        lists = empty_lists(needs, cluster.servers)
        rows, times = np.array(packings, dtype=np.int64), np.array(stays, dtype=float)
        self.packings = Packings(*lists, rows, times, turn, preemptive, fill)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(arriving, self.present_jobs, self.packings, self.draws, self.finished))


@helper
def _decide(given: Any, present: Any, draws: Any) -> Any:
    # Let the packing of the moment serve, and set the clock if it stands still and need not.
    groups, turn, size = given.groups, given.turn[0], len(given.groups)
    over = False
    for g in range(size):
        places = given.packings[turn.packing, g]
        wanted = min(groups[g].members, places)
        if not given.preemptive:
            over = over or groups[g].served > places
            wanted = max(wanted, groups[g].served)
        groups[g].target = wanted
    for g in range(size):  # who must stop does so before anybody starts
        if groups[g].served > groups[g].target and given.preemptive:
            serve(present, groups, g, groups[g].target)
    free = present.state[0].idle
    for step in range(2 if given.fill else 1):
        for back in range(size):
            g = size - 1 - back
            most = groups[g].members if step == 1 else groups[g].target
            starts = min(most - groups[g].served, free // groups[g].need)
            if starts > 0:
                free -= starts * groups[g].need
                serve(present, groups, g, groups[g].served + starts)
    if turn.until == np.inf and not over:
        turn.until = present.state[0].now + given.stays[turn.packing] * draws.values[draws.used[0]]
        draws.used[0] += 1


@kernel
def _run(arriving: Any, present: Any, given: Any, draws: Any, finished: Any) -> Any:
    jobs, state, groups, turn = present.jobs, present.state[0], given.groups, given.turn[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        if draws.used[0] + 2 > len(draws.values):
            return MORE_DRAWS
        until, ends = next_arrival(arriving, state), next_completion(present)
        if turn.until < min(until, ends):
            pass_time(state, turn.until)
            turn.packing = (turn.packing + 1) % len(given.packings)
            turn.until = np.inf
        elif ends <= until:
            slot = complete(present)
            part(jobs, groups, slot)
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            jobs[slot].group = given.group_of[jobs[slot].need]
            join(jobs, groups, slot)
        _decide(given, present, draws)
