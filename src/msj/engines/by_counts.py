"""Rules that decide by counts and remember something, from their plain function (``disciplines.remembering``).

The jobs of one need form a list in order of arrival, of which a beginning is in service; the function says how long
these beginnings are. It is passed as a first-class function of fixed type, so this loop is compiled once.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numba import int64, njit, typeof, types

from msj.engines.cluster import Cluster
from msj.engines.compiling import OPTIONS
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time
from msj.engines.need_lists import empty_lists, join, part, serve
from msj.engines.state import FINISHED, STATE, STOPPED_A_JOB, TOO_MANY_SERVERS, Arriving, Finished, Present, job_row
from msj.workloads.job_block import JobBlock

DECIDE = types.FunctionType(types.void(int64[::1], int64[::1], int64[::1], int64, int64[::1]))


class RuleByCounts(Protocol):
    """What is known here of a rule."""

    @property
    def cells(self) -> int:
        """How many whole numbers it remembers."""

    def compiled_decision(self, signature: Any) -> Any:
        """Return its function, compiled."""


class Counts(NamedTuple):
    """The lists by need and the list of each need; needs, jobs present and in service by need; what is remembered."""

    groups: Any
    group_of: Any
    needs: Any
    present: Any
    running: Any
    memory: Any


class ByCountsEngine(EventEngine):
    """Runs a rule's function of counts at every event."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", group="i8")

    def __init__(self, cluster: Cluster, *, rule: RuleByCounts) -> None:
        super().__init__(cluster)
        self.rule = rule
        needs = np.unique(cluster.needs).astype(np.int64)
        groups, group_of = empty_lists(needs, cluster.servers)
        room = np.zeros((2, len(needs)), dtype=np.int64)
        self.counts = Counts(groups, group_of, needs, room[0], room[1], np.zeros(rule.cells, dtype=np.int64))
        self._decide = rule.compiled_decision(DECIDE.signature)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_decide": None}  # compiled code does not travel

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        if self._decide is None:
            self._decide = self.rule.compiled_decision(DECIDE.signature)
        return int(_loop()(self._decide, self.servers, arriving, self.present_jobs, self.counts, self.finished))


@cache
def _loop() -> Any:
    # Compiled (or read from the cache) when first used, not when imported.
    times, numbers = np.empty(0), np.empty(0, dtype=np.int64)
    groups, group_of = empty_lists(np.ones(1, dtype=np.int64), 1)
    given = (
        Arriving(times, numbers, numbers, times, True),
        Present(np.empty(0, dtype=ByCountsEngine.row), numbers, np.zeros(1, dtype=STATE)),
        Counts(groups, group_of, numbers, numbers, numbers, numbers),
        Finished.room_for(1),
    )
    return njit(int64(DECIDE, int64, *map(typeof, given)), **OPTIONS)(_run)


def _run(decide: Any, servers: Any, arriving: Any, present: Any, counts: Any, finished: Any) -> Any:
    jobs, state, groups = present.jobs, present.state[0], counts.groups
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            slot = complete(present)
            part(jobs, groups, slot)
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            jobs[slot].group = counts.group_of[jobs[slot].need]
            join(jobs, groups, slot)
        for g in range(len(groups)):
            counts.present[g], counts.running[g] = groups[g].members, groups[g].served
        decide(counts.needs, counts.present, counts.running, servers, counts.memory)
        used = 0
        for g in range(len(groups)):
            if counts.running[g] < groups[g].served:
                return STOPPED_A_JOB
            used += counts.running[g] * groups[g].need
        if used > servers:
            return TOO_MANY_SERVERS
        for g in range(len(groups)):
            if counts.running[g] != groups[g].served:
                serve(present, groups, g, counts.running[g])
