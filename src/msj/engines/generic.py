"""Any rule, from its plain function: the event loop that all policies could use and the twin of the fast engines.

The function is shown the jobs running and the ``front`` oldest waiting ones (all of them where the rule has no such
limit), in order of arrival, and marks those to serve. It is passed as a first-class function of fixed type, so this
loop is compiled once and cached; a user's function costs a fraction of a second.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numba import boolean, float64, int64, njit, typeof, types
from numpy.typing import NDArray

from msj.engines.cluster import Cluster
from msj.engines.compiling import OPTIONS, helper
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
from msj.engines.state import (
    FINISHED,
    STATE,
    STOPPED_A_JOB,
    TOO_MANY_SERVERS,
    Arriving,
    Finished,
    Present,
    job_row,
)
from msj.errors import InvalidInput
from msj.workloads.job_block import JobBlock

SERVE = types.FunctionType(types.void(int64[::1], boolean[::1], float64[::1], int64, boolean[::1]))
UNKNOWN = -1.0  # the estimate of a job of which none was given


class PlainRule(Protocol):
    """What is known here of a rule."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def preemptive(self) -> bool:
        """Whether it may stop running jobs."""

    @property
    def uses_estimates(self) -> bool:
        """Whether it sees estimates of how long jobs will take; then it has ``estimated`` too."""

    def front_on(self, servers: int) -> int | None:
        """Return how many of the oldest waiting jobs it must see; None for all."""

    def compiled(self, signature: Any) -> Any:
        """Return its function, compiled."""


class Options(NamedTuple):
    """How far the rule looks (-1: at everyone), and whether it may stop running jobs."""

    servers: int
    front: int
    preemptive: bool


class Shown(NamedTuple):
    """What the function is shown, its answer, and which jobs these are."""

    slots: Any
    needs: Any
    running: Any
    remaining: Any
    chosen: Any


class GenericEngine(EventEngine):
    """Runs a rule's plain function at every event."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", estimate="f8")

    def __init__(self, cluster: Cluster, *, rule: PlainRule) -> None:
        super().__init__(cluster)
        self.plain_rule = rule
        front = rule.front_on(cluster.servers)
        self.options = Options(cluster.servers, -1 if front is None else front, bool(rule.preemptive))
        self._serve = compiled(rule)  # a function that cannot be compiled is refused before anything runs

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_serve": None}  # compiled code does not travel

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        most, front = len(self.present_jobs.jobs), self.options.front
        shown = _room(most if front < 0 else min(front + self.servers + 1, most))
        if self._serve is None:
            self._serve = compiled(self.plain_rule)
        estimates = self._estimates(block)
        return int(_loop()(self._serve, self.options, arriving, estimates, self.present_jobs, shown, self.finished))

    def _estimates(self, block: JobBlock) -> NDArray[np.float64]:
        if not self.plain_rule.uses_estimates:
            return np.empty(0)
        rule: Any = self.plain_rule
        return np.ascontiguousarray(rule.estimated(block.estimates))


def compiled(rule: PlainRule) -> Any:
    """Compile a rule's function with the values it uses now; say in words why it cannot be."""
    try:
        return rule.compiled(SERVE.signature)
    except Exception as error:
        reason = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
        name = getattr(getattr(rule, "serve", None), "__name__", rule.name)
        raise InvalidInput(
            f"policy function '{name}' cannot be compiled ({reason}); write it as "
            "serve(needs, running, remaining, servers, chosen) with loops over these arrays"
        ) from None


def _room(jobs: int) -> Shown:
    whole, flags = np.empty((2, jobs), dtype=np.int64), np.empty((2, jobs), dtype=np.bool_)
    return Shown(whole[0], whole[1], flags[0], np.empty(jobs), flags[1])


@helper
def _show(present: Any, front: Any, shown: Any) -> Any:
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
def _obey(present: Any, preemptive: Any, shown: Any, count: Any) -> Any:
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


@cache
def _loop() -> Any:
    # Compiled (or read from the cache) when first used, not when imported.
    times, numbers = np.empty(0), np.empty(0, dtype=np.int64)
    groups = (
        Options(1, 1, True),
        Arriving(times, numbers, numbers, times, True),
        times,
        Present(np.empty(0, dtype=GenericEngine.row), numbers, np.zeros(1, dtype=STATE)),
        _room(1),
        Finished.room_for(1),
    )
    return njit(int64(SERVE, *map(typeof, groups)), **OPTIONS)(_run)


def _run(serve: Any, options: Any, arriving: Any, estimates: Any, present: Any, shown: Any, finished: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    while True:
        until = next_arrival(arriving, state)
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
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
        # Jobs that start uncover others behind them: with a limited front the policy is asked until nothing changes.
        # A policy that never settles is left after as many rounds as there are jobs.
        for _ in range(state.present + 1):
            n = _show(present, options.front, shown)
            serve(shown.needs[:n], shown.running[:n], shown.remaining[:n], options.servers, shown.chosen[:n])
            status, changes = _obey(present, options.preemptive, shown, n)
            if status:
                return status
            if options.front < 0 or changes == 0:
                break
