"""EASY backfilling, fast: waiting jobs in one piece of memory in order of arrival, running ones sorted by believed end.

As long as nobody leaves, the head's reservation stands, and a job that could not overtake at its arrival cannot later:
less time is left before the reservation and no servers have become free. So an arrival needs a look at the new job
only; a completion needs a look at the queue until no server is idle. The second rests on estimates that are
not too short; from the first job on that has one that is, every event looks at the whole queue.

Looking at the queue is most of the work, so it is a plain walk over needs and estimates that lie side by side. Who
has left the line keeps his place, with a need that never fits, until the places are used up and the rest move together.
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
    complete,
    enter,
    leave,
    next_arrival,
    next_completion,
    pass_time,
    start,
)
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock

#: When the head of the line will start, by the estimates, servers it will leave free then, and whether some are wrong.
RESERVATION = np.dtype([("moment", "f8"), ("extra", "i8"), ("some_too_short", "i8")])


GONE = np.iinfo(np.int64).max  # the need in the place of a job that has left the line: it never fits


class Waiting(NamedTuple):
    """The line in order of arrival, from place ``ends[0]`` to before ``ends[1]``: needs, estimates, slots."""

    need: Any
    estimate: Any
    slot: Any
    ends: Any

    @classmethod
    def room_for(cls, jobs: int) -> Waiting:
        """Return an empty line with so many places."""
        return cls(np.empty(jobs, np.int64), np.empty(jobs), np.empty(jobs, np.int64), np.zeros(2, np.int64))


class Plan(NamedTuple):
    """What each job of the block is believed to take, the running jobs in order of believed end, the reservation."""

    estimate: Any
    by_end: Any
    reservation: Any


class EasyEngine(EventEngine):
    """EASY backfilling; ``estimated`` turns what users say into what the scheduler believes."""

    row: ClassVar[np.dtype[Any]] = job_row(estimate="f8", believed_end="f8")

    def __init__(self, cluster: Cluster, *, estimated: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
        super().__init__(cluster)
        self.estimated = estimated
        self.by_end = np.empty(cluster.servers, dtype=np.int64)
        self.reservation = np.zeros(1, dtype=RESERVATION)
        self.reservation["moment"] = np.inf
        self.waiting = Waiting.room_for(0)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        plan = Plan(self.estimated(block.estimates), self.by_end, self.reservation)
        self._make_line(int(self.state["present"]) + len(block))
        return int(_run(arriving, self.present_jobs, plan, self.waiting, self.finished))

    def _make_line(self, most: int) -> None:
        """See to it that at most half of the places are in use whenever the line must move together."""
        if 2 * most <= len(self.waiting.need):
            return
        head, tail = self.waiting.ends
        longer = Waiting.room_for(4 * most)
        longer.ends[1] = tail - head
        for old, new in zip(self.waiting[:3], longer[:3], strict=True):
            new[: tail - head] = old[head:tail]
        self.waiting = longer


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
def _reserve(present: Any, plan: Any, need: Any) -> Any:
    # The head starts when, by the estimates, enough servers are free; all that end at that moment count.
    jobs, state, by_end, reservation = present.jobs, present.state[0], plan.by_end, plan.reservation[0]
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
def _line_up(waiting: Any, slot: Any, need: Any, estimate: Any) -> Any:
    # Return the new job's place.
    ends = waiting.ends
    if ends[1] == len(waiting.need):
        kept = 0
        for i in range(ends[0], ends[1]):
            if waiting.need[i] != GONE:
                waiting.need[kept], waiting.estimate[kept] = waiting.need[i], waiting.estimate[i]
                waiting.slot[kept] = waiting.slot[i]
                kept += 1
        ends[0], ends[1] = 0, kept
    place = ends[1]
    waiting.need[place], waiting.estimate[place], waiting.slot[place] = need, estimate, slot
    ends[1] = place + 1
    return place


@helper
def _head(waiting: Any) -> Any:
    # Where the first job of the line stands; the end if there is none.
    ends = waiting.ends
    while ends[0] < ends[1] and waiting.need[ends[0]] == GONE:
        ends[0] += 1
    return ends[0]


@helper
def _leave_line(present: Any, plan: Any, waiting: Any, place: Any) -> Any:
    waiting.need[place] = GONE
    _begin(present, plan, waiting.slot[place])


@helper
def _overtake(present: Any, plan: Any, waiting: Any, place: Any) -> Any:
    # For a job that fits now.
    state, reservation = present.state[0], plan.reservation[0]
    need = waiting.need[place]
    in_time = state.now + waiting.estimate[place] <= reservation.moment
    if in_time or need <= reservation.extra:
        if not in_time:
            reservation.extra -= need
        _leave_line(present, plan, waiting, place)


@kernel
def _look_at_everyone(present: Any, plan: Any, waiting: Any) -> Any:
    state = present.state[0]
    head = _head(waiting)
    while head < waiting.ends[1] and waiting.need[head] <= state.idle:
        _leave_line(present, plan, waiting, head)
        head = _head(waiting)
    if head < waiting.ends[1] and state.idle > 0:
        _reserve(present, plan, waiting.need[head])
        for place in range(head + 1, waiting.ends[1]):
            if waiting.need[place] <= state.idle:
                _overtake(present, plan, waiting, place)
                if state.idle == 0:
                    break


@kernel
def _run(arriving: Any, present: Any, plan: Any, waiting: Any, finished: Any) -> Any:
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
            everyone = _head(waiting) == waiting.ends[1] or reservation.some_too_short == 1
            place = _line_up(waiting, slot, jobs[slot].need, estimate)
        if everyone:
            _look_at_everyone(present, plan, waiting)
        elif waiting.need[place] <= state.idle:
            _overtake(present, plan, waiting, place)
