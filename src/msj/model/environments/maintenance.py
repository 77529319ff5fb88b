"""Windows of maintenance: every now and then some servers are taken for a while, idle ones first (reset, section 7).

From the end of one window to the beginning of the next passes a time of law ``every``, and a window takes a time of law
``lasts``. Jobs whose servers are taken go on where they were when they have servers again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from msj.errors import InvalidInput
from msj.model.durations import Duration
from msj.model.environments.base import IDLE_FIRST, Component, Environment, from_last
from msj.model.numbers import whole


@dataclass(frozen=True, kw_only=True)
class Maintenance(Environment):
    """In a spec file: environment = { name = "maintenance", every = { law = "erlang", ... }, lasts = { ... }, servers = 2 }.

    Without ``servers`` all are taken; without ``group`` they are counted over all groups, from the last one on.

    Examples
    --------
    >>> from msj import Exponential
    >>> window = Maintenance(every=Exponential(mean=30), lasts=Exponential(mean=1), servers=3)
    >>> window.components({"old": 4, "new": 2})[0].taken
    ((0, 0), (1, 2))
    """  # noqa: E501

    name: ClassVar[str] = "maintenance"
    summary: ClassVar[str] = "every now and then servers are taken for a while, idle ones first"
    citation: ClassVar[str] = "reset, section 7"

    every: Duration
    lasts: Duration
    servers: int | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        self.set_law("every")
        self.set_law("lasts")
        self.set_group()
        if self.servers is not None:
            object.__setattr__(self, "servers", whole(self.servers, "servers", least=0))

    def check(self, groups: Mapping[str, int]) -> None:
        super().check(groups)
        there = self._there(groups)
        if self.servers is not None and self.servers > there:
            raise InvalidInput(f"servers = {self.servers} is more than there are, {there}; take fewer")

    def _there(self, groups: Mapping[str, int]) -> int:
        return sum(groups.values()) if self.group is None else groups[self.group]

    def components(self, groups: Mapping[str, int]) -> list[Component]:
        taken = self._there(groups) if self.servers is None else self.servers
        return [
            Component(
                sojourn=(self.every, self.lasts),
                jump=((0.0, 1.0), (1.0, 0.0)),
                taken=((0,) * len(groups), from_last(taken, groups, self.group)),
                speed=(1.0, 1.0),
                hits=IDLE_FIRST,
            )
        ]


VARIANT = Maintenance
