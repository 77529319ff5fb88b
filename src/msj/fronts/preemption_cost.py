"""The front of ServerFilling where preemption costs time (``disciplines.preemption_cost``).

A front is (type, owes) in order of arrival. It reaches one completion further than the policy looks: its needs sum to k
even without the largest job in service. So the decision after a completion is taken at once, from jobs already in the
front, and those that join from behind interrupt nobody; only an arrival that finds needs below k can. Without this,
jobs that join one by one would seem to start and be put aside in the same moment.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msj.disciplines.filling import serve_filling
from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, without
from msj.model import System

Owing = tuple[tuple[int, bool], ...]

DECIDE = serve_filling("arrival", exactly=False)


class PreemptionCostFront(PhasedFront[Owing]):
    """ServerFilling where resuming a job takes an exponential time of rate ``overhead_rate``."""

    one_speed = True

    def __init__(self, system: System, *, overhead_rate: float) -> None:
        super().__init__(system)
        self.overhead_rate = overhead_rate
        self._decisions: dict[tuple[int, ...], frozenset[int]] = {}

    @property
    def most_jobs(self) -> int:
        return (self.servers - 1) // min(self.needs) + 2

    def class_of(self, job: int | tuple[int, bool]) -> int:
        return int(self.types.class_of[job[0] if isinstance(job, tuple) else job])

    def full(self, front: Owing) -> bool:
        needs = [self.needs[job] for job, _ in front]
        return sum(needs) - max((needs[i] for i in self.served(front)), default=0) >= self.servers

    def add(self, front: Owing, job: int) -> Owing:
        before = self.served(front)
        joined = (*front, (job, False))
        return _put_aside(joined, before - self.served(joined))

    def steps(self, front: Owing) -> Iterator[Step[Owing]]:
        served = self.served(front)
        for place in sorted(served):
            job, owes = front[place]
            if owes:
                yield self.overhead_rate, without(front, place, (job, False)), False
                continue
            for rate, after in self.changes(job):
                if after is not None:
                    yield rate, without(front, place, (after, False)), False
                else:
                    left = without(front, place)
                    others = {i - (i > place) for i in served if i != place}
                    yield rate, _put_aside(left, others - self.served(left)), True

    def progressed(self, before: tuple[int, bool], after: tuple[int, bool] | None) -> bool:
        return after is None or before[0] != after[0]  # paying is no progress

    def busy_servers(self, front: Owing) -> float:
        """Return how many servers make progress; those of jobs that pay their overhead do not."""
        return float(sum(self.needs[front[i][0]] for i in self.served(front) if not front[i][1]))

    def measures(self, front: Owing) -> dict[str, float]:
        return {"paying_servers": float(sum(self.needs[front[i][0]] for i in self.served(front) if front[i][1]))}

    def served(self, front: Owing) -> frozenset[int]:
        """Return the places in the front of the jobs that hold servers."""
        needs = tuple(self.needs[job] for job, _ in front)
        if needs not in self._decisions:
            chosen = np.zeros(len(needs), dtype=np.bool_)
            unseen = np.full(len(needs), np.nan)
            DECIDE(np.array(needs, dtype=np.int64), chosen.copy(), unseen, self.servers, chosen)
            self._decisions[needs] = frozenset(np.flatnonzero(chosen).tolist())
        return self._decisions[needs]


def _put_aside(front: Owing, places: frozenset[int] | set[int]) -> Owing:
    return tuple((job, owes or i in places) for i, (job, owes) in enumerate(front))
