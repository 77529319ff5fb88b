"""What surrounds a cluster, for fronts put together from parts: it takes servers and changes speeds (reset, section 7).

Several components, independent of each other and of the jobs. Each is semi-Markov: it stays in a state for a time of
that state's law and jumps by given probabilities. With phase-type laws (state, phase) is a Markov chain. A state takes
servers from groups and has a speed; takings add up, as far as there are servers, and speeds multiply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msj.fronts.parts_segments import Phases

Surroundings = tuple[tuple[int, int], ...]  # state and phase of each component


class Change(NamedTuple):
    """A change of the surroundings: its rate, what they are then, and how servers go if any do; "" if none can."""

    rate: float
    after: Surroundings
    hits: str


class Environment:
    """All components around groups of so many ``servers``."""

    def __init__(self, components: Sequence[Mapping[str, Any]], servers: Sequence[int]) -> None:
        self.components = components
        self.servers = tuple(servers)
        self._phases = [[Phases(law) for law in component["sojourn"]] for component in components]
        self._up: dict[Surroundings, tuple[int, ...]] = {}
        self._changes: dict[Surroundings, tuple[Change, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self.components)

    @property
    def takes_servers(self) -> bool:
        """Whether servers are ever taken."""
        return any(any(map(any, component["taken"])) for component in self.components)

    @property
    def one_speed(self) -> bool:
        """Whether the speed is always 1."""
        return all(speed == 1 for component in self.components for speed in component["speed"])

    def first(self) -> Surroundings:
        """Return one way to begin: every component in its first state."""
        return tuple((0, own[0].first[0][0]) for own in self._phases)

    def up(self, around: Surroundings) -> tuple[int, ...]:
        """Return how many servers of each group are not taken."""
        if around not in self._up:
            left = list(self.servers)
            for component, (state, _) in zip(self.components, around, strict=True):
                left = [n - taken for n, taken in zip(left, component["taken"][state], strict=True)]
            self._up[around] = tuple(max(0, n) for n in left)
        return self._up[around]

    def speed(self, around: Surroundings) -> float:
        """Return the factor by which segments make progress."""
        found = 1.0
        for component, (state, _) in zip(self.components, around, strict=True):
            found *= float(component["speed"][state])
        return found

    def changes(self, around: Surroundings) -> tuple[Change, ...]:
        """Return all that can happen to the surroundings."""
        if around not in self._changes:
            self._changes[around] = tuple(self._all_changes(around))
        return self._changes[around]

    def _all_changes(self, around: Surroundings) -> Iterator[Change]:
        for i, (state, phase) in enumerate(around):
            component, phases = self.components[i], self._phases[i]
            before, behind = around[:i], around[i + 1 :]
            for rate, to in phases[state].steps[phase]:
                if to is not None:
                    yield Change(rate, (*before, (state, to), *behind), "")
                    continue
                for then, chance in enumerate(component["jump"][state]):
                    if chance > 0:
                        for first, share in phases[then].first:
                            after = (*before, (then, first), *behind)
                            yield Change(rate * float(chance) * share, after, component["hits"])
