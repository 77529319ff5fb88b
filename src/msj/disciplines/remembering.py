"""Rules that look at how many jobs of each need are present and in service, and remember something: whose turn it is.

No preemption; within a need the oldest job starts first. One plain function says all of it::

    def decide(needs, present, running, servers, memory): ...

``needs`` are the different needs in ascending order, ``present`` and ``running`` how many jobs of each there are and
are in service; the function raises ``running`` by those that start, and may change ``memory``, whole numbers that are 0
in the beginning. It is asked after every arrival and every completion, and starts somebody if nobody is in service. It
uses nothing but loops over these arrays: compiled it is simulated (``engines.by_counts``), called plainly it makes the
exact chain for exponential durations (``fronts.count_levels``: counts, jobs in service and memory).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Policy, Serve
from msj.disciplines.counting import Counting, Counts, Ways
from msj.disciplines.served_by import ServedBy

Whole = NDArray[np.int64]
MANY = 5_000  # states looked at
Decide: TypeAlias = Callable[[Whole, Whole, Whole, int, Whole], None]


@dataclass(frozen=True, kw_only=True)
class Remembering(Policy):
    """Base of these policies."""

    preemptive: ClassVar[bool] = False
    serve_is_complete: ClassVar[bool] = False
    #: How many whole numbers are remembered, and how many different values they take together at most.
    cells: ClassVar[int] = 1
    modes: ClassVar[int] = 2
    #: Whether each need is served until none of it waits, one need after the other.
    takes_turns: ClassVar[bool] = False

    @property
    @abstractmethod
    def decide(self) -> Decide:
        """The plain function."""

    @property
    def front(self) -> None:
        return None

    @property
    def beyond(self) -> int:
        """From how many jobs of a need on, over those that fit, more of them change nothing."""
        return 0

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_counts:ByCountsEngine", rule=self)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting:
        return Remembered(servers=servers, needs=tuple(needs), rule=self)

    def compiled_decision(self, signature: Any) -> Any:
        """Compile the function for a signature of numba's."""
        return _compiled(self.decide, signature)

    @property
    def serve(self) -> Serve:
        return _from_rest(self.decide, self.cells)


@cache
def _compiled(decide: Decide, signature: Any) -> Any:
    from numba import njit

    return njit(signature)(decide)


@cache
def _from_rest(decide: Decide, cells: int) -> Serve:
    """Return who is served by a rule that remembers nothing yet, as it would with these jobs in an empty system."""

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        kinds, kind_of = np.unique(needs, return_inverse=True)
        present = np.bincount(kind_of, minlength=len(kinds)).astype(np.int64)
        now = np.bincount(kind_of, weights=running, minlength=len(kinds)).astype(np.int64)
        decide(kinds, present, now, servers, np.zeros(cells, dtype=np.int64))
        chosen |= running
        for kind, count in enumerate(now):
            of_it = np.flatnonzero((kind_of == kind) & ~chosen)
            chosen[of_it[: count - int((chosen & (kind_of == kind)).sum())]] = True

    return serve


@dataclass(frozen=True, kw_only=True)
class Remembered(Counting):
    """The rule on the needs of one system."""

    servers: int
    needs: tuple[int, ...]
    rule: Remembering
    preemptive: bool = False
    idles: bool = True

    @property
    def takes_turns(self) -> bool:
        """Whether each need is served until none of it waits, one need after the other."""
        return self.rule.takes_turns

    @property
    def levels(self) -> tuple[int, ...]:
        return tuple(range(len(self.needs)))

    @property
    def at_rest(self) -> tuple[int, ...]:
        return (0,) * self.rule.cells

    def served(self, present: Counts) -> Ways:
        raise NotImplementedError  # only for rules that are preemptive

    def entered(
        self, present: Sequence[int], running: Sequence[int], memory: tuple[int, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        now, kept = np.array(running, dtype=np.int64), np.array(memory, dtype=np.int64)
        self.rule.decide(np.array(self.needs), np.array(present), now, self.servers, kept)
        return tuple(now.tolist()), tuple(kept.tolist())

    def steady_from(self, level: int, most: Sequence[int]) -> int:
        return 2 * (self.servers // self.needs[level]) + 1 + self.rule.beyond

    @property
    def situations(self) -> int:
        return _situations(self)


@lru_cache(maxsize=64)
def _situations(counting: Remembered) -> int:
    """Count who may run and what may be remembered, by looking; or say at most how many, where that takes long."""
    kinds = range(len(counting.needs))
    most = [counting.steady_from(level, ()) for level in kinds]
    nobody = (0,) * len(most)
    visited = [(nobody, *counting.entered(nobody, nobody, counting.at_rest))]
    met = set(visited)
    for present, running, memory in visited:  # the list grows while it is read
        for i in kinds:
            for step, allowed in ((1, present[i] < most[i]), (-1, running[i] > 0)):
                if not allowed:
                    continue
                there = tuple(n + step * (j == i) for j, n in enumerate(present))
                still = tuple(n + min(step, 0) * (j == i) for j, n in enumerate(running))
                reached = (there, *counting.entered(there, still, memory))
                if reached not in met:
                    met.add(reached)
                    visited.append(reached)
        if len(visited) > MANY:
            return max(counting.rule.modes, len(most)) * prod(counting.servers // need + 1 for need in counting.needs)
    return len({(running, memory) for _, running, memory in visited})
