"""The front of servers of different speeds (``disciplines.heterogeneous_servers``).

The jobs are in order of arrival; where they move up, in the order of their servers; where they stay, one place per
server. Equal servers are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, Types, without
from msj.model import System

FREE = -1


class HeterogeneousServersFront(PhasedFront[Types]):
    """One job per server; ``speeds`` in the order in which servers are taken."""

    def __init__(self, system: System, *, speeds: Sequence[float], rule: str) -> None:
        super().__init__(system)
        self.speeds = tuple(speeds)
        self.rule = rule

    @property
    def staying(self) -> bool:
        """Whether a job keeps its server."""
        return self.rule == "staying"

    @property
    def most_jobs(self) -> int:
        return len(self.speeds)

    def empty(self) -> Types:
        return (FREE,) * self.most_jobs if self.staying else ()

    def jobs(self, front: Types) -> Types:
        return tuple(job for job in front if job != FREE)

    def add(self, front: Types, job: int) -> Types:
        if self.staying:  # the first free place is on the fastest free server
            return self._arranged(without(front, front.index(FREE), job))
        return self._arranged((*front, job))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        speeds = self.speeds[: len(front)]
        if self.rule == "newest-first":
            speeds = speeds[::-1]
        for place, (job, speed) in enumerate(zip(front, speeds, strict=True)):
            if job == FREE:
                continue
            for rate, after in self.changes(job, speed):
                if after is not None:
                    yield rate, self._arranged(without(front, place, after)), False
                elif self.staying:
                    yield rate, self._arranged(without(front, place, FREE)), True
                elif self.rule == "moving-up" and place < len(front) - 1:
                    yield rate, self._arranged(without(front[:-1], place, front[-1])), True
                else:
                    yield rate, self._arranged(without(front, place)), True

    def busy_servers(self, front: Types) -> float:
        return float(self.size(front))

    def _arranged(self, front: Types) -> Types:
        """Jobs that keep their servers may be sorted among equal ones; so may all jobs if all servers are equal."""
        if self.staying:
            groups = [[job for job, v in zip(front, self.speeds, strict=True) if v == speed] for speed in self._kinds]
            return tuple(job for group in groups for job in sorted(group, reverse=True))
        return (
            tuple(sorted(front)) if len(self._kinds) == 1 else front
        )  # a sorted front of equal servers is any of them

    @cached_property
    def _kinds(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys(self.speeds))
