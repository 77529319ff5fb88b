"""EASY backfilling, fast: waiting jobs in a list in order of arrival, running ones sorted by believed end.

As long as nobody leaves, the head's reservation stands, and a job that could not overtake at its arrival cannot later:
less time is left before the reservation and no servers have become free. So an arrival needs a look at the new job
only; a completion needs a look at the queue until no server is idle. The second rests on estimates that are
not too short; from the first job on that has one that is, every event looks at the whole queue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    start,
    unlink,
)
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock

#: When the head of the line will start, by the estimates, servers it will leave free then, and whether some are wrong.
RESERVATION = np.dtype([("moment", "f8"), ("extra", "i8"), ("some_too_short", "i8")])


class Plan(NamedTuple):
    """What each job of the block is believed to take, the running jobs in order of believed end, the reservation."""

    estimate: Any
    by_end: Any
    reservation: Any


class EasyEngine(EventEngine):
    """EASY backfilling; ``estimated`` turns what users say into what the scheduler believes."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", estimate="f8", believed_end="f8")

    def __init__(self, cluster: Cluster, *, estimated: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
        super().__init__(cluster)
        self.estimated = estimated
        self.by_end = np.empty(cluster.servers, dtype=np.int64)
        self.reservation = np.zeros(1, dtype=RESERVATION)
        self.reservation["moment"] = np.inf

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        plan = Plan(self.estimated(block.estimates), self.by_end, self.reservation)
        return int(_run(arriving, self.present_jobs, plan, self.finished))


@helper
def _begin(present: Any, plan: Any, slot: Any) -> Any:
    jobs, state, by_end = present.jobs, present.state[0], plan.by_end
    place = state.running
    start(present, slot)
    jobs[slot].believed_end = state.now + jobs[slot].estimate
    while place > 0 and jobs[by_end[place - 1]].believed_end > jobs[slot].believed_end:
        by_end[place] = by_end[place - 1]
        place -= 1
    by_end[place] = slot


@helper
def _reserve(present: Any, plan: Any) -> Any:
    # The head starts when, by the estimates, enough servers are free; all that end at that moment count.
    jobs, state, by_end, reservation = present.jobs, present.state[0], plan.by_end, plan.reservation[0]
    need = jobs[state.first].need
    free = state.idle
    j = 0
    while free < need:
        free += jobs[by_end[j]].need
        j += 1
    moment = max(jobs[by_end[j - 1]].believed_end, state.now)
    while j < state.running and max(jobs[by_end[j]].believed_end, state.now) <= moment:
        free += jobs[by_end[j]].need
        j += 1
    reservation.moment, reservation.extra = moment, free - need


@helper
def _overtake(present: Any, plan: Any, slot: Any) -> Any:
    jobs, state, reservation = present.jobs, present.state[0], plan.reservation[0]
    need = jobs[slot].need
    in_time = state.now + jobs[slot].estimate <= reservation.moment
    if need <= state.idle and (in_time or need <= reservation.extra):
        if not in_time:
            reservation.extra -= need
        unlink(present, slot)
        _begin(present, plan, slot)


@kernel
def _look_at_everyone(present: Any, plan: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    while state.first >= 0 and jobs[state.first].need <= state.idle:
        slot = state.first
        unlink(present, slot)
        _begin(present, plan, slot)
    if state.first >= 0:
        _reserve(present, plan)
        slot = jobs[state.first].next
        while slot >= 0 and state.idle > 0:
            after = jobs[slot].next
            _overtake(present, plan, slot)
            slot = after


@kernel
def _run(arriving: Any, present: Any, plan: Any, finished: Any) -> Any:
    jobs, state, by_end, reservation = present.jobs, present.state[0], plan.by_end, plan.reservation[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            slot = complete(present)
            place = 0
            while by_end[place] != slot:
                place += 1
            for j in range(place, state.running):
                by_end[j] = by_end[j + 1]
            leave(present, finished, slot)
            everyone = True
        else:
            pass_time(state, until)
            estimate = plan.estimate[state.taken]
            slot = enter(present, arriving)
            jobs[slot].estimate = estimate
            if estimate < jobs[slot].duration:
                reservation.some_too_short = 1
            everyone = state.last < 0 or reservation.some_too_short == 1
            append(present, slot)
        if everyone:
            _look_at_everyone(present, plan)
        else:
            _overtake(present, plan, slot)
