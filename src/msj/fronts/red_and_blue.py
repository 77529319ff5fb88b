"""The front of red and blue (``disciplines.red_and_blue``).

It is full once it holds k jobs of one colour. Who came first within a front does not matter, so it is (red types, blue
types), each sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, Types, without
from msj.model import System

Colours = tuple[Types, Types]


class RedAndBlueFront(PhasedFront[Colours]):
    """Servers that serve one colour at a time; ``blue`` says for each class whether it is blue."""

    one_speed = True

    def __init__(self, system: System, *, blue: Sequence[bool]) -> None:
        super().__init__(system)
        self.blue = blue

    @property
    def most_jobs(self) -> int:
        return 2 * self.servers - 1

    def empty(self) -> Colours:
        return ((), ())

    def jobs(self, front: Colours) -> Types:
        return front[0] + front[1]

    def full(self, front: Colours) -> bool:
        return max(map(len, front)) >= self.servers

    def add(self, front: Colours, job: int) -> Colours:
        colour = int(self.blue[self.class_of(job)])
        return self._with(front, colour, (*front[colour], job))

    def steps(self, front: Colours) -> Iterator[Step[Colours]]:
        colour = int(len(front[1]) > len(front[0]))  # 0 for red, 1 for blue
        served = front[colour]
        for place, job in enumerate(served):
            for rate, after in self.changes(job):
                left = without(served, place) if after is None else without(served, place, after)
                yield rate, self._with(front, colour, left), after is None

    def busy_servers(self, front: Colours) -> float:
        return float(max(map(len, front)))

    def _with(self, front: Colours, colour: int, jobs: Types) -> Colours:
        arranged = tuple(sorted(jobs))
        return (arranged, front[1]) if colour == 0 else (front[0], arranged)
