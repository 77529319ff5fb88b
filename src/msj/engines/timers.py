"""Randomised timers: jobs start when the clock of their need ticks.

All clocks are exponential, so at every event the time to the next tick can be drawn anew; ticks of queues whose oldest
job does not fit, which do nothing, are left out (thinning). One uniform gives the time, another says whose clock it is.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time, start
from msj.engines.state import FINISHED, MORE_DRAWS, Arriving, job_row
from msj.workloads.job_block import JobBlock

#: The jobs of one need that wait, and the speed of their clock.
QUEUE = np.dtype([("need", "i8"), ("first", "i8"), ("last", "i8"), ("length", "i8"), ("speed", "f8")])


class Clocks(NamedTuple):
    """The queues, the queue of each need, and what the speed of a clock is made of."""

    queues: Any
    queue_of: Any
    rate: float
    power: float


class TimersEngine(EventEngine):
    """Clocks of rate ``clock`` × exp(ln(1 + Q)^(1 − b)), Q the length of the queue."""

    row: ClassVar[np.dtype[Any]] = job_row()

    def __init__(self, cluster: Cluster, *, clock: float, b: float) -> None:
        super().__init__(cluster, draws="random")
        needs = np.unique(cluster.needs)
        queues = np.zeros(len(needs), dtype=QUEUE)
        queues["need"], queues["first"], queues["last"] = needs, -1, -1
        queue_of = np.zeros(cluster.servers + 1, dtype=np.int64)
        queue_of[needs] = np.arange(len(needs))
        self.clocks = Clocks(queues, queue_of, clock, 1.0 - b)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(arriving, self.present_jobs, self.clocks, self.draws, self.finished))


@helper
def _speeds(clocks: Any, idle: Any) -> Any:
    """Set the speeds of the clocks that may tick; return their sum."""
    queues, total = clocks.queues, 0.0
    for g in range(len(queues)):
        if queues[g].length > 0 and queues[g].need <= idle:
            queues[g].speed = clocks.rate * math.exp(math.log1p(queues[g].length) ** clocks.power)
            total += queues[g].speed
    return total


@helper
def _tick(present: Any, queues: Any, drawn: Any) -> Any:
    # Start the oldest job of the queue whose clock it is; the last that can is taken where rounding leaves some over.
    chosen = -1
    for g in range(len(queues)):
        if queues[g].length > 0 and queues[g].need <= present.state[0].idle:
            chosen = g
            drawn -= queues[g].speed
            if drawn < 0.0:
                break
    slot = queues[chosen].first
    queues[chosen].first = present.jobs[slot].next
    if queues[chosen].first < 0:
        queues[chosen].last = -1
    queues[chosen].length -= 1
    start(present, slot)


@helper
def _join(jobs: Any, queues: Any, g: Any, slot: Any) -> Any:
    jobs[slot].next = -1
    if queues[g].last < 0:
        queues[g].first = slot
    else:
        jobs[queues[g].last].next = slot
    queues[g].last = slot
    queues[g].length += 1


@kernel
def _run(arriving: Any, present: Any, clocks: Any, draws: Any, finished: Any) -> Any:
    jobs, state, used = present.jobs, present.state[0], draws.used
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        if used[0] + 2 > len(draws.values):
            return MORE_DRAWS
        total = _speeds(clocks, state.idle)
        tick = np.inf
        if total > 0.0:
            tick = state.now - math.log1p(-draws.values[used[0]]) / total
            used[0] += 1
        until, ends = next_arrival(arriving, state), next_completion(present)
        if tick < min(until, ends):
            pass_time(state, tick)
            _tick(present, clocks.queues, draws.values[used[0]] * total)
            used[0] += 1
        elif ends <= until:
            leave(present, finished, complete(present))
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            _join(jobs, clocks.queues, clocks.queue_of[jobs[slot].need], slot)
