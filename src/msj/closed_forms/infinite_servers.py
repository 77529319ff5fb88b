"""Servers asked for if nobody ever waited: the law that bounds a real cluster from below.

Give the cluster's jobs, with the arrivals and durations they have, infinitely many servers. Class i then has
Poisson(lambda_i·E[D_i]) jobs present, whatever its duration law, independently of the others, and they hold
S = sum m_i·Poisson(a_i) servers, a_i = lambda_i·E[D_i]. In the real cluster no job leaves earlier than that, so at
every moment the jobs present ask for at least S servers (same arrivals, same durations: a coupling).

The law of S follows from g(0) = exp(−sum a_i), j·g(j) = sum_i a_i·m_i·g(j − m_i) (Kaufman 1981, Roberts 1981; Panjer).
All terms are positive, so even tails of 1e-200 keep their digits; the numbers are rescaled on the way because g(0) is
e^-60000 in a cluster of that many jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

LARGE = 1e200  # where the recursion is scaled down
NEGLIGIBLE = 1e-18  # of the tail, in as many terms as the largest need has servers


@dataclass(frozen=True, kw_only=True, eq=False)
class InfiniteServers:
    """The law of S; ``probabilities[j]`` is P(S = j)."""

    probabilities: NDArray[np.float64]

    def beyond(self, level: int) -> float:
        """P(S > level), summed from the far end."""
        return float(self.probabilities[level + 1 :][::-1].sum()) if level >= 0 else 1.0

    def mean_shortfall(self, level: float) -> float:
        """E[(level − S)+]."""
        below = np.arange(min(int(level) + 1, len(self.probabilities)))
        return float((level - below) @ self.probabilities[: len(below)])

    def mean_excesses(self) -> NDArray[np.float64]:
        """E[(S − t)+] for t = 0, 1, ..., summed from the far end."""
        beyond = np.cumsum(self.probabilities[::-1])[::-1][1:]  # P(S > t)
        return np.asarray(np.cumsum(beyond[::-1])[::-1])


def infinite_servers(needs: Sequence[int], mean_jobs: Sequence[float], *, level: int) -> InfiniteServers:
    """Return the law of the servers asked for, as far as it matters to P(S > level) or a level below.

    Parameters
    ----------
    needs, mean_jobs
        Need m_i and mean number of jobs a_i = lambda_i·E[D_i] of each class.
    level
        The highest level that will be asked about.

    Examples
    --------
    >>> law = infinite_servers([1, 3], [2.0, 1.0], level=10)
    >>> round(law.beyond(-1), 12), round(law.beyond(10), 6)
    (1.0, 0.065499)
    """
    m = np.array([need for need, jobs in zip(needs, mean_jobs, strict=True) if jobs > 0], dtype=np.int64)
    work = m * np.array([jobs for jobs in mean_jobs if jobs > 0])
    largest = int(m.max())
    weights = np.zeros(max(level, int(work.sum())) + largest + 2)
    weights[0] = 1.0
    _fill(weights, 1, m, work)
    while weights[-largest:].sum() > NEGLIGIBLE * weights[level + 1 :].sum():
        done = len(weights)
        weights = np.concatenate((weights, np.zeros(done // 8 + largest)))
        _fill(weights, done, m, work)
    return InfiniteServers(probabilities=weights / weights[::-1].sum())


@njit(cache=True)
def _fill(weights, first, needs, work):  # type: ignore[no-untyped-def]
    """Write weights[first:], scaling down where they become large; those scaled down before are nothing by then."""
    forgotten, scaled = 0, 0
    for j in range(first, len(weights)):
        total = 0.0
        for i in range(len(needs)):
            if needs[i] <= j:
                total += work[i] * weights[j - needs[i]]
        weights[j] = total / j
        if weights[j] > LARGE:
            for k in range(forgotten, scaled):
                weights[k] = 0.0
            for k in range(scaled, j + 1):
                weights[k] /= LARGE
            forgotten, scaled = scaled, j + 1
