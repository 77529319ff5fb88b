"""Servers that are switched off and take a set-up time to come on, group by group (reset, Appendix H.5).

Of a group it is known how many servers are on, the phases of the set-ups under way and those of the delays after which
surplus servers go off, both in order of beginning. ``settled`` makes these fit the servers that are *wanted*: set-ups
begin or are broken off, the latest first; surplus servers are switched off, or their delays begin; delays of a surplus
that is gone are cancelled, the latest first. Where a law begins in a random phase, so does what is begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from msj.fronts.parts_segments import Phases


class Group(NamedTuple):
    """Servers of a group: how many are on, set-ups and delays under way by phase, in order of beginning."""

    on: int
    set_ups: tuple[int, ...]
    delays: tuple[int, ...]


Power = tuple[Group, ...]  # of each group; empty where all servers are always on
Law = tuple[tuple[Power, float], ...]


class Switching:
    """How servers come on and go off; without ``set_up`` all that are up are on."""

    def __init__(self, set_up: Mapping[str, Any] | None, groups: int) -> None:
        self.groups = groups
        self.there = set_up is not None
        if set_up is not None:
            self.staggered: bool = set_up["staggered"]
            self.law = Phases(set_up["law"])
            self.delay = None if set_up["delay"] is None else Phases(set_up["delay"])

    def first(self) -> Power:
        """Return the state in which all servers are off."""
        return (Group(0, (), ()),) * self.groups if self.there else ()

    def settled(self, power: Power, wanted: Sequence[int]) -> Law:
        """Return the law of the state once it fits the wanted servers."""
        each = [self._settled(*pair) for pair in zip(power, wanted, strict=True)]
        law = []
        for groups in product(*each):
            chance = 1.0
            for _, own in groups:
                chance *= own
            law.append((tuple(group for group, _ in groups), chance))
        return tuple(law)

    def _settled(self, group: Group, wanted: int) -> list[tuple[Group, float]]:
        on, set_ups, delays = group
        begin = wanted - on - len(set_ups)
        if begin < 0:
            set_ups = set_ups[: max(0, wanted - on)]
        elif self.staggered:
            begin = min(begin, 1 - len(set_ups))
        surplus = max(0, on - wanted)
        if self.delay is None:
            return [(Group(on - surplus, begun, ()), chance) for begun, chance in _begun(set_ups, begin, self.law)]
        delays = delays[:surplus]
        return [
            (Group(on, begun, going), chance * other)
            for begun, chance in _begun(set_ups, begin, self.law)
            for going, other in _begun(delays, surplus - len(delays), self.delay)
        ]

    def steps(self, power: Power) -> Iterator[tuple[float, Power, bool]]:
        """Yield (rate, state after, whether a server has come on)."""
        for g, (on, set_ups, delays) in enumerate(power):
            before, behind = power[:g], power[g + 1 :]
            for i, phase in enumerate(set_ups):
                for rate, to in self.law.steps[phase]:
                    left = (*set_ups[:i], *(() if to is None else (to,)), *set_ups[i + 1 :])
                    yield rate, (*before, Group(on + (to is None), left, delays), *behind), to is None
            for i, phase in enumerate(delays):
                assert self.delay is not None
                for rate, to in self.delay.steps[phase]:
                    left = (*delays[:i], *(() if to is None else (to,)), *delays[i + 1 :])
                    yield rate, (*before, Group(on - (to is None), set_ups, left), *behind), False


def _begun(under_way: tuple[int, ...], more: int, law: Phases) -> list[tuple[tuple[int, ...], float]]:
    """Return (phases, probability) with ``more`` begun behind those under way; those begun together in any order."""
    found: list[tuple[tuple[int, ...], float]] = [(under_way, 1.0)]
    for _ in range(more):
        found = [((*phases, j), chance * own) for phases, chance in found for j, own in law.first]
    return found
