"""The front of threshold parallelism, first come first served (``disciplines.threshold_parallelism``).

Jobs take servers in order of arrival, each its need; the one that no longer finds all of it takes what remains, and on
q of v servers advances at speed q/v. So the front is full once its needs sum to k. Only the youngest job of a front can
have less than its need. The order of the others does not matter, nor that of all of them as long as everybody has
enough: they are kept sorted.
"""

from __future__ import annotations

from collections.abc import Iterator

from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, Types, without


class ThresholdParallelismFront(PhasedFront[Types]):
    """Servers given to jobs in order of arrival, to each up to its need."""

    @property
    def most_jobs(self) -> int:
        return -(-self.servers // min(self.needs))

    def full(self, front: Types) -> bool:
        return self.need_of(front) >= self.servers

    def add(self, front: Types, job: int) -> Types:
        return self._arranged((*front, job))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        shortage = max(0, self.need_of(front) - self.servers)
        for place, job in enumerate(front):
            speed = 1 - shortage / self.needs[job] if place == len(front) - 1 else 1.0
            for rate, after in self.changes(job, speed):
                if after is None:
                    yield rate, self._arranged(without(front, place)), True
                else:
                    yield rate, self._arranged(without(front, place, after)), False

    def busy_servers(self, front: Types) -> float:
        return float(min(self.servers, self.need_of(front)))

    def _arranged(self, front: Types) -> Types:
        if self.need_of(front) <= self.servers:
            return tuple(sorted(front))
        return (*sorted(front[:-1]), front[-1])
