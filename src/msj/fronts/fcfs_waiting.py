"""Open MSJ FCFS by the number of waiting jobs: levels that repeat from the first one on.

``fcfs_open`` counts jobs in the system; its levels grow until the servers are full of the smallest jobs. Count those
that *wait* instead (q). With q = 0, any counts that fit; with q >= 1 the head is blocked, so only the states of the
saturated chain, and the same rates at every q:

- an arrival starts if nobody waits and it fits; else q grows by one;
- a completion after which the head is still blocked leaves q as it is;
- a completion after which it fits starts it, and fresh jobs as long as they fit and somebody waits: q falls by as many.
  The starts are taken one at a time through the vanishing states of ``fcfs_counts``, each one level lower.

So all blocks above q = 0 are those of the saturated chain, sparse and made once, whatever the load. Where jobs come in
some order (``ordered_types``) a state also has h, that of the order after the last job that has started.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import gammaln

from msj.errors import TooLarge
from msj.fronts.count_space import CountSpace, count_space
from msj.fronts.entries import Entries
from msj.fronts.fcfs_counts import CountsChain, number_of_states, saturated_chain
from msj.fronts.job_types import JobTypes, job_types
from msj.fronts.ordered_types import OrderedTypes, ordered_types
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLevels
from msj.model import System
from msj.model.arrivals import MarkovForm

Vector = NDArray[np.float64]
MOST_VECTORS = 20_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class WaitingModel:
    """The blocks apart from the arrivals, and what the states mean; states of the ground are (counts, order)."""

    types: JobTypes
    blocked: CountsChain  # the states of q >= 1
    counts: NDArray[np.int32]  # those of q = 0: every vector that fits
    free: NDArray[np.int64]
    order_state: NDArray[np.int64]  # of the order of jobs, after the last that has started
    place: NDArray[np.int64]  # where the states of q >= 1 are among those of q = 0
    starts: Sparse  # where an arrival that fits leads from q = 0
    ends: Sparse  # completions and changes of phase at q = 0
    blocked_share: Vector  # P(need > free) at q = 0

    def at(self, arrival_rate: float) -> SparseLevels:
        """Return the levels under Poisson arrivals at one rate."""
        return self.under(MarkovForm.of([[-arrival_rate]], [[arrival_rate]]))

    def under(self, form: MarkovForm) -> SparseLevels:
        """Return the levels under Markovian arrivals without passing phases: states are (state, phase of the arrivals).

        The two do not know of each other: arrivals are D1 on one side and start or queue on the other, all else happens
        on one side only.
        """
        chain, phases = self.blocked.chain, len(form)
        states, each = len(self.place), np.arange(len(self.place))
        one, marked = sparse.eye_array(phases, format="csr"), sparse.csr_array(form.D1)
        quiet = sparse.csr_array(form.D0 - np.diag(np.diag(form.D0)))
        changing = form.D1.sum(axis=1) + quiet.sum(axis=1)

        def beside(matrix: Sparse, other: Sparse = one) -> Sparse:
            return sparse.csr_array(sparse.kron(matrix, other, format="csr"))

        def of_phases(size: int) -> Sparse:
            return beside(sparse.eye_array(size, format="csr"), quiet)

        leaving = -chain.quiet.diagonal()
        local = chain.quiet + chain.completing + sparse.diags_array(leaving)
        local.eliminate_zeros()
        away = np.add.outer(np.asarray(self.ends.sum(axis=1)).ravel(), changing).ravel()
        shape = (len(self.counts), states)
        into = sparse.csr_array((self.blocked_share[self.place], (self.place, each)), shape=shape)
        landing = sparse.csr_array((np.ones(states), (each, self.place)), shape=shape[::-1])
        ground = beside(self.starts, marked) + beside(self.ends) + of_phases(len(self.counts))
        return SparseLevels(
            arrival_rate=form.rate,
            ground=(ground - sparse.diags_array(away)).tocsr(),
            ground_up=beside(into, marked),
            up=beside(sparse.eye_array(states, format="csr"), marked),
            local=sparse.csr_array(beside(local) + of_phases(states)),
            leaving=np.add.outer(leaving, changing).ravel(),
            starting=beside(chain.starting),
            passing=beside(chain.passing),
            settling=beside(chain.settling),
            landing=beside(landing),
        )

    def without_blocking(self, arrival_rate: float) -> Vector:
        """Return the law at q = 0 if all that do not fit were lost: a product of Poisson laws, a good start."""
        types = self.types
        generator = types.phase_changes - np.diag(types.phase_changes.sum(axis=1) + types.completion_rates)
        mean = arrival_rate * np.linalg.solve(-generator.T, types.fresh)
        logs = self.counts @ np.log(np.maximum(mean, 1e-300)) - gammaln(self.counts + 1.0).sum(axis=1)
        law = np.exp(logs - logs.max())
        return np.asarray(law / law.sum())


def waiting_sizes(system: System) -> tuple[float, float]:
    """Return how many states q = 0 and every q >= 1 have, by counting only."""
    types = job_types(system)
    try:
        order = ordered_types(system, types, 0)
        ground = count_space(system.servers, types.needs, system.servers + 1).size * order.states
        return ground, number_of_states(system)
    except TooLarge:
        return np.inf, np.inf


def waiting_model(system: System) -> WaitingModel:
    """Build the model of a system under FCFS."""
    types = job_types(system)
    space = count_space(system.servers, types.needs, system.servers + 1)
    order = ordered_types(system, types, system.servers)
    if space.size * order.states > MOST_VECTORS:
        raise TooLarge(
            f"{space.size:,.0f} sets of jobs fit together on {system.servers:,} servers and at most "
            f"{MOST_VECTORS / order.states:,.0f} can be handled exactly; use the RESET prediction (msj analyse), or "
            "simulate"
        )
    blocked = saturated_chain(system)
    counts = space.vectors()
    free = system.servers - counts @ types.needs
    starts, ends = _ground(types, order, space, counts, free)
    return WaitingModel(
        types=types,
        blocked=blocked,
        counts=np.repeat(counts, order.states, axis=0),
        free=np.repeat(free, order.states),
        order_state=np.tile(np.arange(order.states), len(counts)),
        place=space.rank(blocked.counts) * order.states + blocked.order_state,
        starts=starts,
        ends=ends,
        blocked_share=order.blocked[:, free].T.ravel(),
    )


def _ground(
    types: JobTypes, order: OrderedTypes, space: CountSpace, counts: NDArray[np.int32], free: NDArray[np.int64]
) -> tuple[Sparse, Sparse]:
    size = order.states
    starts, ends = Entries(len(counts) * size, len(counts) * size), Entries(len(counts), len(counts))
    for i in range(len(types)):
        has = np.flatnonzero(counts[:, i])
        without = counts[has]
        without[:, i] -= 1
        for j in np.flatnonzero(types.phase_changes[i]):
            moved = without.copy()
            moved[:, j] += 1
            ends.add(has, space.rank(moved), counts[has, i] * types.phase_changes[i, j])
        if types.completion_rates[i] > 0:
            ends.add(has, space.rank(without), counts[has, i] * types.completion_rates[i])
    for before, kind, after, chance in order.entries:
        fits = np.flatnonzero(types.needs[kind] <= free)
        more = counts[fits]
        more[:, kind] += 1
        starts.add(fits * size + before, space.rank(more) * size + after, np.full(len(fits), chance))
    return starts.matrix(), sparse.csr_array(sparse.kron(ends.matrix(), sparse.eye_array(size), format="csr"))
