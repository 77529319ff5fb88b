"""FCFS on servers that are off unless wanted and take an exponential time to come on (reset, Appendix H.5).

*Wanted* are the servers of the running jobs and of those next in line as long as they would fit on all servers. Others
are off; the wanted ones that are not on are in set-up, all at once or (staggered) one after the other. Set-up times
are exponential, so at every event the time to the next end of a set-up can be drawn anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, append, enter, leave, start
from msj.engines.heap import remove
from msj.workloads import JobBlock, Streams

DRAWS = 4096
ON, WANTED, USED = range(3)


class SetUpKernel(EventKernel):
    """FCFS with set-up; ``states`` adds up the time servers spend busy, idle, in set-up and off."""

    def __init__(self, *, servers: int, set_up_rate: float, staggered: bool, streams: Streams) -> None:
        super().__init__(servers=servers, name="set-up")
        self.rate, self.staggered = set_up_rate, staggered
        self.power = np.zeros(3, dtype=np.int64)  # servers on, servers wanted, random numbers used
        self.states = np.zeros(4)
        self.random = streams.generator("policy")
        self.draws = self.random.standard_exponential(DRAWS)

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        self.count[at.STATE] = 0
        while True:
            status = _run(
                block.arrival, block.job_class, block.need, block.duration, last, self.servers, self.rate,
                self.staggered, self.power, self.states, self.draws, self.jobs, self.heap, self.count, self.time,
                out_real, out_whole,
            )  # fmt: skip
            if status != at.MORE_RANDOM_NUMBERS:
                return int(status)
            self.random.standard_exponential(out=self.draws)
            self.power[USED] = 0


@helper
def _pass(servers: Any, staggered: Any, power: Any, states: Any, count: Any, time: Any, now: Any) -> Any:
    passed = now - time[at.NOW]
    busy = servers - count[at.IDLE]
    coming = power[WANTED] - power[ON]
    if staggered:
        coming = min(coming, 1)
    states[0] += passed * busy
    states[1] += passed * (power[ON] - busy)
    states[2] += passed * coming
    states[3] += passed * (servers - power[ON] - coming)
    if count[at.PRESENT] > count[at.RUNNING]:
        time[at.AREA] += passed * count[at.IDLE]
    time[at.NOW] = now


@helper
def _decide(servers: Any, power: Any, jobs: Any, heap: Any, count: Any, now: Any) -> Any:
    # The line holds waiting jobs only: FIRST is its head.
    wanted = servers - count[at.IDLE]
    slot = count[at.FIRST]
    while slot >= 0 and wanted + jobs[slot].need <= servers:
        wanted += jobs[slot].need
        slot = jobs[slot].next
    power[WANTED] = wanted
    power[ON] = min(power[ON], wanted)
    while count[at.FIRST] >= 0:
        slot = count[at.FIRST]
        if jobs[slot].need > power[ON] - (servers - count[at.IDLE]):
            break
        count[at.FIRST] = jobs[slot].next
        if count[at.FIRST] < 0:
            count[at.LAST] = -1
        start(jobs, heap, count, now, slot)


@kernel
def _run(
    arrival: Any, job_class: Any, need: Any, duration: Any, last: Any, servers: Any, rate: Any, staggered: Any,
    power: Any, states: Any, draws: Any, jobs: Any, heap: Any, count: Any, time: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = count[at.STATE]
    while True:
        if i == len(arrival) and (not last or count[at.PRESENT] == 0):
            return at.FINISHED
        if power[USED] == len(draws):
            count[at.STATE] = i
            return at.MORE_RANDOM_NUMBERS
        until = arrival[i] if i < len(arrival) else np.inf
        ends = jobs[heap[0]].finish if count[at.RUNNING] > 0 else np.inf
        coming = power[WANTED] - power[ON]
        on = np.inf
        if coming > 0:
            on = time[at.NOW] + draws[power[USED]] / (rate * (1 if staggered else coming))
            power[USED] += 1
        if on < min(until, ends):
            _pass(servers, staggered, power, states, count, time, on)
            power[ON] += 1
        elif ends <= until:
            slot = heap[0]
            _pass(servers, staggered, power, states, count, time, ends)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            leave(jobs, count, out_real, out_whole, slot)
        else:
            _pass(servers, staggered, power, states, count, time, until)
            append(jobs, count, enter(jobs, count, until, job_class[i], need[i], duration[i], 0))
            i += 1
        _decide(servers, power, jobs, heap, count, time[at.NOW])
