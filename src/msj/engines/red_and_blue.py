"""Red and blue M/G/k: only jobs of one colour are in service at a time (wcfs, section 2.2), preemptive.

Jobs are counted in order of arrival until k of one colour are found; those are served. If there are fewer of both, all
of the more numerous colour are, red where there are as many of each. The jobs counted at one event are still counted at
the next, but for the one that has left, so those in service are always among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, append, enter, leave, pass_time, start, stop, unlink
from msj.engines.heap import remove
from msj.workloads import JobBlock


class RedAndBlueKernel(EventKernel):
    """One colour at a time; ``blue`` says for each class whether it is blue."""

    def __init__(self, *, servers: int, blue: NDArray[np.bool_]) -> None:
        super().__init__(servers=servers, name="red-and-blue")
        self.blue = blue.astype(np.int64)

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        return int(
            _run(
                block.arrival, block.job_class, block.duration, last, self.servers, self.blue, self.jobs, self.heap,
                self.count, self.time, out_real, out_whole,
            )
        )  # fmt: skip


@helper
def _decide(servers: Any, jobs: Any, heap: Any, count: Any, now: Any) -> Any:
    red, blue = 0, 0
    slot = count[at.FIRST]
    while slot >= 0 and max(red, blue) < servers:
        if jobs[slot].group == 1:
            blue += 1
        else:
            red += 1
        slot = jobs[slot].next
    colour = 1 if blue > red else 0
    beyond = slot  # the first job not counted
    slot = count[at.FIRST]
    while slot != beyond:  # stop the others first, so that servers are free
        if jobs[slot].group != colour and jobs[slot].finish < np.inf:
            stop(jobs, heap, count, now, slot)
        slot = jobs[slot].next
    slot = count[at.FIRST]
    while slot != beyond:
        if jobs[slot].group == colour and jobs[slot].finish == np.inf:
            start(jobs, heap, count, now, slot)
        slot = jobs[slot].next


@kernel
def _run(
    arrival: Any, job_class: Any, duration: Any, last: Any, servers: Any, blue: Any, jobs: Any, heap: Any, count: Any,
    time: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = 0
    while True:
        if i == len(arrival) and (not last or count[at.PRESENT] == 0):
            return at.FINISHED
        until = arrival[i] if i < len(arrival) else np.inf
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            pass_time(count, time, jobs[slot].finish)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += 1
            unlink(jobs, count, slot)
            leave(jobs, count, out_real, out_whole, slot)
        else:
            pass_time(count, time, until)
            slot = enter(jobs, count, until, job_class[i], 1, duration[i], blue[job_class[i]])
            append(jobs, count, slot)
            i += 1
        _decide(servers, jobs, heap, count, time[at.NOW])
