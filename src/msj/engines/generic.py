"""Any rule, from its plain function: the event loop that all policies could use and the twin of the fast engines.

The function sees the jobs running and the ``front`` oldest waiting ones (all of them where the rule has no such limit),
in order of arrival, and marks those to serve. It is passed as a first-class function of fixed type
(``decision_functions.compiled``), so this loop is compiled once and cached; a user's function costs a fraction of a
second.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numba import int64, njit, typeof
from numpy.typing import NDArray

from msj.decision_functions.compiled import SIMULATED
from msj.engines.cluster import Cluster
from msj.engines.compiling import OPTIONS
from msj.engines.event import EventEngine
from msj.engines.plainly import failed, run_plainly, why_not_compiled
from msj.engines.show import come_or_go, obey, show
from msj.engines.state import FINISHED, STATE, Arriving, Finished, Present, job_row
from msj.errors import MsjError
from msj.workloads.job_block import JobBlock

SERVE = SIMULATED.function_type
SHOWN_ALWAYS = {"needs", "running", "remaining", "servers", "free", "now", "rng", "chosen"}


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
    def arguments(self) -> tuple[str, ...]:
        """The arguments its function wants."""

    def front_on(self, servers: int) -> int | None:
        """Return how many of the oldest waiting jobs it must see; None for all."""

    def decide_on(self, values: Mapping[str, Any]) -> None:
        """Call its function with those of the values that it wants."""

    def compiled(self, form: str) -> Any:
        """Return its function, compiled for one of ``decision_functions.compiled.FORMS``."""


class Options(NamedTuple):
    """What the decision function sees and may do.

    ``front``: how many waiting jobs it sees, -1 for all. ``preemptive``: whether it may stop running jobs. ``details``:
    whether it uses classes, estimates, ages or arrival times. ``believed``: whether its remaining times come from
    estimates.
    """

    servers: int
    front: int
    preemptive: bool
    details: bool
    believed: bool


class Shown(NamedTuple):
    """What the function sees and its answer, as tables of ``decision_functions.compiled``, and the jobs' slots."""

    slots: Any
    whole: Any
    flags: Any
    reals: Any


class GenericEngine(EventEngine):
    """Runs a rule's plain function at every event."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", estimate="f8")

    def __init__(self, cluster: Cluster, *, rule: PlainRule) -> None:
        super().__init__(cluster)
        self.plain_rule = rule
        front = rule.front_on(cluster.servers)
        self.options = Options(
            servers=cluster.servers,
            front=-1 if front is None else front,
            preemptive=bool(rule.preemptive),
            details=not SHOWN_ALWAYS.issuperset(rule.arguments),
            believed=rule.uses_estimates and "estimates" not in rule.arguments,
        )
        self._serve: Any = None
        self.remark = ""  # what people should know of the way it runs
        self.plain = False
        try:
            self._serve = rule.compiled("simulated")
        except Exception as error:  # whatever the compiler has against it
            self.plain, self.remark = True, why_not_compiled(error, rule.name)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_serve": None}  # compiled code does not travel

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        most, front = len(self.present_jobs.jobs), self.options.front
        shown = room_to_show(most if front < 0 else min(front + self.servers + 1, most))
        estimates = self._estimates(block)
        given = (self.options, arriving, estimates, self.present_jobs, shown, self.finished, self.random)
        if self.plain:
            return run_plainly(self.plain_rule, *given)
        if self._serve is None:
            self._serve = self.plain_rule.compiled("simulated")
        try:
            return int(_loop()(self._serve, *given))
        except MsjError:
            raise
        except Exception as error:  # raised by the function
            raise failed(self.plain_rule.name, error) from None

    def _estimates(self, block: JobBlock) -> NDArray[np.float64]:
        if not self.plain_rule.uses_estimates:
            return np.empty(0)
        rule: Any = self.plain_rule
        return np.ascontiguousarray(rule.estimated(block.estimates))


def room_to_show(jobs: int) -> Shown:
    """Return tables for so many jobs."""
    slots, whole = np.empty(jobs, dtype=np.int64), np.empty((2, jobs), dtype=np.int64)
    return Shown(slots, whole, np.empty((2, jobs), dtype=np.bool_), np.empty((4, jobs)))


@cache
def _loop() -> Any:
    # Compiled (or read from the cache) when first used, not when imported.
    times, numbers = np.empty(0), np.empty(0, dtype=np.int64)
    groups = (
        Options(1, 1, True, True, True),
        Arriving(times, numbers, numbers, times, True),
        times,
        Present(np.empty(0, dtype=GenericEngine.row), numbers, np.zeros(1, dtype=STATE)),
        room_to_show(1),
        Finished.room_for(1),
        np.random.Generator(np.random.SFC64(0)),
    )
    return njit(int64(SERVE, *map(typeof, groups)), **OPTIONS)(_run)


def _run(
    serve: Any, options: Any, arriving: Any, estimates: Any, present: Any, shown: Any, finished: Any, rng: Any
) -> Any:
    while come_or_go(arriving, estimates, present, finished):
        # Jobs that start uncover others behind them: with a limited front the policy is asked until nothing changes.
        # A policy that never settles is left after as many rounds as there are jobs.
        for _ in range(present.state[0].present + 1):
            n, state = show(present, options, shown), present.state[0]
            serve(shown.whole, shown.flags, shown.reals, n, options.servers, state.idle, state.now, rng)
            status, changes = obey(present, options.preemptive, shown, n)
            if status:
                return status
            if options.front < 0 or changes == 0:
                break
    return FINISHED
