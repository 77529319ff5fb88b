"""Any policy, from its plain function: the event loop that all policies could use and the twin of the fast kernels.

The function is shown the jobs running and the ``front`` oldest waiting ones (all of them where the policy has no
such limit), in order of arrival, and marks those to serve. It is passed as a first-class function of fixed type, so
this loop is compiled once and cached; a user's function costs a fraction of a second.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import boolean, float64, from_dtype, int64, njit, types

from msj.disciplines.base import Policy
from msj.disciplines.compiled_function import compiled_function
from msj.disciplines.run_time_estimates import RunTimeEstimates
from msj.engines import columns as at
from msj.engines.compiling import OPTIONS, helper
from msj.engines.event import EventKernel, append, enter, leave, pass_time, start, stop, unlink
from msj.engines.heap import remove
from msj.errors import InvalidInput
from msj.workloads import JobBlock

SERVE = types.FunctionType(types.void(int64[::1], boolean[::1], float64[::1], int64, boolean[::1]))
NO_ESTIMATES = np.empty(0)


class GenericKernel(EventKernel):
    """Runs a policy's plain function at every event."""

    def __init__(self, *, servers: int, policy: Policy) -> None:
        super().__init__(servers=servers, name=policy.name)
        self.policy = policy
        front = policy.front_on(servers)
        self.front = -1 if front is None else front
        self._serve = compiled(policy)  # a function that cannot be compiled is refused before anything runs

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_serve": None}  # compiled code does not travel

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        shown = len(self.jobs) if self.front < 0 else min(self.front + self.servers + 1, len(self.jobs))
        slots, needs = np.empty(shown, dtype=np.int64), np.empty(shown, dtype=np.int64)
        running, chosen, remaining = np.empty(shown, np.bool_), np.empty(shown, np.bool_), np.empty(shown)
        policy = self.policy
        if self._serve is None:
            self._serve = compiled(policy)
        estimate = policy.estimated(block.estimates) if isinstance(policy, RunTimeEstimates) else NO_ESTIMATES
        return int(
            _loop()(
                self._serve, block.arrival, block.job_class, block.need, block.duration, estimate, last,
                self.servers, self.front, self.policy.preemptive, self.jobs, self.heap, self.count, self.time,
                slots, needs, running, remaining, chosen, out_real, out_whole,
            )
        )  # fmt: skip


def compiled(policy: Policy) -> Any:
    """Compile a policy's function with the values it uses now; say in words why it cannot be."""
    try:
        return compiled_function(policy, SERVE.signature)
    except Exception as error:
        name = getattr(policy.serve, "__name__", repr(policy.serve))
        reason = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
        raise InvalidInput(
            f"policy function '{name}' cannot be compiled ({reason}); write it as "
            "serve(needs, running, remaining, servers, chosen) with loops over these arrays"
        ) from None


@helper
def _show(
    jobs: Any, count: Any, now: Any, front: Any, slots: Any, needs: Any, running: Any, remaining: Any,
    chosen: Any,
) -> Any:  # fmt: skip
    shown, waiting, serving = 0, 0, 0
    slot = count[at.FIRST]
    while slot >= 0 and (front < 0 or waiting < front or serving < count[at.RUNNING]):
        served = jobs[slot].finish < np.inf
        if served or front < 0 or waiting < front:
            slots[shown], needs[shown], running[shown] = slot, jobs[slot].need, served
            if jobs[slot].estimate < 0.0:
                remaining[shown] = jobs[slot].finish - now if served else jobs[slot].remaining
            else:  # by way of the believed end, so that ends that coincide still do after rounding
                begun = jobs[slot].start if served else now
                remaining[shown] = max((begun + jobs[slot].estimate) - now, 0.0)
            chosen[shown] = False
            shown += 1
        if served:
            serving += 1
        else:
            waiting += 1
        slot = jobs[slot].next
    return shown


@helper
def _obey(
    jobs: Any, heap: Any, count: Any, now: Any, preemptive: Any, slots: Any, running: Any,
    chosen: Any, shown: Any,
) -> Any:  # fmt: skip
    count[at.BLOCKED] = 0  # jobs that start or stop
    for i in range(shown):
        slot = slots[i]
        count[at.BLOCKED] += running[i] != chosen[i]
        if running[i] and not chosen[i]:
            if not preemptive:
                return at.STOPPED_A_JOB
            stop(jobs, heap, count, now, slot)
    for i in range(shown):
        if chosen[i] and not running[i]:
            if jobs[slots[i]].need > count[at.IDLE]:
                return at.TOO_MANY_SERVERS
            start(jobs, heap, count, now, slots[i])
    return at.FINISHED


_TABLES = (from_dtype(at.JOB)[::1], int64[::1], int64[::1], float64[::1])
_SHOWN = (int64[::1], int64[::1], boolean[::1], float64[::1], boolean[::1])


@cache
def _loop() -> Any:
    # Compiled (or read from the cache) when first used, not when imported.
    signature = int64(
        SERVE, float64[::1], int64[::1], int64[::1], float64[::1], float64[::1], boolean, int64, int64, boolean,
        *_TABLES, *_SHOWN, float64[:, ::1], int64[:, ::1],
    )  # fmt: skip
    return njit(signature, **OPTIONS)(_run)


def _run(
    serve: Any, arrival: Any, job_class: Any, need: Any, duration: Any, estimate: Any, last: Any, servers: Any,
    front: Any, preemptive: Any, jobs: Any, heap: Any, count: Any, time: Any, slots: Any, needs: Any, running: Any,
    remaining: Any, chosen: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = 0
    while True:
        until = arrival[i] if i < len(arrival) else np.inf
        if i == len(arrival) and (not last or count[at.RUNNING] == 0):
            return at.FINISHED
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            pass_time(count, time, jobs[slot].finish)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            count[at.IDLE] += jobs[slot].need
            unlink(jobs, count, slot)
            leave(jobs, count, out_real, out_whole, slot)
        else:
            pass_time(count, time, until)
            slot = enter(jobs, count, arrival[i], job_class[i], need[i], duration[i], 0)
            jobs[slot].estimate = estimate[i] if len(estimate) else -1.0
            append(jobs, count, slot)
            i += 1
        # Jobs that start uncover others behind them: with a limited front the policy is asked until nothing changes.
        # A policy that never settles is left after as many rounds as there are jobs.
        for _ in range(count[at.PRESENT] + 1):
            shown = _show(jobs, count, time[at.NOW], front, slots, needs, running, remaining, chosen)
            serve(needs[:shown], running[:shown], remaining[:shown], servers, chosen[:shown])
            status = _obey(jobs, heap, count, time[at.NOW], preemptive, slots, running, chosen, shown)
            if status:
                return status
            if front < 0 or count[at.BLOCKED] == 0:
                break
