"""The front of limited processor sharing (``disciplines.limited_processor_sharing``).

With n jobs present each of the m = min(n, limit) oldest has 1/m of the servers. They are all treated alike, so the
front is a multiset of types.
"""

from __future__ import annotations

from collections.abc import Iterator

from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, Types, without
from msj.model import System


class LimitedProcessorSharingFront(PhasedFront[Types]):
    """All servers shared by the ``limit`` oldest jobs."""

    def __init__(self, system: System, *, limit: int) -> None:
        super().__init__(system)
        self.limit = limit

    @property
    def most_jobs(self) -> int:
        return self.limit

    def add(self, front: Types, job: int) -> Types:
        return tuple(sorted((*front, job)))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        for job in sorted(set(front)):
            for rate, after in self.changes(job, front.count(job) / len(front)):
                left = without(front, front.index(job))
                yield (rate, left, True) if after is None else (rate, self.add(left, after), False)

    def busy_servers(self, front: Types) -> float:
        return float(self.servers) if front else 0.0
