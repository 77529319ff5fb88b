"""Servers that break and are repaired, one by one or all at once (reset, section 3.2).

One by one: each server of a group that is not broken, at work or not, breaks at rate r; broken ones are repaired in
exponential times, as many at a time as there are repairers. With b of n broken the next breaks at rate (n − b)·r and
the next is back at rate min(b, repairers)/E[repair]. All at once (``together``): all servers of the group, or of all
groups, break at rate r and are back after one repair, of any law.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from msj.errors import InvalidInput
from msj.model.durations import Duration, Exponential
from msj.model.environments.base import ANY, Component, Environment, birth_and_death
from msj.model.numbers import Number, number, whole


@dataclass(frozen=True, kw_only=True)
class Breakdowns(Environment):
    """In a spec file: environment = { name = "breakdowns", rate = 0.01, repair = { law = "exponential", mean = 4 } }.

    ``repairers`` work at a time (all that are needed, unless said; in each group, where servers break in several).

    Examples
    --------
    >>> one = Breakdowns(rate=0.1, repair=Exponential(mean=2)).components({"all": 2})[0]
    >>> [float(law.rate) for law in one.sojourn], one.taken
    ([0.2, 0.6, 1.0], ((0,), (1,), (2,)))
    """

    name: ClassVar[str] = "breakdowns"
    summary: ClassVar[str] = "servers break, one by one or together, and are repaired"
    citation: ClassVar[str] = "reset, section 3.2"
    time_powers: ClassVar[Mapping[str, int]] = {"rate": -1}

    rate: Number
    repair: Duration
    repairers: int | None = None
    group: str | None = None
    together: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", number(self.rate, "rate"))
        if self.rate < 0:
            raise InvalidInput(f"rate = {self.rate} must be at least 0; give breakdowns per unit of time")
        self.set_law("repair")
        self.set_group()
        if not isinstance(self.together, bool):
            raise InvalidInput(f"together = {self.together!r} must be true or false; write one of them")
        if self.repairers is not None:
            object.__setattr__(self, "repairers", whole(self.repairers, "repairers"))
            if self.together:
                raise InvalidInput(f"repairers = {self.repairers} and together = true: all are repaired at once")
        if not self.together and not isinstance(self.repair, Exponential):
            raise InvalidInput(
                f"repair has law '{self.repair.law}', and servers that break one by one have exponential repairs; "
                "use law = 'exponential', or together = true"
            )

    def components(self, groups: Mapping[str, int]) -> list[Component]:
        if self.rate == 0:
            return []
        used = [name for name in groups if self.group in (None, name)]
        if self.together:
            taken = tuple(servers if name in used else 0 for name, servers in groups.items())
            return [
                Component(
                    sojourn=(Exponential(rate=self.rate), self.repair),
                    jump=((0.0, 1.0), (1.0, 0.0)),
                    taken=((0,) * len(groups), taken),
                    speed=(1.0, 1.0),
                    hits=ANY,
                )
            ]
        return [self._one_by_one(name, groups) for name in used]

    def _one_by_one(self, group: str, groups: Mapping[str, int]) -> Component:
        servers = groups[group]
        at_a_time = servers if self.repairers is None else self.repairers
        back = 1.0 / float(self.repair.mean)
        return birth_and_death(
            up=[(servers - b) * float(self.rate) for b in range(servers + 1)],
            down=[min(b, at_a_time) * back for b in range(servers + 1)],
            taken=[tuple(b if name == group else 0 for name in groups) for b in range(servers + 1)],
            hits=ANY,
        )


VARIANT = Breakdowns
