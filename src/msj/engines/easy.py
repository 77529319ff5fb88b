"""EASY backfilling, fast: waiting jobs in one piece of memory in order of arrival, running ones sorted by believed end.

As long as nobody leaves, the head's reservation stands, and a job that could not overtake at its arrival cannot later:
less time is left before the reservation and no servers have become free. So an arrival needs a look at the new job
only; a completion needs a look at the queue until no server is idle. The second rests on estimates that are
not too short; from the first job on that has one that is, every event looks at the whole queue.

Looking at the queue is most of the work, so it is a plain walk over needs and estimates that lie side by side. Who
has left the line keeps his place, with a need that never fits, until the places are used up and the rest move together.

While the reservation is no later and leaves no more servers over than before, whoever fitted and was turned down stays
turned down, for the same reason. Only those that did not fit are looked at again (``retry``), and those behind
the last that was looked at: with exact estimates a completion changes no reservation, so a line of thousands behind a
large job is walked through once and not at every completion.
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
NOBODY = -1  # has been looked at


#: Behind which head the line was looked at (its place), how many of ``retry`` count, and who is next to be looked at.
LOOKED = np.dtype([("head", "i8"), ("retries", "i8"), ("next", "i8")])


class Waiting(NamedTuple):
    """The line in order of arrival, from place ``ends[0]`` to before ``ends[1]``: needs, estimates, slots.

    ``retry`` are the places of those that did not fit when they were looked at, ``looked`` says since when.
    """

    need: Any
    estimate: Any
    slot: Any
    ends: Any
    retry: Any
    looked: Any

    @classmethod
    def room_for(cls, jobs: int) -> Waiting:
        """Return an empty line with so many places."""
        places, looked = np.empty((3, jobs), np.int64), np.zeros(1, LOOKED)
        looked["head"] = NOBODY
        return cls(places[0], np.empty(jobs), places[1], np.zeros(2, np.int64), places[2], looked)


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
        for old, new in zip(self.waiting[:3], longer[:3], strict=True):  # needs, estimates, slots
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
        waiting.looked[0].head = NOBODY  # places have changed
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


@helper
def _look_again(present: Any, plan: Any, waiting: Any) -> Any:
    # At those that did not fit: who fits now starts or is turned down for good; the others stay in their order.
    state, looked = present.state[0], waiting.looked[0]
    kept = 0
    for i in range(looked.retries):
        place = waiting.retry[i]
        if waiting.need[place] <= state.idle:
            _overtake(present, plan, waiting, place)
        elif waiting.need[place] != GONE:
            waiting.retry[kept] = place
            kept += 1
    looked.retries = kept


@kernel
def _look_at_everyone(present: Any, plan: Any, waiting: Any) -> Any:
    state, reservation, looked = present.state[0], plan.reservation[0], waiting.looked[0]
    head = _head(waiting)
    while head < waiting.ends[1] and waiting.need[head] <= state.idle:
        _leave_line(present, plan, waiting, head)
        head = _head(waiting)
    if head == waiting.ends[1] or state.idle == 0:
        return
    moment, extra = reservation.moment, reservation.extra
    _reserve(present, plan, waiting.need[head])
    if looked.head != head or reservation.moment > moment or reservation.extra > extra:
        looked.head, looked.retries, looked.next = head, 0, head + 1
    _look_again(present, plan, waiting)
    place = looked.next
    while place < waiting.ends[1] and state.idle > 0:
        if waiting.need[place] <= state.idle:
            _overtake(present, plan, waiting, place)
        elif waiting.need[place] != GONE:
            waiting.retry[looked.retries] = place
            looked.retries += 1
        place += 1
    looked.next = place


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
