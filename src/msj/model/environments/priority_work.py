"""Work of higher priority: jobs that take servers from all others, as M/M/n/n (reset, section 3.2).

They arrive at a rate, need some servers each for an exponential time, and at most n are there at once; more are lost.
With j there the next comes at rate lambda (j < n) and the next goes at rate j/E[duration]. They take idle servers
first, then those of running jobs, which go on where they were when they have servers again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from msj.errors import InvalidInput
from msj.model.durations import Duration, Exponential
from msj.model.environments.base import IDLE_FIRST, Component, Environment, birth_and_death, from_last
from msj.model.numbers import Number, number, whole


@dataclass(frozen=True, kw_only=True)
class PriorityWork(Environment):
    """In a spec file: environment = { name = "priority-work", arrival_rate = 0.1, duration = { ... }, need = 1, most = 2 }.

    Examples
    --------
    >>> work = PriorityWork(arrival_rate=0.1, duration=Exponential(mean=2), need=2, most=2)
    >>> work.components({"all": 4})[0].taken
    ((0,), (2,), (4,))
    """  # noqa: E501

    name: ClassVar[str] = "priority-work"
    summary: ClassVar[str] = (
        "jobs of higher priority take servers, idle ones first; so many at once, the others are lost"
    )
    citation: ClassVar[str] = "reset, section 3.2"
    time_powers: ClassVar[Mapping[str, int]] = {"arrival_rate": -1}

    arrival_rate: Number
    duration: Duration
    need: int
    most: int
    group: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrival_rate", number(self.arrival_rate, "arrival_rate"))
        if self.arrival_rate < 0:
            raise InvalidInput(f"arrival_rate = {self.arrival_rate} must be at least 0; give jobs per unit of time")
        self.set_law("duration")
        self.set_group()
        if not isinstance(self.duration, Exponential):
            raise InvalidInput(
                f"duration has law '{self.duration.law}', and work of higher priority is exponential; "
                "use law = 'exponential'"
            )
        for key in ("need", "most"):
            object.__setattr__(self, key, whole(getattr(self, key), key))

    def check(self, groups: Mapping[str, int]) -> None:
        super().check(groups)
        there = sum(groups.values()) if self.group is None else groups[self.group]
        if self.need * self.most > there:
            raise InvalidInput(
                f"need x most = {self.need * self.most} is more than the {there} servers there are; lower most or need"
            )

    def components(self, groups: Mapping[str, int]) -> list[Component]:
        if self.arrival_rate == 0:
            return []
        states = range(self.most + 1)
        ends = 1.0 / float(self.duration.mean)
        return [
            birth_and_death(
                up=[float(self.arrival_rate) * (j < self.most) for j in states],
                down=[j * ends for j in states],
                taken=[from_last(j * self.need, groups, self.group) for j in states],
                hits=IDLE_FIRST,
            )
        ]


VARIANT = PriorityWork
