"""The front of several resources (``disciplines.several_resources``), first come first served."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.optimize import linprog

from msj.fronts.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.model import System


class SeveralResourcesFront(HeadOfLine):
    """Jobs hold ``amounts``, by class, of resources of given ``capacity``; the first resource is the servers."""

    def __init__(self, system: System, *, capacity: Sequence[int], amounts: Sequence[Sequence[int]]) -> None:
        super().__init__(system)
        self.capacity = tuple(capacity)
        self.amounts = amounts

    @cached_property
    def most_jobs(self) -> int:
        """The most jobs that fit at once (no more than the linear programme says), and one that waits."""
        amounts = np.array(sorted(set(self._held_by)))
        found = linprog(-np.ones(len(amounts)), A_ub=amounts.T, b_ub=self.capacity)
        return int(-found.fun + 1e-6) + 1

    @cached_property
    def _held_by(self) -> tuple[tuple[int, ...], ...]:
        """What a job of each type holds."""
        return tuple(tuple(self.amounts[c]) for c in self.types.class_of)

    def started(self, running: Running, job: int) -> int | None:
        sums = zip(self.capacity, self.busy(running), self._held_by[job], strict=True)
        return job if all(held + more <= amount for amount, held, more in sums) else None

    def busy(self, running: Running) -> tuple[int, ...]:
        """Return how much of each resource the running jobs hold."""
        return tuple(sum(self._held_by[job][i] for job in running) for i in range(len(self.capacity)))

    def busy_servers(self, front: RunningAndWaiting) -> float:
        return float(self.need_of(front[0]))
