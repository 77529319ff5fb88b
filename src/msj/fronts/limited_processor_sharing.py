"""The front of limited processor sharing (``disciplines.limited_processor_sharing``).

With n jobs present each of the m = min(n, limit) oldest has 1/m of what m jobs have together. They are all treated
alike, so the front is a multiset of types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, Types, without
from msj.model import System


class LimitedProcessorSharingFront(PhasedFront[Types]):
    """The oldest jobs, m of them, share ``together[m - 1]`` of all servers."""

    def __init__(self, system: System, *, together: Sequence[float]) -> None:
        super().__init__(system)
        self.together = tuple(together)

    @property
    def most_jobs(self) -> int:
        return len(self.together)

    def add(self, front: Types, job: int) -> Types:
        return tuple(sorted((*front, job)))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        together = self.together[len(front) - 1] if front else 0.0
        for job in sorted(set(front)) if together > 0.0 else ():
            for rate, after in self.changes(job, together * front.count(job) / len(front)):
                left = without(front, front.index(job))
                yield (rate, left, True) if after is None else (rate, self.add(left, after), False)

    def busy_servers(self, front: Types) -> float:
        return self.servers * self.together[len(front) - 1] if front else 0.0
