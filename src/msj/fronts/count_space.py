"""The set of count vectors that fit, numbered without searching.

A state is how many jobs of each type are in service. The saturated system visits the vectors c with
0 <= k − sum v_t c_t < max need: with fewer free servers than the largest need, some job may be blocked. Let
``ways[t][r]`` be the number of ways types t, t+1, ... can use r servers so that fewer than ``max need`` stay free.
Since ways[t][r] = ways[t+1][r] + ways[t][r − v_t], one pass over the servers per type gives them all, and the
lexicographic rank of c is the telescoping sum over t of ways[t][r_t] − ways[t][r_t − v_t c_t], with r_t what the
types before t leave. So a vector's number costs one table look-up per type, whole arrays at once; and the number of
states is known before any is made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.errors import TooLarge

Counts = NDArray[np.int32]
MANY_TYPES = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class CountSpace:
    """All count vectors that leave fewer than ``free_below`` servers free, in lexicographic order."""

    servers: int
    needs: NDArray[np.int64]
    free_below: int
    ways: NDArray[np.float64]

    @property
    def size(self) -> float:
        """Number of vectors (exact below 2^53)."""
        return float(self.ways[0, self.servers])

    def vectors(self) -> Counts:
        """All vectors, one row each."""
        left = np.array([self.servers])
        chosen: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []  # for each type: vector so far, count
        for t, need in enumerate(self.needs):
            most = left // need
            least = np.zeros_like(most)
            if t == len(self.needs) - 1:  # the last type must use up all but fewer than free_below servers
                least = np.maximum(-((self.free_below - 1 - left) // need), 0)
            options = np.maximum(most - least + 1, 0)
            parent = np.repeat(np.arange(len(left)), options)
            count = np.arange(len(parent)) - np.repeat(np.cumsum(options) - options - least, options)
            remaining = left[parent] - need * count
            viable = self.ways[t + 1, remaining] > 0
            chosen.append((parent[viable].astype(np.int32), count[viable].astype(np.int32)))
            left = remaining[viable]
        found = np.empty((len(left), len(self.needs)), dtype=np.int32)
        path: NDArray[np.int32] = np.arange(len(left), dtype=np.int32)
        for t in range(len(self.needs) - 1, -1, -1):  # back along the choices that led to each vector
            found[:, t] = chosen[t][1][path]
            path = chosen[t][0][path]
        return found

    def rank(self, vectors: Counts) -> NDArray[np.int64]:
        """Number of each vector in the order of :meth:`vectors`."""
        if len(self.needs) > MANY_TYPES:
            return self._rank_by_entries(vectors)
        left = np.full(len(vectors), self.servers)
        rank = np.zeros(len(vectors))
        for t, need in enumerate(self.needs):
            after = left - need * vectors[:, t]
            rank += self.ways[t, left] - self.ways[t, after]
            left = after
        return rank.astype(np.int64)

    def _rank_by_entries(self, vectors: Counts) -> NDArray[np.int64]:
        """Do the same, looking only at the types a vector has: few, where there are hundreds."""
        rows, types = np.nonzero(vectors)
        used = self.needs[types] * vectors[rows, types]
        before = np.cumsum(used) - used
        left = self.servers - (before - before[np.searchsorted(rows, rows)])
        terms = self.ways[types, left] - self.ways[types, left - used]
        return np.bincount(rows, terms, minlength=len(vectors)).astype(np.int64)


def count_space(servers: int, needs: NDArray[np.int64], free_below: int) -> CountSpace:
    """Prepare the numbering; costs one pass over ``servers`` per type and makes no vector yet.

    Examples
    --------
    >>> int(count_space(30, np.array([3, 10]), 10).size)
    11
    """
    entries = (len(needs) + 1) * (servers + 1)
    if entries > 2e8:
        raise TooLarge(
            f"{servers:,} servers with {len(needs)} job types need a table of {entries:.1e} numbers, and at most "
            "2e+08 fit; use fewer servers, or a closed form"
        )
    ways = np.zeros((len(needs) + 1, servers + 1))
    ways[-1, :free_below] = 1.0
    for t in range(len(needs) - 1, -1, -1):
        # Sums of every need-th entry: a table of need columns, padded with zeros, summed downwards.
        rows, need = -(-(servers + 1) // int(needs[t])), int(needs[t])
        table = np.zeros(rows * need)
        table[: servers + 1] = ways[t + 1]
        ways[t] = np.cumsum(table.reshape(rows, need), axis=0).ravel()[: servers + 1]
    return CountSpace(servers=servers, needs=needs, free_below=free_below, ways=ways)
