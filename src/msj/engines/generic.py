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
from msj.engines.compiling import OPTIONS
from msj.engines.event import EventEngine
from msj.engines.plainly import asks_for_more, run_plainly, why_not_compiled
from msj.engines.show import come_or_go, obey, show
from msj.engines.state import FINISHED, STATE, Arriving, Finished, Present, job_row
from msj.workloads.job_block import JobBlock

SERVE = types.FunctionType(types.void(int64[::1], boolean[::1], float64[::1], int64, boolean[::1]))


USUAL = ("needs", "running", "remaining", "servers", "chosen")


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

    @property
    def asks(self) -> tuple[str, ...]:
        """The arguments its function wants; others than :data:`USUAL` are shown to plain Python only."""

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
        self._serve: Any = None
        self.remark = ""  # what people should know of the way it runs
        if rule.asks != USUAL:
            self.remark = asks_for_more(rule.asks, USUAL, rule.name)
        else:
            try:
                self._serve = rule.compiled(SERVE.signature)
            except Exception as error:  # whatever the compiler has against it
                self.remark = why_not_compiled(error, rule.name)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_serve": None}  # compiled code does not travel

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        most, front = len(self.present_jobs.jobs), self.options.front
        shown = room_to_show(most if front < 0 else min(front + self.servers + 1, most))
        estimates = self._estimates(block)
        if self.remark:
            return run_plainly(
                self.plain_rule, self.options, arriving, estimates, self.present_jobs, shown, self.finished
            )
        if self._serve is None:
            self._serve = self.plain_rule.compiled(SERVE.signature)
        return int(_loop()(self._serve, self.options, arriving, estimates, self.present_jobs, shown, self.finished))

    def _estimates(self, block: JobBlock) -> NDArray[np.float64]:
        if not self.plain_rule.uses_estimates:
            return np.empty(0)
        rule: Any = self.plain_rule
        return np.ascontiguousarray(rule.estimated(block.estimates))


def room_to_show(jobs: int) -> Shown:
    """Return columns for so many jobs."""
    whole, flags = np.empty((2, jobs), dtype=np.int64), np.empty((2, jobs), dtype=np.bool_)
    return Shown(whole[0], whole[1], flags[0], np.empty(jobs), flags[1])


@cache
def _loop() -> Any:
    # Compiled (or read from the cache) when first used, not when imported.
    times, numbers = np.empty(0), np.empty(0, dtype=np.int64)
    groups = (
        Options(1, 1, True),
        Arriving(times, numbers, numbers, times, True),
        times,
        Present(np.empty(0, dtype=GenericEngine.row), numbers, np.zeros(1, dtype=STATE)),
        room_to_show(1),
        Finished.room_for(1),
    )
    return njit(int64(SERVE, *map(typeof, groups)), **OPTIONS)(_run)


def _run(serve: Any, options: Any, arriving: Any, estimates: Any, present: Any, shown: Any, finished: Any) -> Any:
    while come_or_go(arriving, estimates, present, finished):
        # Jobs that start uncover others behind them: with a limited front the policy is asked until nothing changes.
        # A policy that never settles is left after as many rounds as there are jobs.
        for _ in range(present.state[0].present + 1):
            n = show(present, options.front, shown)
            serve(shown.needs[:n], shown.running[:n], shown.remaining[:n], options.servers, shown.chosen[:n])
            status, changes = obey(present, options.preemptive, shown, n)
            if status:
                return status
            if options.front < 0 or changes == 0:
                break
    return FINISHED
