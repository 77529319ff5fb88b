"""What the compiled and the plain loop share: what happens next, what a rule's function is shown, how it is obeyed."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines.compiling import helper
from msj.engines.event import (
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
from msj.engines.state import FINISHED, STOPPED_A_JOB, TOO_MANY_SERVERS

UNKNOWN = -1.0  # the estimate of a job of which none was given


@helper
def come_or_go(arriving: Any, estimates: Any, present: Any, finished: Any) -> Any:
    """Let the next job come or go; return whether there was one."""
    jobs, state = present.jobs, present.state[0]
    until = next_arrival(arriving, state)
    if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
        return False
    if next_completion(present) <= until:
        slot = complete(present)
        unlink(present, slot)
        leave(present, finished, slot)
    else:
        pass_time(state, until)
        estimate = estimates[state.taken] if len(estimates) else UNKNOWN
        slot = enter(present, arriving)
        jobs[slot].estimate = estimate
        append(present, slot)
    return True


@helper
def show(present: Any, front: Any, shown: Any) -> Any:
    """Write down what the function is to see; return how many jobs it sees."""
    jobs, state = present.jobs, present.state[0]
    count, waiting, serving = 0, 0, 0
    slot = state.first
    while slot >= 0 and (front < 0 or waiting < front or serving < state.running):
        served = jobs[slot].finish < np.inf
        if served or front < 0 or waiting < front:
            shown.slots[count], shown.needs[count], shown.running[count] = slot, jobs[slot].need, served
            if jobs[slot].estimate == UNKNOWN:
                shown.remaining[count] = jobs[slot].finish - state.now if served else jobs[slot].remaining
            else:  # by way of the believed end, so that ends that coincide still do after rounding
                begun = jobs[slot].start if served else state.now
                shown.remaining[count] = max((begun + jobs[slot].estimate) - state.now, 0.0)
            shown.chosen[count] = False
            count += 1
        if served:
            serving += 1
        else:
            waiting += 1
        slot = jobs[slot].next
    return count


@helper
def obey(present: Any, preemptive: Any, shown: Any, count: Any) -> Any:
    """Stop and start jobs as the function wants; return what is wrong with that, and how many these were."""
    changes = 0
    for i in range(count):
        changes += shown.running[i] != shown.chosen[i]
        if shown.running[i] and not shown.chosen[i]:
            if not preemptive:
                return STOPPED_A_JOB, changes
            stop(present, shown.slots[i])
    for i in range(count):
        if shown.chosen[i] and not shown.running[i]:
            if present.jobs[shown.slots[i]].need > present.state[0].idle:
                return TOO_MANY_SERVERS, changes
            start(present, shown.slots[i])
    return FINISHED, changes
