"""The loop of models that combine, first come first served: one event after the other, then everything settles."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines.compiling import kernel
from msj.engines.event import enter, next_arrival, next_completion
from msj.engines.parts_environment import change
from msj.engines.parts_segments import arrive, end, load, pass_time, start_line
from msj.engines.parts_state import BETWEEN, UNSTARTED
from msj.engines.parts_switching import settle_servers, switch
from msj.engines.state import FINISHED, MORE_DRAWS


@kernel
def run_in_order(
    arriving: Any,
    graph: Any,
    rules: Any,
    environment: Any,
    draws: Any,
    present: Any,
    tasks: Any,
    servers: Any,
    work: Any,
    finished: Any,
) -> Any:
    """Handle events up to the last arrival, or all of them; return what stopped it."""
    state, whole = present.state[0], servers.whole[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        if draws.short[0]:
            return MORE_DRAWS
        until, ends = next_arrival(arriving, state), next_completion(work)
        now = min(min(until, ends), min(whole.next_switch, whole.next_change))
        if now == np.inf:  # nothing will ever happen again
            return FINISHED
        waits = tasks.lines[BETWEEN].first >= 0 or tasks.lines[UNSTARTED].first >= 0
        pass_time(state, servers, waits, now)
        if ends <= now:
            task = work.heap[0]
            if tasks.rows[task].loading:
                load(tasks, servers, work, task, now)
            else:
                end(graph, rules, draws, present, tasks, servers, work, finished, task)
        elif whole.next_switch <= now:
            switch(servers, now)
        elif whole.next_change <= now:
            change(graph, rules, draws, environment, present, tasks, servers, work)
        else:
            slot = enter(present, arriving)
            arrive(graph, rules, draws, present, tasks, whole, slot)
        for which in range(2):  # those who have not started only when nobody waits in between
            if which == BETWEEN or tasks.lines[BETWEEN].first < 0:
                start_line(which, graph, rules, draws, present, tasks, servers, work)
        if rules.set_up >= 0:
            settle_servers(graph, rules, draws, tasks, servers, now)
