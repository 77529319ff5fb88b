"""What the compiled and the plain loop share: what happens next, what a rule's function is shown, how it is obeyed."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.decision_functions.compiled import AGES, ARRIVALS, CHOSEN, CLASSES, ESTIMATES, NEEDS, REMAINING, RUNNING
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
def show(present: Any, options: Any, shown: Any) -> Any:
    """Write down what the function is to see; return how many jobs it sees."""
    jobs, state, front = present.jobs, present.state[0], options.front
    whole, flags, reals = shown.whole, shown.flags, shown.reals
    count, waiting, serving = 0, 0, 0
    slot = state.first
    while slot >= 0 and (front < 0 or waiting < front or serving < state.running):
        served = jobs[slot].finish < np.inf
        if served or front < 0 or waiting < front:
            shown.slots[count], whole[NEEDS, count], flags[RUNNING, count] = slot, jobs[slot].need, served
            flags[CHOSEN, count] = False
            if options.believed:  # by way of the believed end, so that ends that coincide still do after rounding
                begun = jobs[slot].start if served else state.now
                reals[REMAINING, count] = max((begun + jobs[slot].estimate) - state.now, 0.0)
            else:
                reals[REMAINING, count] = jobs[slot].finish - state.now if served else jobs[slot].remaining
            if options.details:
                whole[CLASSES, count] = jobs[slot].job_class
                told = jobs[slot].estimate != UNKNOWN
                reals[ESTIMATES, count] = jobs[slot].estimate if told else jobs[slot].duration
                reals[AGES, count] = state.now - jobs[slot].arrival
                reals[ARRIVALS, count] = jobs[slot].arrival
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
    changes, flags = 0, shown.flags
    for i in range(count):
        changes += flags[RUNNING, i] != flags[CHOSEN, i]
        if flags[RUNNING, i] and not flags[CHOSEN, i]:
            if not preemptive:
                return STOPPED_A_JOB, changes
            stop(present, shown.slots[i])
    for i in range(count):
        if flags[CHOSEN, i] and not flags[RUNNING, i]:
            if present.jobs[shown.slots[i]].need > present.state[0].idle:
                return TOO_MANY_SERVERS, changes
            start(present, shown.slots[i])
    return FINISHED, changes
