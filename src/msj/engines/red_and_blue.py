"""Red and blue M/G/k: only jobs of one colour are in service at a time (wcfs, section 2.2), preemptive.

Jobs are counted in order of arrival until k of one colour are found; those are served. If there are fewer of both, all
of the more numerous colour are, red where there are as many of each. The jobs counted at one event are still counted at
the next, but for the one that has left, so those in service are always among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

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
    start,
    stop,
    unlink,
)
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock


class RedAndBlueEngine(EventEngine):
    """One colour at a time; ``blue`` says for each class whether it is blue. Every job needs one server."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", blue="i8")

    def __init__(self, cluster: Cluster, *, blue: Sequence[bool]) -> None:
        super().__init__(cluster)
        self.blue = np.array(blue, dtype=np.int64)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(self.servers, self.blue, arriving, self.present_jobs, self.finished))


@helper
def _decide(servers: Any, present: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    red, blue = 0, 0
    slot = state.first
    while slot >= 0 and max(red, blue) < servers:
        if jobs[slot].blue:
            blue += 1
        else:
            red += 1
        slot = jobs[slot].next
    colour = 1 if blue > red else 0
    beyond = slot  # the first job not counted
    slot = state.first
    while slot != beyond:  # stop the others first, so that servers are free
        if jobs[slot].blue != colour and jobs[slot].finish < np.inf:
            stop(present, slot)
        slot = jobs[slot].next
    slot = state.first
    while slot != beyond:
        if jobs[slot].blue == colour and jobs[slot].finish == np.inf:
            start(present, slot)
        slot = jobs[slot].next


@kernel
def _run(servers: Any, blue: Any, arriving: Any, present: Any, finished: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            slot = complete(present)
            unlink(present, slot)
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            jobs[slot].blue = blue[jobs[slot].job_class]
            append(present, slot)
        _decide(servers, present)
