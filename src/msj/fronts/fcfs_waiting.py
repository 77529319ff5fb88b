"""Open MSJ FCFS by the number of waiting jobs: levels that repeat from the first one on.

``fcfs_open`` counts jobs in the system; its levels grow until the servers are full of the smallest jobs. Count those
that *wait* instead (q). With q = 0, any counts that fit; with q >= 1 the head is blocked, so only the states of the
saturated chain, and the same rates at every q:

- an arrival starts if nobody waits and it fits; else q grows by one;
- a completion after which the head is still blocked leaves q as it is;
- a completion after which it fits starts it, and fresh jobs as long as they fit and somebody waits: q falls by as many.
  The starts are taken one at a time through the vanishing states of ``fcfs_counts``, each one level lower.

So all blocks above q = 0 are those of the saturated chain, sparse and made once, whatever the load.
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
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLevels
from msj.model import System

Vector = NDArray[np.float64]
MOST_VECTORS = 20_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class WaitingModel:
    """The blocks apart from the arrival rate, and what the states mean."""

    types: JobTypes
    blocked: CountsChain  # the states of q >= 1
    counts: NDArray[np.int32]  # those of q = 0: every vector that fits
    free: NDArray[np.int64]
    place: NDArray[np.int64]  # where the states of q >= 1 are among those of q = 0
    starts: Sparse  # where an arrival that fits leads from q = 0
    ends: Sparse  # completions and changes of phase at q = 0
    blocked_share: Vector  # P(need > free) at q = 0

    def at(self, arrival_rate: float) -> SparseLevels:
        """Return the levels at one arrival rate."""
        chain = self.blocked.chain
        states = len(self.place)
        leaving = -chain.quiet.diagonal()
        local = chain.quiet + chain.completing + sparse.diags_array(leaving)
        local.eliminate_zeros()
        away = np.asarray(self.ends.sum(axis=1)).ravel() + arrival_rate
        shape = (len(self.counts), states)
        each, ones = np.arange(states), np.ones(states)
        into = sparse.csr_array((arrival_rate * self.blocked_share[self.place], (self.place, each)), shape=shape)
        return SparseLevels(
            arrival_rate=arrival_rate,
            ground=(arrival_rate * self.starts + self.ends - sparse.diags_array(away)).tocsr(),
            ground_up=into,
            up=sparse.diags_array(np.full(states, arrival_rate), format="csr"),
            local=sparse.csr_array(local),
            leaving=leaving + arrival_rate,
            starting=chain.starting,
            passing=chain.passing,
            settling=chain.settling,
            landing=sparse.csr_array((ones, (each, self.place)), shape=shape[::-1]),
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
        return count_space(system.servers, types.needs, system.servers + 1).size, number_of_states(system)
    except TooLarge:
        return np.inf, np.inf


def waiting_model(system: System) -> WaitingModel:
    """Build the model of a system under FCFS."""
    types = job_types(system)
    space = count_space(system.servers, types.needs, system.servers + 1)
    if space.size > MOST_VECTORS:
        raise TooLarge(
            f"{space.size:,.0f} sets of jobs fit together on {system.servers:,} servers and at most "
            f"{MOST_VECTORS:,} can be handled exactly; use the RESET prediction (msj analyse), or simulate"
        )
    blocked = saturated_chain(system)
    counts = space.vectors()
    free = system.servers - counts @ types.needs
    starts, ends = _ground(types, space, counts, free)
    return WaitingModel(
        types=types,
        blocked=blocked,
        counts=counts,
        free=free,
        place=space.rank(blocked.counts),
        starts=starts,
        ends=ends,
        blocked_share=types.blocked_share(system.servers)[free],
    )


def _ground(
    types: JobTypes, space: CountSpace, counts: NDArray[np.int32], free: NDArray[np.int64]
) -> tuple[Sparse, Sparse]:
    starts, ends = (Entries(len(counts), len(counts)) for _ in range(2))
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
        if types.fresh[i] > 0:
            fits = np.flatnonzero(types.needs[i] <= free)
            more = counts[fits]
            more[:, i] += 1
            starts.add(fits, space.rank(more), np.full(len(fits), types.fresh[i]))
    return starts.matrix(), ends.matrix()
