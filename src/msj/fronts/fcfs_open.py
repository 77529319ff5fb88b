"""Open MSJ FCFS on counts: exact at every load.

A state is the level n and the counts c of jobs in service per type; n − |c| jobs wait. Level n has two kinds of phases:
nobody waits (|c| = n, any number f of free servers), or somebody does (|c| < n), and then the head is blocked: f < max
need, and all that is known of the head is need > f (see ``fcfs_counts``). From level L = floor(k/min need) on nobody
can be there without the servers being full of the smallest jobs, and the phases are those of the saturated chain.

- an arrival starts if nobody waits and it fits, else it joins the queue;
- after a completion the head, drawn given need > f, starts if it fits now, and then fresh jobs start as long as they
  fit *and somebody is left in the queue*; the starts pass through vanishing phases, eliminated here.

Where jobs come in some order (``ordered_types``), a phase also has h, the state of the order after the last job that
has started; it is numbered by the counts, then by h. Nobody looks at the classes of those that wait.

Everything is arrays over the phases of a level.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from msj.errors import TooLarge
from msj.fronts.count_space import CountSpace, count_space
from msj.fronts.entries import Entries
from msj.fronts.job_types import JobTypes, job_types
from msj.fronts.open_model import OpenModel
from msj.fronts.ordered_types import OrderedTypes, ordered_types
from msj.markov.marked_chain import Sparse
from msj.model import System

Index = NDArray[np.int64]
MOST_VECTORS = 2_000_000  # far beyond what the level process can solve; keeps the counting itself cheap


def open_level_sizes(system: System) -> tuple[int, ...]:
    """Return how many phases each level up to L has, by counting only."""
    return _builder(system).level_sizes()


def open_fcfs(system: System) -> OpenModel:
    """Build the open model of a system under FCFS."""
    return _builder(system).build()


@lru_cache(maxsize=1)
def _builder(system: System) -> _Builder:
    # Sizes are asked for before the model is built: the vectors are enumerated once for both.
    return _Builder(system)


class _Builder:
    """Level by level, over one numbering of all count vectors that fit."""

    def __init__(self, system: System) -> None:
        self.types: JobTypes = job_types(system)
        self.classes = len(system.classes)
        needs = self.types.needs
        self.most_need = int(needs.max())
        self.levels = system.servers // int(needs.min())
        self.space: CountSpace = count_space(system.servers, needs, system.servers + 1)
        if self.space.size > MOST_VECTORS:
            raise TooLarge(
                f"{self.space.size:,.0f} sets of jobs fit together on {system.servers:,} servers and at most "
                f"{MOST_VECTORS:,} can be handled exactly; use the RESET prediction (msj analyse), or simulate"
            )
        self.counts = self.space.vectors()
        self.free: Index = system.servers - self.counts @ needs
        self.in_service: Index = self.counts.sum(axis=1)
        self.order: OrderedTypes = ordered_types(system, self.types, system.servers + self.most_need)
        self.states = self.order.states
        self.blocking = self.free < self.most_need

    def level_sizes(self) -> tuple[int, ...]:
        together = np.bincount(self.in_service, minlength=self.levels + 1)
        blocking = np.cumsum(np.bincount(self.in_service[self.blocking], minlength=self.levels + 1))
        return tuple((self.states * (together + np.append(0, blocking[:-1]))).tolist())

    @cached_property
    def members(self) -> list[Index]:
        """Numbers of the phases of each level, ascending: count vector × states of the order + state."""
        states = np.arange(self.states)
        found = []
        for n in range(self.levels + 1):
            vectors = np.flatnonzero((self.in_service == n) | (self.blocking & (self.in_service < n)))
            found.append((vectors[:, None] * self.states + states).ravel())
        return found

    def build(self) -> OpenModel:
        by_class = np.zeros((len(self.types), self.classes), dtype=np.int64)
        by_class[np.arange(len(self.types)), self.types.class_of] = 1
        levels = range(self.levels + 1)
        return OpenModel(
            quiet=tuple(self._quiet(n) for n in levels),
            arrivals=tuple(self._arrivals(n) for n in range(self.levels)),
            completions=(None, *(self._completions(n) for n in range(1, self.levels + 1))),
            repeating_completions=self._completions(self.levels + 1),
            in_service=tuple(self.counts[self._vectors(n)] @ by_class for n in levels),
            free_servers=tuple(self.free[self._vectors(n)] for n in levels),
            order_state=tuple(self.members[n] % self.states for n in levels),
        )

    def _phases(self, level: int) -> Index:
        return self.members[min(level, self.levels)]

    def _vectors(self, level: int) -> Index:
        """The count vector of each phase of a level."""
        return self._phases(level) // self.states

    @cached_property
    def without(self) -> list[Index]:
        """For each type, the number of every count vector with one job of it less; of one that has none, nonsense."""
        found = []
        for i in range(len(self.types)):
            has = np.flatnonzero(self.counts[:, i])
            fewer = self.counts[has]
            fewer[:, i] -= 1
            found.append(np.zeros(len(self.counts), dtype=np.int64))
            found[-1][has] = self.space.rank(fewer)
        return found

    @cached_property
    def with_one(self) -> list[Index]:
        """For each type, the number of every count vector with one job of it more; where none fits, nonsense."""
        found = []
        for i, fewer in enumerate(self.without):
            has = np.flatnonzero(self.counts[:, i])
            found.append(np.zeros(len(self.counts), dtype=np.int64))
            found[-1][fewer[has]] = has
        return found

    def _place(self, level: int, vectors: Index, states: Index | int) -> Index:
        """Positions of count vectors, with states of the order, among the phases of a level."""
        return np.searchsorted(self._phases(level), vectors * self.states + states)

    def _quiet(self, level: int) -> Sparse:
        vectors, states = self._vectors(level), self._phases(level) % self.states
        entries = Entries(len(vectors), len(vectors))
        for i, j in np.argwhere(self.types.phase_changes):
            has = np.flatnonzero(self.counts[vectors, i])
            moved = self._place(level, self.with_one[j][self.without[i][vectors[has]]], states[has])
            entries.add(has, moved, self.counts[vectors[has], i] * self.types.phase_changes[i, j])
        return entries.matrix()

    def _arrivals(self, level: int) -> Sparse:
        vectors, states = self._vectors(level), self._phases(level) % self.states
        entries = Entries(len(vectors), len(self._phases(level + 1)))
        nobody_waits = self.in_service[vectors] == level
        joins = np.flatnonzero(~nobody_waits)
        entries.add(joins, self._place(level + 1, vectors[joins], states[joins]), np.ones(len(joins)))
        blocked = self.order.blocked[states, self.free[vectors]]
        blocks = np.flatnonzero(nobody_waits & (blocked > 0))
        entries.add(blocks, self._place(level + 1, vectors[blocks], states[blocks]), blocked[blocks])
        for before, j, after, chance in self.order.entries:
            fits = np.flatnonzero(nobody_waits & (states == before) & (self.types.needs[j] <= self.free[vectors]))
            started = self._place(level + 1, self.with_one[j][vectors[fits]], after)
            entries.add(fits, started, np.full(len(fits), chance))
        return entries.matrix()

    def _completions(self, level: int) -> Sparse:
        phases, below = self._phases(level), self._phases(level - 1)
        vectors, states = phases // self.states, phases % self.states
        direct = Entries(len(phases), len(below))
        starting = Entries(len(phases), len(below))
        waits = self.in_service[vectors] < level
        for i in np.flatnonzero(self.types.completion_rates):
            rate = self.counts[vectors, i] * self.types.completion_rates[i]
            leaves = np.flatnonzero((rate > 0) & ~waits)
            reached = self._place(level - 1, self.without[i][vectors[leaves]], states[leaves])
            direct.add(leaves, reached, rate[leaves])
            leaves = np.flatnonzero((rate > 0) & waits)
            free, here = self.free[vectors[leaves]], states[leaves]
            free_after = free + self.types.needs[i]
            blocked, still_blocked = self.order.blocked[here, free], self.order.blocked[here, free_after]
            # A phase in which somebody waits whom nothing blocks is never entered; its row must be one all the same.
            per_head = rate[leaves] / np.where(blocked > 0, blocked, 1.0)
            still = still_blocked > 0
            stays = self._place(level - 1, self.without[i][vectors[leaves[still]]], here[still])
            direct.add(leaves[still], stays, (per_head * still_blocked)[still])
            for before, j, after, chance in self.order.entries:
                need = self.types.needs[j]
                starts = (here == before) & (need <= free_after) & ((need > free) | (blocked == 0))
                begun = self._place(level - 1, self.with_one[j][self.without[i][vectors[leaves[starts]]]], after)
                starting.add(leaves[starts], begun, per_head[starts] * chance)
        entering = starting.matrix()
        if entering.nnz:
            settled = entering @ self._settled(level - 1)
            rows, columns = np.nonzero(settled)
            direct.add(rows, columns, settled[rows, columns])
        return direct.matrix()

    def _settled(self, level: int) -> NDArray[np.float64]:
        """Where filling ends: row x, the law of the phase reached from counts x with the rest of the level waiting."""
        vectors, states = self._vectors(level), self._phases(level) % self.states
        each = np.arange(len(vectors))
        steps = Entries(len(vectors), len(vectors))  # the transpose of 1 − passing: its rows are the other's columns
        steps.add(each, each, np.ones(len(vectors)))
        queue_left = self.in_service[vectors] < level
        for before, j, after, chance in self.order.entries:
            starts = np.flatnonzero(queue_left & (states == before) & (self.types.needs[j] <= self.free[vectors]))
            # A phase that starts somebody from the queue is a vanishing one; all of them are phases of the level.
            begun = self._place(level, self.with_one[j][vectors[starts]], after)
            steps.add(begun, starts, np.full(len(starts), -chance))
        settles = np.where(queue_left, self.order.blocked[states, self.free[vectors]], 1.0)
        # Starts raise the lexicographic rank: the matrix is triangular and its factors have no fill.
        return np.asarray(splu(steps.matrix().T, permc_spec="NATURAL", diag_pivot_thresh=0.0).solve(np.diag(settles)))
