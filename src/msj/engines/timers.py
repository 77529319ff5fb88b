"""Randomised timers: jobs start when the clock of their need ticks.

All clocks are exponential, so at every event the time to the next tick can be drawn anew; ticks of queues whose oldest
job does not fit, which do nothing, are left out (thinning). One uniform gives the time, another says whose clock it is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.randomized_timers import RandomizedTimers
from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, enter, leave, pass_time, start
from msj.engines.heap import remove
from msj.workloads import JobBlock, Streams

DRAWS = 4096


class TimersKernel(EventKernel):
    """Randomised timers; ``needs`` lists every need that can occur."""

    def __init__(self, *, servers: int, policy: RandomizedTimers, needs: NDArray[np.int64], streams: Streams) -> None:
        super().__init__(servers=servers, name=policy.name)
        self.policy = policy
        self.needs = np.unique(needs)
        self.group_of = np.zeros(servers + 1, dtype=np.int64)
        self.group_of[self.needs] = np.arange(len(self.needs))
        self.queues = np.full((3, len(self.needs)), -1, dtype=np.int64)  # first, last, length
        self.queues[2] = 0
        self.speeds = np.zeros(len(self.needs))  # of the clocks
        self.random = streams.generator("policy")
        self.draws = self.random.random(DRAWS)
        self.used = np.zeros(1, dtype=np.int64)

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        self.count[at.STATE] = 0
        while True:
            status = _run(
                block.arrival, block.job_class, block.need, block.duration, last, float(self.policy.clock),
                1.0 - float(self.policy.b), self.needs, self.group_of, self.queues, self.speeds, self.draws, self.used,
                self.jobs, self.heap, self.count, self.time, out_real, out_whole,
            )  # fmt: skip
            if status != at.MORE_RANDOM_NUMBERS:
                return int(status)
            kept = self.draws[self.used[0] :]
            self.draws = np.concatenate([kept, self.random.random(DRAWS - len(kept))])
            self.used[0] = 0


@helper
def _tick(needs: Any, queues: Any, speeds: Any, jobs: Any, heap: Any, count: Any, now: Any, drawn: Any) -> Any:
    # Start the oldest job of the queue whose clock it is; the last that can is taken where rounding leaves some over.
    chosen = -1
    for g in range(len(needs)):
        if queues[2, g] > 0 and needs[g] <= count[at.IDLE]:
            chosen = g
            drawn -= speeds[g]
            if drawn < 0.0:
                break
    slot = queues[0, chosen]
    queues[0, chosen] = jobs[slot].next
    if queues[0, chosen] < 0:
        queues[1, chosen] = -1
    queues[2, chosen] -= 1
    start(jobs, heap, count, now, slot)


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, last: Any, clock: Any, power: Any, needs: Any,
    group_of: Any, queues: Any, speeds: Any, draws: Any, used: Any, jobs: Any, heap: Any, count: Any, time: Any,
    out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = count[at.STATE]
    while True:
        if i == len(arrival) and (not last or count[at.PRESENT] == 0):
            return at.FINISHED
        if used[0] + 2 > len(draws):
            count[at.STATE] = i
            return at.MORE_RANDOM_NUMBERS
        total = 0.0
        for g in range(len(needs)):
            if queues[2, g] > 0 and needs[g] <= count[at.IDLE]:
                speeds[g] = clock * math.exp(math.log1p(queues[2, g]) ** power)
                total += speeds[g]
        tick = np.inf
        if total > 0.0:
            tick = time[at.NOW] - math.log1p(-draws[used[0]]) / total
            used[0] += 1
        until = arrival[i] if i < len(arrival) else np.inf
        ends = jobs[heap[0]].finish if count[at.RUNNING] > 0 else np.inf
        if tick < min(until, ends):
            pass_time(count, time, tick)
            _tick(needs, queues, speeds, jobs, heap, count, tick, draws[used[0]] * total)
            used[0] += 1
        elif ends <= until:
            slot = heap[0]
            pass_time(count, time, ends)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            leave(jobs, count, out_real, out_whole, slot)
        else:
            pass_time(count, time, until)
            g = group_of[need[i]]
            slot = enter(jobs, count, arrival[i], job_class[i], need[i], duration[i], g)
            jobs[slot].next = -1
            if queues[1, g] < 0:
                queues[0, g] = slot
            else:
                jobs[queues[1, g]].next = slot
            queues[1, g] = slot
            queues[2, g] += 1
            i += 1
