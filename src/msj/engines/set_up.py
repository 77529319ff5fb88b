"""FCFS on servers that are off unless wanted and take an exponential time to come on (reset, Appendix H.5).

*Wanted* are the servers of the running jobs and of those next in line as long as they would fit on all servers. Others
are off; the wanted ones that are not on are in set-up, all at once or (staggered) one after the other. Set-up times
are exponential, so at every event the time to the next end of a set-up can be drawn anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, append, complete, enter, leave, next_arrival, next_completion, start
from msj.engines.server_areas import declared_areas
from msj.engines.state import FINISHED, MORE_DRAWS, Arriving, job_row
from msj.workloads.job_block import JobBlock

#: Servers on and servers wanted; server-time spent busy, idle, in set-up and off.
STATES = ("busy", "idle", "set_up", "off")
POWER = np.dtype([("on", "i8"), ("wanted", "i8"), *((state, "f8") for state in STATES)])


class Rule(NamedTuple):
    """How servers come on."""

    servers: int
    rate: float
    staggered: bool


class SetUpEngine(EventEngine):
    """FCFS with set-up; ``power`` and ``cost`` are those of one server by state: busy, idle, set_up, off."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8")

    def __init__(
        self,
        cluster: Cluster,
        *,
        set_up_rate: float,
        staggered: bool,
        power: Mapping[str, float] | None = None,
        cost: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(cluster, draws="standard_exponential")
        self.rule = Rule(cluster.servers, set_up_rate, staggered)
        self.spent = np.zeros(1, dtype=POWER)
        self.tables = {"power": power, "cost": cost}

    @property
    def areas(self) -> dict[str, float]:
        spent = self.spent[0]
        return declared_areas({state: float(spent[state]) for state in STATES}, **self.tables)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(self.rule, arriving, self.present_jobs, self.spent, self.draws, self.finished))


@helper
def _coming(rule: Any, power: Any) -> Any:
    """Return how many servers are in set-up."""
    missing = power.wanted - power.on
    return min(missing, 1) if rule.staggered else missing


@helper
def _pass(rule: Any, power: Any, state: Any, now: Any) -> Any:
    passed = now - state.now
    busy, coming = rule.servers - state.idle, _coming(rule, power)
    power.busy += passed * busy
    power.idle += passed * (power.on - busy)
    power.set_up += passed * coming
    power.off += passed * (rule.servers - power.on - coming)
    if state.present > state.running:
        state.wasted_area += passed * state.idle
    state.now = now


@helper
def _decide(rule: Any, present: Any, power: Any) -> Any:
    # The line holds waiting jobs only.
    jobs, state = present.jobs, present.state[0]
    wanted = rule.servers - state.idle
    slot = state.first
    while slot >= 0 and wanted + jobs[slot].need <= rule.servers:
        wanted += jobs[slot].need
        slot = jobs[slot].next
    power.wanted = wanted
    power.on = min(power.on, wanted)
    while state.first >= 0:
        slot = state.first
        if jobs[slot].need > power.on - (rule.servers - state.idle):
            break
        state.first = jobs[slot].next
        if state.first < 0:
            state.last = -1
        start(present, slot)


@kernel
def _run(rule: Any, arriving: Any, present: Any, powers: Any, draws: Any, finished: Any) -> Any:
    state, power, used = present.state[0], powers[0], draws.used
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        if used[0] == len(draws.values):
            return MORE_DRAWS
        until, ends = next_arrival(arriving, state), next_completion(present)
        coming = _coming(rule, power)
        on = np.inf
        if coming > 0:
            on = state.now + draws.values[used[0]] / (rule.rate * coming)
            used[0] += 1
        if on < min(until, ends):
            _pass(rule, power, state, on)
            power.on += 1
        elif ends <= until:
            _pass(rule, power, state, ends)
            leave(present, finished, complete(present))
        else:
            _pass(rule, power, state, until)
            append(present, enter(present, arriving))
        _decide(rule, present, power)
