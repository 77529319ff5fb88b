"""First fit among the n oldest jobs in the system, in service or not (First-Fit-k of reset, Appendix H.1).

Whether a job is looked at depends on how many older ones are still there, also in service, so a front is the n oldest
jobs in order of arrival, each with whether it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from msj.disciplines.model import policy_of
from msj.fronts.front_model import Step
from msj.fronts.policy_front import PolicyFront, Types
from msj.model import System

#: Jobs in order of arrival: type, and whether it is in service.
Front = tuple[tuple[int, bool], ...]


class OldestFront(PolicyFront):
    """Fronts of up to ``oldest`` jobs; the policy's function says who starts."""

    compiles = False

    def __init__(self, system: System, *, oldest: int) -> None:
        super().__init__(system, policy_of(system), oldest)

    @property
    def most_jobs(self) -> int:
        return self.front

    def empty(self) -> Any:
        return ()

    def jobs(self, front: Front) -> Types:  # type: ignore[override]
        return tuple(job for job, _ in front)

    def add(self, front: Front, job: int) -> Front:  # type: ignore[override]
        return self._served((*front, (job, False)))

    def size(self, front: Front) -> int:  # type: ignore[override]
        return len(front)

    def full(self, front: Front) -> bool:  # type: ignore[override]
        return len(front) >= self.front

    def steps(self, front: Front) -> Iterator[Step[Any]]:  # type: ignore[override]
        for place, (job, running) in enumerate(front):
            if not running:
                continue
            before, after = front[:place], front[place + 1 :]
            for j in np.flatnonzero(self.types.phase_changes[job]):
                yield float(self.types.phase_changes[job, j]), (*before, (int(j), True), *after), False
            if self.types.completion_rates[job]:
                yield float(self.types.completion_rates[job]), self._served((*before, *after)), True

    def class_counts(self, front: Front) -> Sequence[int]:  # type: ignore[override]
        return self._counts(self.jobs(front))

    def busy_servers(self, front: Front) -> float:  # type: ignore[override]
        return self._need(tuple(job for job, running in front if running))

    def _served(self, front: Front) -> Front:
        jobs = self.jobs(front)
        chosen = self._decide(jobs, np.array([running for _, running in front], dtype=np.bool_))
        return tuple((job, bool(yes)) for job, yes in zip(jobs, chosen, strict=True))
