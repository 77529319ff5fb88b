"""Rules that look only at how many jobs of each need there are: who is served, by counts.

Let n_i be the number of jobs present of the i-th need, in ascending order. A rule of this kind serves the s_i(n) oldest
jobs of each need (or, without preemption, starts so many of those that wait), whatever their order of arrival. With
exponential durations the counts are then a Markov chain (``fronts.count_levels``).

A policy says so by its trait ``counting``. This is a second way to say what its plain function says; the tests compare
the two on random counts.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.int64]
#: Ways in which a decision may go: chances, and how many are served (by speed: 1 is a job on all it needs).
Ways: TypeAlias = list[tuple[NDArray[np.float64], NDArray[np.float64]]]
MOST_SETS, MOST_PACKINGS = 100_000, 4_000
LISTED = 256  # maximal packings among which a tie is broken at random with equal chances; beyond, need by need


class Counting(ABC):
    """Who is served on ``servers`` servers by how many jobs of each of ``needs`` there are."""

    servers: int
    needs: tuple[int, ...]
    preemptive: bool
    shares: bool = False  # whether a job may run on fewer servers than it can use
    idles: bool = False  # whether jobs may wait although they fit

    @abstractmethod
    def served(self, present: Counts) -> Ways:
        """Return who is served, with preemption, at every row of ``present``: rows × needs."""

    def started(self, present: Sequence[int], running: Sequence[int]) -> tuple[int, ...]:
        """Return how many of each need run, without preemption, once those that may start have started."""
        raise NotImplementedError  # only for rules that are not preemptive

    @property
    def at_rest(self) -> tuple[int, ...]:
        """What the rule remembers in an empty system."""
        return ()

    def entered(
        self, present: Sequence[int], running: Sequence[int], memory: tuple[int, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return ``started``, and what the rule remembers from then on: nothing, if it looks at counts only."""
        return self.started(present, running), memory

    @abstractmethod
    def steady_from(self, level: int, most: Sequence[int]) -> int:
        """Return from how many jobs of need number ``level`` on more of them change nothing.

        The other needs have at most ``most`` jobs present (what it says of ``level`` itself is not looked at).
        """

    @property
    @abstractmethod
    def levels(self) -> tuple[int, ...]:
        """The needs whose count may be the level of a chain, the best first."""

    @property
    def situations(self) -> int:
        """How many ways there are to run jobs and to remember something; for rules that let servers idle."""
        return 1

    def why_not_decided(self) -> str | None:
        """Return the reason if deciding takes too long, else None."""
        return None


@dataclass(frozen=True, kw_only=True)
class ByNeed(Counting):
    """Every job that still fits, larger or smaller needs first.

    ``shares``: the last job takes what remains, be it less than it can use.
    """

    servers: int
    needs: tuple[int, ...]
    larger_first: bool
    preemptive: bool = True
    shares: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """The needs, the favoured ones first."""
        order = range(len(self.needs))
        return tuple(reversed(order) if self.larger_first else order)

    @property
    def levels(self) -> tuple[int, ...]:
        return self.order[-1:] if self.preemptive else self.order[::-1]  # with preemption the others do not see it

    def served(self, present: Counts) -> Ways:
        served = np.zeros(present.shape)
        free = np.full(len(present), float(self.servers))
        for i in self.order:
            room = free / self.needs[i]
            served[:, i] = np.minimum(present[:, i], room if self.shares else np.floor(room))
            free -= served[:, i] * self.needs[i]
        return [(np.ones(len(present)), served)]

    def started(self, present: Sequence[int], running: Sequence[int]) -> tuple[int, ...]:
        now = list(running)
        free = self.servers - sum(v * s for v, s in zip(self.needs, running, strict=True))
        for i in self.order:
            fits = min(present[i] - now[i], free // self.needs[i])
            now[i] += fits
            free -= fits * self.needs[i]
        return tuple(now)

    def steady_from(self, level: int, most: Sequence[int]) -> int:
        together = -(-self.servers // self.needs[level])
        return together if self.preemptive else 2 * together + 1  # so many run, and so many wait


@dataclass(frozen=True, kw_only=True)
class Heaviest(Counting):
    """The packing z of largest weight, sum of n_i·z_i; see ``disciplines.max_weight``."""

    servers: int
    needs: tuple[int, ...]
    limited: bool
    ties: str
    preemptive: bool = True

    @property
    def levels(self) -> tuple[int, ...]:
        return tuple(range(len(self.needs)))

    def why_not_decided(self) -> str | None:
        sets = math.prod(self.servers // need + 1 for need in self.needs)
        if sets <= MOST_SETS and len(self.packings) <= MOST_PACKINGS:
            return None
        return f"jobs of {len(self.needs)} needs fit on {self.servers:,} servers in too many ways to list; simulate it"

    @property
    def packings(self) -> Counts:
        """All packings that may be best, in lexicographic order: where there is no limit, those that are full."""
        return (_packings if self.limited else _full)(self.needs, self.servers)

    def served(self, present: Counts) -> Ways:
        weight = present @ self.packings.T
        if self.limited:
            weight[(self.packings[None, :, :] > present[:, None, :]).any(axis=2)] = -1
        best = weight == weight.max(axis=1, keepdims=True)
        first = np.argmax(best, axis=1)
        served = np.minimum(self.packings[first], present).astype(float)
        ways: Ways = [(np.ones(len(present)), served)]
        for row in np.flatnonzero(best.sum(axis=1) > 1):
            laws = self._tie(present[row], self.packings[best[row]])
            while len(ways) < len(laws):
                ways.append((np.zeros(len(present)), served.copy()))
            for (chances, targets), (target, chance) in zip(ways, laws.items(), strict=False):
                chances[row], targets[row] = chance, target
        return ways

    def _tie(self, present: Counts, best: Counts) -> dict[tuple[int, ...], float]:
        """Return the law of who is served where several packings are best."""
        order = range(len(self.needs))
        if self.ties == "random" and not self.limited and len(self.packings) <= LISTED:
            each = [(tuple(np.minimum(z, present).tolist()), 1.0 / len(best)) for z in best]
        else:
            asked = [i for i in (reversed(order) if self.ties == "largest" else order) if present[i] > 0]
            each = [(tuple(np.minimum(z, present).tolist()), chance) for z, chance in self._asked(best, asked)]
        law: dict[tuple[int, ...], float] = {}
        for target, chance in each:
            law[target] = law.get(target, 0.0) + chance
        return law

    def _asked(self, best: Counts, asked: list[int]) -> Iterator[tuple[Counts, float]]:
        """Decide need by need: the most that a best packing has or, at random, each number equally likely."""
        if not asked:
            yield best[0], 1.0
            return
        numbers = np.unique(best[:, asked[0]])[::-1]
        numbers = numbers if self.ties == "random" else numbers[:1]
        for number in numbers:
            for packing, chance in self._asked(best[best[:, asked[0]] == number], asked[1:]):
                yield packing, chance / len(numbers)

    def steady_from(self, level: int, most: Sequence[int]) -> int:
        # A packing with more jobs of the level's need weighs more as soon as there are enough of them.
        others = [i for i in range(len(self.needs)) if i != level]
        caps = np.array([most[i] for i in others], dtype=float)
        ratio = 0.0
        for z in self.packings:
            gain = z[level] - self.packings[:, level]
            lost = np.maximum(self.packings[:, others] - z[others], 0) @ caps
            ratio = max(ratio, float((lost[gain > 0] / gain[gain > 0]).max(initial=0.0)))
        return max(int(ratio) + 1, self.servers // self.needs[level])


@lru_cache(maxsize=16)
def _packings(needs: tuple[int, ...], servers: int) -> Counts:
    """Return every set of jobs that fits, as counts by need."""
    every = np.array(list(product(*(range(servers // need + 1) for need in needs))), dtype=np.int64)
    return np.asarray(every[every @ np.array(needs) <= servers])


@lru_cache(maxsize=16)
def _full(needs: tuple[int, ...], servers: int) -> Counts:
    """Return those to which no job can be added."""
    every = _packings(needs, servers)
    return np.asarray(every[servers - every @ np.array(needs) < min(needs)])
