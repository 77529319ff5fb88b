"""EASY backfilling, fast: waiting jobs in a list in order of arrival, running ones sorted by estimated end.

As long as nobody leaves, the head's reservation stands, and a job that could not overtake at its arrival cannot later:
less time is left before the reservation and no servers have become free. So an arrival needs a look at the new job
only; a completion needs a look at the queue until no server is idle. The second rests on estimates that are
not too short; from the first job on that has one that is, every event looks at the whole queue.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.disciplines.run_time_estimates import RunTimeEstimates
from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, append, enter, leave, pass_time, start, unlink
from msj.engines.heap import remove
from msj.workloads import JobBlock


class EasyKernel(EventKernel):
    """EASY backfilling with the estimates of ``policy``."""

    def __init__(self, *, servers: int, policy: RunTimeEstimates) -> None:
        super().__init__(servers=servers, name=policy.name)
        self.policy = policy
        self.by_end = np.empty(servers, dtype=np.int64)  # running jobs in order of estimated end
        self.reservation = np.array([np.inf, 0.0])  # when the head will start, servers it will leave free then

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        return int(
            _run(
                block.arrival, block.job_class, block.need, block.duration, self.policy.estimated(block.estimates),
                last, self.by_end, self.reservation, self.jobs, self.heap, self.count, self.time, out_real, out_whole,
            )
        )  # fmt: skip


@helper
def _begin(jobs: Any, by_end: Any, heap: Any, count: Any, now: Any, slot: Any) -> Any:
    # ``remaining`` is not needed for itself here (nobody is stopped), so it carries the duration until the start.
    place = count[at.RUNNING]
    start(jobs, heap, count, now, slot)
    jobs[slot].estimate += now
    while place > 0 and jobs[by_end[place - 1]].estimate > jobs[slot].estimate:
        by_end[place] = by_end[place - 1]
        place -= 1
    by_end[place] = slot


@helper
def _reserve(jobs: Any, by_end: Any, reservation: Any, count: Any, now: Any) -> Any:
    # The head starts when, by the estimates, enough servers are free; all that end at that moment count.
    need = jobs[count[at.FIRST]].need
    free = count[at.IDLE]
    j = 0
    while free < need:
        free += jobs[by_end[j]].need
        j += 1
    shadow = max(jobs[by_end[j - 1]].estimate, now)
    while j < count[at.RUNNING] and max(jobs[by_end[j]].estimate, now) <= shadow:
        free += jobs[by_end[j]].need
        j += 1
    reservation[0], reservation[1] = shadow, free - need


@helper
def _overtake(jobs: Any, by_end: Any, reservation: Any, heap: Any, count: Any, now: Any, slot: Any) -> Any:
    need = jobs[slot].need
    in_time = now + jobs[slot].estimate <= reservation[0]
    if need <= count[at.IDLE] and (in_time or need <= reservation[1]):
        if not in_time:
            reservation[1] -= need
        unlink(jobs, count, slot)
        _begin(jobs, by_end, heap, count, now, slot)


@kernel
def _look_at_everyone(jobs: Any, by_end: Any, reservation: Any, heap: Any, count: Any, now: Any) -> Any:
    while count[at.FIRST] >= 0 and jobs[count[at.FIRST]].need <= count[at.IDLE]:
        slot = count[at.FIRST]
        unlink(jobs, count, slot)
        _begin(jobs, by_end, heap, count, now, slot)
    if count[at.FIRST] >= 0:
        _reserve(jobs, by_end, reservation, count, now)
        slot = jobs[count[at.FIRST]].next
        while slot >= 0 and count[at.IDLE] > 0:
            after = jobs[slot].next
            _overtake(jobs, by_end, reservation, heap, count, now, slot)
            slot = after


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, estimate: Any, last: Any, by_end: Any, reservation: Any,
    jobs: Any, heap: Any, count: Any, time: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = 0
    while True:
        if i == len(arrival) and (not last or count[at.RUNNING] == 0):
            return at.FINISHED
        until = arrival[i] if i < len(arrival) else np.inf
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            pass_time(count, time, jobs[slot].finish)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            place = 0
            while by_end[place] != slot:
                place += 1
            for j in range(place, count[at.RUNNING]):
                by_end[j] = by_end[j + 1]
            leave(jobs, count, out_real, out_whole, slot)
            everyone = True
        else:
            pass_time(count, time, until)
            slot = enter(jobs, count, arrival[i], job_class[i], need[i], duration[i], 0)
            jobs[slot].estimate = estimate[i]
            if estimate[i] < duration[i]:
                count[at.BLOCKED] = 1
            i += 1
            before = count[at.LAST]
            append(jobs, count, slot)
            everyone = before < 0 or count[at.BLOCKED] == 1
        if everyone:
            _look_at_everyone(jobs, by_end, reservation, heap, count, time[at.NOW])
        else:
            _overtake(jobs, by_end, reservation, heap, count, time[at.NOW], slot)
