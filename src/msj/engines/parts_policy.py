"""Overheads under a policy that may stop jobs, from its plain function (reset, Appendix H.6).

A job waits, runs, saves or loads. At every event the function is shown the jobs in order of arrival, those that run or
load as running; jobs that may not be stopped are left out while they run, with their servers. A job that runs and is
not chosen saves (it holds its servers until that is through), one that loads is put aside at once and owes all of it
again. Those chosen start in order of arrival as far as servers are free; one that was put aside loads first.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import int64, njit, typeof

from msj.decision_functions.compiled import AGES, ARRIVALS, CHOSEN, CLASSES, ESTIMATES, NEEDS, REMAINING
from msj.decision_functions.compiled import RUNNING as IN_SERVICE
from msj.engines.compiling import OPTIONS, helper
from msj.engines.event import append, enter, leave, next_arrival, next_completion, unlink
from msj.engines.generic import SERVE
from msj.engines.heap import push, remove
from msj.engines.law_draws import draw
from msj.engines.parts_environment import move_on, speed_now, up_now
from msj.engines.parts_segments import pass_time
from msj.engines.parts_state import BROKEN, BUSY, IDLE, PAYING
from msj.engines.state import FINISHED, MORE_DRAWS, TOO_MANY_SERVERS

WAITING, RUNNING, SAVING, LOADING = range(4)


class Model(NamedTuple):
    """Classes, laws, what happens around, and how far the function looks (-1: at everyone)."""

    classes: Any
    rules: Any
    environment: Any
    front: int


@helper
def _speed(servers: Any) -> Any:
    return servers.groups[0].speed * servers.whole[0].speed


@helper
def _time(servers: Any, job: Any, now: Any) -> Any:
    speed = _speed(servers)
    job.finish = now + job.remaining / speed if speed > 0.0 else np.inf


@helper
def _progress(servers: Any, job: Any, now: Any) -> Any:
    if job.doing == RUNNING and _speed(servers) > 0.0:
        job.remaining = (job.finish - now) * _speed(servers)


@helper
def _let_go(model: Any, servers: Any, job: Any) -> Any:
    """Put a job aside that is in the heap no longer; it frees its servers."""
    whole, counts = servers.whole[0], servers.counts
    counts[BUSY if job.doing == RUNNING else PAYING] -= job.need
    counts[IDLE] += job.need
    whole.serving -= job.doing != SAVING
    job.preemptions += job.doing != SAVING
    job.doing = WAITING
    job.finish = np.inf
    job.owes = model.rules.transfer >= 0 and model.classes[job.job_class].pays


@helper
def _take_back(servers: Any, job: Any) -> Any:
    """Let a job that was started in this very moment be what it was before; it is in the heap no longer."""
    servers.counts[BUSY if job.doing == RUNNING else PAYING] -= job.need
    servers.counts[IDLE] += job.need
    servers.whole[0].serving -= 1
    job.doing = WAITING
    job.finish = np.inf
    if job.start == job.began:
        job.start = -1.0


@helper
def _stop(model: Any, draws: Any, present: Any, servers: Any, slot: Any) -> Any:
    """Stop a job that is not chosen: it saves first, or not."""
    job, now = present.jobs[slot], present.state[0].now
    _progress(servers, job, now)
    remove(present, slot)
    if job.began == now:
        _take_back(servers, job)
        return
    if job.doing == LOADING or model.rules.snapshot < 0 or not model.classes[job.job_class].pays:
        _let_go(model, servers, job)
        return
    servers.counts[BUSY] -= job.need
    servers.counts[PAYING] += job.need
    servers.whole[0].serving -= 1
    job.preemptions += 1
    job.doing = SAVING
    job.finish = now + draw(draws, model.rules.snapshot)
    push(present, slot)


@helper
def _start(model: Any, draws: Any, present: Any, servers: Any, slot: Any) -> Any:
    job, now = present.jobs[slot], present.state[0].now
    job.began = now
    if job.start < 0.0:
        job.start = now
    servers.whole[0].serving += 1
    servers.counts[IDLE] -= job.need
    servers.counts[PAYING if job.owes else BUSY] += job.need
    if job.owes:
        job.doing = LOADING
        job.finish = now + draw(draws, model.rules.transfer)
    else:
        job.doing = RUNNING
        _time(servers, job, now)
    push(present, slot)


@helper
def _end(model: Any, present: Any, servers: Any, finished: Any, slot: Any) -> Any:
    """Let a job end what it does: its service, its saving or its loading."""
    job, counts = present.jobs[slot], servers.counts
    remove(present, slot)
    if job.doing == SAVING:
        _let_go(model, servers, job)
    elif job.doing == LOADING:
        counts[PAYING] -= job.need
        counts[BUSY] += job.need
        job.doing, job.owes = RUNNING, 0
        _time(servers, job, present.state[0].now)
        push(present, slot)
    else:
        counts[BUSY] -= job.need
        counts[IDLE] += job.need
        servers.whole[0].serving -= 1
        unlink(present, slot)
        leave(present, finished, slot)


@helper
def _change(model: Any, draws: Any, present: Any, servers: Any) -> Any:
    """Let the environment change: all work is timed anew; if servers go, everybody stops."""
    state, whole, group = present.state[0], servers.whole[0], servers.groups[0]
    move_on(model.rules, draws, model.environment, whole, state.now)
    size, up = state.running, up_now(model.environment, servers, 0)
    for i in range(size):
        _progress(servers, present.jobs[present.heap[i]], state.now)
    whole.speed = speed_now(model.environment)
    state.running = 0
    for i in range(size):
        slot = present.heap[i]
        job = present.jobs[slot]
        if up < group.up:
            _let_go(model, servers, job)
        else:
            if job.doing == RUNNING:
                _time(servers, job, state.now)
            push(present, slot)
    servers.counts[IDLE] += up - group.up
    servers.counts[BROKEN] += group.up - up
    group.up = group.on = up


@helper
def _show(model: Any, present: Any, servers: Any, shown: Any) -> Any:
    """Write down what the function is to see; return how many jobs, and how many servers."""
    jobs, state, front = present.jobs, present.state[0], model.front
    whole, flags, reals = shown.whole, shown.flags, shown.reals
    count, waiting, serving, left = 0, 0, 0, servers.groups[0].up
    slot = state.first
    while slot >= 0 and (front < 0 or waiting < front or serving < servers.whole[0].serving):
        job = jobs[slot]
        served = job.doing == RUNNING or job.doing == LOADING
        stays = served and not model.classes[job.job_class].preemptible
        if stays:
            left -= job.need
        elif served or front < 0 or waiting < front:
            shown.slots[count], whole[NEEDS, count], whole[CLASSES, count] = slot, job.need, job.job_class
            flags[IN_SERVICE, count], flags[CHOSEN, count] = served, False
            reals[REMAINING, count], reals[ESTIMATES, count] = job.remaining, job.duration
            reals[AGES, count], reals[ARRIVALS, count] = state.now - job.arrival, job.arrival
            if job.doing == RUNNING and _speed(servers) > 0.0:
                reals[REMAINING, count] = (job.finish - state.now) * _speed(servers)
            count += 1
        if served:
            serving += 1
        else:
            waiting += 1
        slot = job.next
    return count, left


@helper
def _obey(model: Any, draws: Any, present: Any, servers: Any, shown: Any, count: Any, left: Any) -> Any:
    """Stop and start jobs as the function wants; return what is wrong with that, and whether to ask once more.

    Jobs that start uncover others behind them, and those that may not be stopped are left out from now on.
    """
    changes, stays = 0, False
    needs, flags = shown.whole[NEEDS], shown.flags
    for i in range(count):
        if flags[CHOSEN, i]:
            left -= needs[i]
        elif flags[IN_SERVICE, i]:
            _stop(model, draws, present, servers, shown.slots[i])
            changes += 1
    if left < 0:
        return TOO_MANY_SERVERS, False
    for i in range(count):
        waits = flags[CHOSEN, i] and present.jobs[shown.slots[i]].doing == WAITING
        if waits and needs[i] <= servers.counts[IDLE]:
            _start(model, draws, present, servers, shown.slots[i])
            changes += 1
            stays = stays or not model.classes[present.jobs[shown.slots[i]].job_class].preemptible
    return FINISHED, stays or (model.front >= 0 and changes > 0)


class Loop:
    """The loop, compiled when first used: the types of its arguments are those of every model."""

    compiled: ClassVar[Any] = None

    @classmethod
    def run(cls, serve: Any, *given: Any) -> int:
        """Handle events up to the last arrival, or all of them; return what stopped it."""
        if cls.compiled is None:
            cls.compiled = njit(int64(SERVE, *map(typeof, given)), **OPTIONS)(_run)
        return int(cls.compiled(serve, *given))


def _run(
    serve: Any, arriving: Any, model: Any, draws: Any, present: Any, servers: Any, shown: Any, finished: Any, rng: Any
) -> Any:
    jobs, state, whole = present.jobs, present.state[0], servers.whole[0]
    while True:
        if draws.short[0]:
            return MORE_DRAWS
        if whole.asking > 0:
            n, left = _show(model, present, servers, shown)
            serve(shown.whole, shown.flags, shown.reals, n, left, servers.counts[IDLE], state.now, rng)
            status, again = _obey(model, draws, present, servers, shown, n, left)
            if status:
                return status
            whole.asking = whole.asking - 1 if again else 0
            continue
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        until, ends = next_arrival(arriving, state), next_completion(present)
        now = min(min(until, ends), whole.next_change)
        if now == np.inf:  # nothing will ever happen again
            return FINISHED
        pass_time(state, servers, state.present > state.running, now)
        if ends <= now:
            _end(model, present, servers, finished, present.heap[0])
        elif whole.next_change <= now:
            _change(model, draws, present, servers)
        else:
            slot = enter(present, arriving)
            jobs[slot].doing, jobs[slot].owes = WAITING, 0
            append(present, slot)
        # A function that never settles is left after so many rounds.
        whole.asking = state.present + 1 if servers.groups[0].up > 0 else 0
