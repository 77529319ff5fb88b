"""Preemptive policies from outside: the decision function sees the running jobs and the oldest waiting ones.

That is what a simulation shows it (``engines.generic``), so the chain keeps what the simulation does: the jobs up to
the youngest one that was ever seen, in order of arrival, each with whether it runs. The function sees those that run
and the ``front`` oldest of those that wait. A job that is stopped may hide another one again, whose type is known
already; so a front holds at most ``front`` waiting jobs and those that preemption added, which ran before.

New jobs join while fewer than ``front`` wait, and the function decides when it sees all it is shown, again and again
until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from msj.errors import NotSupported
from msj.fronts.front_model import Step
from msj.fronts.policy_front import PolicyFront, Types

#: Jobs in order of arrival: type, and whether it runs.
Front = tuple[tuple[int, bool], ...]


class PreemptiveWindowFront(PolicyFront):
    """Fronts of a preemptive decision function that is shown a window of the waiting jobs."""

    compiles = False
    settles = True

    @property
    def most_jobs(self) -> int:
        return self.front + 2 * self.most_taken

    @property
    def most_taken(self) -> int:
        return self.system.servers // int(self.types.needs.min())

    def empty(self) -> Any:
        return ()

    def jobs(self, front: Front) -> Types:  # type: ignore[override]
        return tuple(job for job, _ in front)

    def size(self, front: Front) -> int:  # type: ignore[override]
        return len(front)

    def full(self, front: Front) -> bool:  # type: ignore[override]
        return _waiting(front) >= self.front

    def add(self, front: Front, job: int) -> Front:  # type: ignore[override]
        joined = (*front, (job, False))
        return self._decided(joined) if self.full(joined) else joined

    def settled(self, front: Front) -> tuple[tuple[Front, float]]:  # type: ignore[override]
        return ((self._decided(front, alone=True), 1.0),)

    def steps(self, front: Front) -> Iterator[Step[Any]]:  # type: ignore[override]
        for place, (job, running) in enumerate(front):
            if not running:
                continue
            before, after = front[:place], front[place + 1 :]
            for j in np.flatnonzero(self.types.phase_changes[job]):
                yield float(self.types.phase_changes[job, j]), (*before, (int(j), True), *after), False
            if self.types.completion_rates[job]:
                yield float(self.types.completion_rates[job]), self._decided((*before, *after)), True

    def class_counts(self, front: Front) -> Sequence[int]:  # type: ignore[override]
        return self._counts(self.jobs(front))

    def busy_servers(self, front: Front) -> float:  # type: ignore[override]
        return self._need(tuple(job for job, running in front if running))

    def _decided(self, front: Front, *, alone: bool = False) -> Front:
        """Return the front after decisions, until nothing changes or jobs must join before the next.

        ``alone``: no other jobs are there, so that none can join.
        """
        met: set[Front] = set()
        while front not in met:
            met.add(front)
            after = self._decide_once(front)
            if after == front:
                return front
            front = after
            if not alone and not self.full(front):
                return front
        raise NotSupported(
            f"policy '{self.policy.name}' does not come to rest: asked again about the same jobs, it stops those that "
            "it has just started; simulate it (leave front out)"
        )

    def _decide_once(self, front: Front) -> Front:
        waiting = [place for place, (_, running) in enumerate(front) if not running][: self.front]
        seen = sorted({*waiting, *(place for place, (_, running) in enumerate(front) if running)})
        jobs = tuple(front[place][0] for place in seen)
        chosen = self._decide(jobs, np.array([front[place][1] for place in seen], dtype=np.bool_))
        runs = {place for place, on in zip(seen, chosen.tolist(), strict=True) if on}
        return tuple((job, place in runs) for place, (job, _) in enumerate(front))


def _waiting(front: Front) -> int:
    return sum(not running for _, running in front)
