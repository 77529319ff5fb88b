"""The saturated system of MSJ FCFS on counts alone.

The papers' simplified saturated system keeps the jobs in service and the class of the blocked head (reset,
section 3.11). The head's class is not needed: while it is blocked nothing starts, so the number f of free servers only
grows, and all that is known of the head is that its need exceeds f. The state is the count of jobs in service per
type (class and phase); the head is drawn at the next completion from the fresh law given need > f:

- a type-i job completes, at rate c_i·mu_i: f' = f + v_i;
- the head is of type j with probability fresh_j·1[v_j > f]/P(V > f);
- if v_j > f' nothing starts; else it starts, and fresh jobs start until one does not fit.

Where jobs come in some order (``ordered_types``), the state also has h, that of the order after the last job that has
started; the head and those behind it are drawn from there. States are numbered by counts, then by h. From some h every
job may fit where others would not: then nobody is blocked, and such a state is never entered.

The starts are taken one at a time through vanishing states (see ``markov.marked_chain``): after the head's start the
free servers number less than max need, so vanishing states are numbered like the others, and as every start raises the
lexicographic rank, they never run in circles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import TooLarge
from msj.fronts.count_space import CountSpace, count_space
from msj.fronts.entries import Entries
from msj.fronts.job_types import JobTypes, job_types
from msj.fronts.ordered_types import OrderedTypes, ordered_types
from msj.markov.marked_chain import MarkedChain
from msj.model import System

MOST_STATES = 1_500_000  # about 4 GB with the factors of the solver
MOST_MOVES = 3_000_000_000  # states × types × types a fresh job may have: a minute or two


@dataclass(frozen=True, kw_only=True, eq=False)
class CountsChain:
    """The chain, with what its states mean."""

    types: JobTypes
    counts: NDArray[np.int32]
    free: NDArray[np.int64]
    order_state: NDArray[np.int64]  # of the order of jobs, after the last that has started
    chain: MarkedChain


def saturated_chain(system: System) -> CountsChain:
    """Build the counts-only saturated chain of a system under FCFS."""
    types = job_types(system)
    space = count_space(system.servers, types.needs, int(types.needs.max()))
    order = ordered_types(system, types, 2 * int(types.needs.max()))
    if space.size * order.states > MOST_STATES:
        raise TooLarge(_too_large(system, space, order.states))
    if space.size * len(types) * len(order.entries) > MOST_MOVES:
        raise TooLarge(
            f"the exact chain would have {space.size:,.0f} states, each a count of {len(types):,} types of jobs "
            "(classes and phases), and take many minutes to write down; merge classes that are alike, or simulate"
        )
    counts = space.vectors()
    free = system.servers - counts @ types.needs
    return CountsChain(
        types=types,
        counts=np.repeat(counts, order.states, axis=0),
        free=np.repeat(free, order.states),
        order_state=np.tile(np.arange(order.states), len(counts)),
        chain=_chain(types, order, space, counts, free),
    )


def number_of_states(system: System) -> float:
    """Return how many states :func:`saturated_chain` would have, without building it."""
    types = job_types(system)
    try:
        order = ordered_types(system, types, 0)
        return count_space(system.servers, types.needs, int(types.needs.max())).size * order.states
    except TooLarge:
        return math.inf


def _chain(
    types: JobTypes, order: OrderedTypes, space: CountSpace, counts: NDArray[np.int32], free: NDArray[np.int64]
) -> MarkedChain:
    vectors, kinds = counts.shape
    size = order.states
    states = vectors * size
    quiet, completing, starting, passing = (Entries(states, states) for _ in range(4))
    for i in range(kinds):
        has = np.flatnonzero(counts[:, i])
        without = counts[has]
        without[:, i] -= 1
        for j in np.flatnonzero(types.phase_changes[i]):
            moved = space.rank(_plus(without, j))
            for h in range(size):
                quiet.add(has * size + h, moved * size + h, counts[has, i] * types.phase_changes[i, j])
        if types.completion_rates[i] == 0:
            continue
        free_after = free[has] + types.needs[i]
        for h in range(size):
            blocked = order.blocked[h]
            # A state in which nobody can be blocked is never entered; its row must be one all the same.
            known = np.where(blocked[free[has]] > 0, blocked[free[has]], 1.0)
            rate = counts[has, i] * types.completion_rates[i] / known
            stays = blocked[free_after] > 0
            if stays.any():
                reached = space.rank(without[stays]) * size + h
                completing.add(has[stays] * size + h, reached, (rate * blocked[free_after])[stays])
            for _, kind, after, chance in order.from_state(h):
                fits = types.needs[kind] <= free_after
                starts = fits & ((types.needs[kind] > free[has]) | (blocked[free[has]] == 0))
                begun = space.rank(_plus(without[starts], kind)) * size + after
                starting.add(has[starts] * size + h, begun, rate[starts] * chance)
    for h, kind, after, chance in order.entries:
        fits = np.flatnonzero(types.needs[kind] <= free)
        begun = space.rank(_plus(counts[fits], kind)) * size + after
        passing.add(fits * size + h, begun, np.full(len(fits), chance))
    leaving = quiet.row_sums() + completing.row_sums() + starting.row_sums()
    quiet.add(np.arange(states), np.arange(states), -leaving)
    likely = _likely_state(types, space, counts)
    return MarkedChain(
        quiet=quiet.matrix(),
        completing=completing.matrix(),
        starting=starting.matrix(),
        passing=passing.matrix(),
        settling=sparse.diags_array(order.blocked[:, free].T.ravel(), format="csr"),
        dimension=kinds - 1 if size == 1 else None,  # the number of free servers stays below max need
        likely_state=likely if size == 1 else None,
    )


def _plus(counts: NDArray[np.int32], j: int | np.intp) -> NDArray[np.int32]:
    more = counts.copy()
    more[:, j] += 1
    return more


def _likely_state(types: JobTypes, space: CountSpace, counts: NDArray[np.int32]) -> int:
    """Index of a state near the middle: counts in proportion to the time jobs spend in each type."""
    generator = types.phase_changes - np.diag(types.phase_changes.sum(axis=1) + types.completion_rates)
    occupancy = np.linalg.solve(-generator.T, types.fresh)
    middle = occupancy * space.servers / (occupancy @ types.needs)
    weight = types.needs / np.maximum(middle, 1e-300)
    return int(np.argmin(((counts - middle) ** 2 * weight).sum(axis=1)))


def _too_large(system: System, space: CountSpace, states: int) -> str:
    fits = np.flatnonzero(space.ways[0] * states > MOST_STATES)
    largest = int(fits[0]) - 1 if len(fits) else system.servers
    return (
        f"the exact chain would have {space.size * states:,.0f} states and at most {MOST_STATES:,} fit; "
        f"the same classes fit on up to {largest:,} servers: use fewer servers, classes or phases, or simulate"
    )
