"""Jobs that do not fit when they come are lost.

A lost job comes out with its finish at its arrival and a start that never comes, one duration later.
"""

from __future__ import annotations

from typing import Any

from msj.engines.compiling import kernel
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time, start
from msj.engines.state import FINISHED, Arriving
from msj.workloads.job_block import JobBlock


class LossEngine(EventEngine):
    """Serves those that fit at once."""

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(arriving, self.present_jobs, self.finished))


@kernel
def _run(arriving: Any, present: Any, finished: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            leave(present, finished, complete(present))
            continue
        pass_time(state, until)
        slot = enter(present, arriving)
        if jobs[slot].need <= state.idle:
            start(present, slot)
        else:
            jobs[slot].start, jobs[slot].finish = state.now + jobs[slot].duration, state.now
            leave(present, finished, slot)
