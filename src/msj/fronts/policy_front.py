"""Clusters under any policy that looks at finitely many waiting jobs, as front models.

The policy's own function decides (``policy_decisions``). Jobs have a type (class and phase; ``job_types``). Two kinds:

- without preemption, running jobs stay and only the waiting ones are ordered: a front is (running types, sorted;
  waiting types, in arrival order), and it is full once ``front`` jobs have been passed over;
- with preemption everything is decided anew after every change: a front is the types in arrival order, and it is full
  once ``front`` jobs have been passed over, or, for policies that fill from a prefix, once they have seen enough. If
  the policy looks at age only among jobs of equal need, the front is sorted by need, largest first: powers fewer.

A function from outside may compare the waiting jobs with each other, so what it is shown matters: as in the simulation,
it decides when ``front`` jobs wait, or when no others are there (:class:`WindowFront`), not while they join one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.disciplines import Policy
from msj.errors import NotSupported
from msj.fronts.front_model import FrontModel, Service, Step
from msj.fronts.job_types import JobTypes, job_types
from msj.fronts.policy_decisions import PolicyDecisions
from msj.model import System

Types = tuple[int, ...]


class PolicyFront(FrontModel[Types | tuple[Types, Types], int]):
    """A policy on a system; what both kinds share."""

    one_speed = True
    #: Whether it looks as ``compiled_fronts`` knows it; fronts of another form say no.
    compiles = True
    #: Whether a front says in which order the running jobs arrived.
    orders_running = True

    def __init__(self, system: System, policy: Policy, front: int) -> None:
        self.system = system
        self.policy = policy
        self.front = front
        self.types: JobTypes = job_types(system)
        self.class_names = tuple(c.name for c in system.classes)
        # By type, as the decision function knows them: copies, which come last, are shown as what they copy.
        self.shown_classes = np.asarray(self.types.class_of) % sum(not c.is_copy for c in system.classes)
        self.decisions = PolicyDecisions(policy, orders_running=self.orders_running)

    def confirm(self) -> None:
        self.decisions.confirm()

    def fresh(self) -> Iterator[tuple[int, float]]:
        return ((j, float(chance)) for j, chance in enumerate(self.types.fresh))

    def class_of(self, job: int) -> int:
        return int(self.types.class_of[job])

    def _decide(self, jobs: Types, running: NDArray[np.bool_]) -> NDArray[np.bool_]:
        places = list(jobs)
        needs, classes = self.types.needs[places].tolist(), self.shown_classes[places].tolist()
        return self.decisions.chosen(needs, classes, running.tolist(), self.system.servers)

    def _counts(self, jobs: Types) -> Sequence[int]:
        classes = [int(self.types.class_of[job]) for job in jobs]
        return [classes.count(c) for c in range(len(self.class_names))]

    def _need(self, jobs: Types) -> float:
        return float(self.types.needs[list(jobs)].sum())


class PreemptiveFront(PolicyFront):
    """Fronts in arrival order; who is served is decided anew each time."""

    @property
    def most_jobs(self) -> int:
        if self.policy.front is None:  # the policy fills from a prefix, of at most this length
            return self.front
        return self.system.servers // int(self.types.needs.min()) + self.front

    def full(self, front: Types) -> bool:  # type: ignore[override]
        if self.policy.front is None:
            return self.policy.sees_enough([int(self.types.needs[job]) for job in front], self.system.servers)
        return len(front) - int(self._decide(front, np.zeros(len(front), dtype=np.bool_)).sum()) >= self.front

    def add(self, front: Types, job: int) -> Types:  # type: ignore[override]
        joined = (*front, job)
        return tuple(sorted(joined, key=self._by_need)) if self.policy.order_within_need else joined

    def _by_need(self, job: int) -> int:
        return -int(self.types.needs[job])

    def steps(self, front: Types) -> Iterator[Step[Types]]:  # type: ignore[override]
        for position in np.flatnonzero(self._decide(front, np.zeros(len(front), dtype=np.bool_))):
            before, job, after = front[:position], front[position], front[position + 1 :]
            for j in np.flatnonzero(self.types.phase_changes[job]):
                yield float(self.types.phase_changes[job, j]), (*before, int(j), *after), False
            if self.types.completion_rates[job]:
                yield float(self.types.completion_rates[job]), (*before, *after), True

    def class_counts(self, front: Types) -> Sequence[int]:  # type: ignore[override]
        return self._counts(front)

    def busy_servers(self, front: Types) -> float:  # type: ignore[override]
        chosen = self._decide(front, np.zeros(len(front), dtype=np.bool_))
        return float(self.types.needs[list(front)][chosen].sum())


class NonPreemptiveFront(PolicyFront):
    """Running jobs in any order, waiting ones in arrival order."""

    orders_running = False

    @property
    def most_jobs(self) -> int:
        return self.system.servers // int(self.types.needs.min()) + self.front

    def empty(self) -> tuple[Types, Types]:
        return ((), ())

    def jobs(self, front: tuple[Types, Types]) -> Types:  # type: ignore[override]
        return front[0] + front[1]

    def size(self, front: tuple[Types, Types]) -> int:  # type: ignore[override]
        return len(front[0]) + len(front[1])

    def full(self, front: tuple[Types, Types]) -> bool:  # type: ignore[override]
        return len(front[1]) >= self.front

    def add(self, front: tuple[Types, Types], job: int) -> tuple[Types, Types]:  # type: ignore[override]
        return self._started(front[0], (*front[1], job))

    def steps(self, front: tuple[Types, Types]) -> Iterator[Step[tuple[Types, Types]]]:  # type: ignore[override]
        running, waiting = front
        for job in sorted(set(running)):
            count = running.count(job)
            rest = list(running)
            rest.remove(job)
            for j in np.flatnonzero(self.types.phase_changes[job]):
                moved = tuple(sorted([*rest, int(j)]))
                yield count * float(self.types.phase_changes[job, j]), (moved, waiting), False
            if self.types.completion_rates[job]:
                yield count * float(self.types.completion_rates[job]), self._started(tuple(rest), waiting), True

    def class_counts(self, front: tuple[Types, Types]) -> Sequence[int]:  # type: ignore[override]
        return self._counts((*front[0], *front[1]))

    def busy_servers(self, front: tuple[Types, Types]) -> float:  # type: ignore[override]
        return self._need(front[0])

    def starts_at_once(self, front: tuple[Types, Types], job: int) -> bool | None:  # type: ignore[override]
        if self.front > 1:  # a younger job may be seen, and start first
            return None
        return not front[1] and not self._started(front[0], (job,))[1]

    def service(self, job: int) -> Service:
        return job, self._phases_after

    def _phases_after(self, job: int) -> Iterator[tuple[float, int | None]]:
        yield from (
            (float(self.types.phase_changes[job, j]), int(j)) for j in self.types.phase_changes[job].nonzero()[0]
        )
        yield float(self.types.completion_rates[job]), None

    def _started(self, running: Types, waiting: Types) -> tuple[Types, Types]:
        is_running = np.arange(len(running) + len(waiting)) < len(running)
        chosen = self._decide((*running, *waiting), is_running)[len(running) :]
        starts = tuple(job for job, start in zip(waiting, chosen, strict=True) if start)
        stays = tuple(job for job, start in zip(waiting, chosen, strict=True) if not start)
        return tuple(sorted((*running, *starts))), stays


class WindowFront(NonPreemptiveFront):
    """Fronts in which the function decides once it sees all it is shown: ``front`` waiting jobs, or all there are."""

    settles = True

    @property
    def most_taken(self) -> int:
        return self.system.servers // int(self.types.needs.min())

    def add(self, front: tuple[Types, Types], job: int) -> tuple[Types, Types]:  # type: ignore[override]
        running, waiting = front[0], (*front[1], job)
        return self._started(running, waiting) if len(waiting) >= self.front else (running, waiting)

    def _started(self, running: Types, waiting: Types) -> tuple[Types, Types]:
        """Return the front after decisions about the oldest ``front`` waiting jobs, while so many are there."""
        while True:
            before, behind = running, waiting[self.front :]
            running, stays = super()._started(running, waiting[: self.front])
            waiting = stays + behind
            if running == before or len(waiting) < self.front:
                return running, waiting

    def settled(self, front: tuple[Types, Types]) -> tuple[tuple[tuple[Types, Types], float]]:  # type: ignore[override]
        while (after := self._started(*front)) != front:
            front = after
        return ((front, 1.0),)


def policy_front(system: System) -> PolicyFront:
    """Return the front model of a system under its policy, from the policy's own function."""
    policy: Any = system.policy
    reason = policy.why_no_front(system)
    if reason is not None:
        raise NotSupported(reason)
    front: int = policy.front_on(system.servers)
    if policy.preemptive and policy.from_outside and policy.front is not None:
        from msj.fronts.preemptive_window import PreemptiveWindowFront

        return PreemptiveWindowFront(system, policy, front)
    if policy.preemptive:
        return PreemptiveFront(system, policy, front)
    return (WindowFront if policy.from_outside and front > 1 else NonPreemptiveFront)(system, policy, front)
