"""How long a level process takes to go down when nothing arrives any more.

Start from the stationary law pi of a level process whose repeating part has A_up = lambda·I, and switch arrivals off.
Above level L the flow is u_{L+j}' = u_{L+j}·D0 + u_{L+j+1}·D1 from u_{L+j}(0) = pi_L·R^j. Because
lambda·I + R·(D0 − lambda·I) + R²·D1 = 0, the solution keeps its form, u_{L+j}(t) = psi(t)·R^j with
psi' = psi·(D0 + R·D1): one vector stands for infinitely many levels, whatever the load. Below L the levels follow
one by one. In transforms, psi~ = pi_L·(sI − D0 − R·D1)^(−1) and then, downwards,
u~_n = (pi_n + u~_{n+1}·C_{n+1})·(sI − D0_n)^(−1). These are bounded for Re s > 0 and nothing cancels.

A job that arrives sees pi and is affected only by jobs ahead of it (first come, first served), so this is the law of
its wait: see ``analysis.waiting_law``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from msj.markov.marked_chain import Sparse
from msj.markov.resolvent import Resolvent

Complex: TypeAlias = NDArray[np.complex128]
Vector: TypeAlias = NDArray[np.float64]
DENSE_UP_TO = 150  # phases: below, one Schur form for all s; above, a sparse factorisation for each


@dataclass(frozen=True, kw_only=True, eq=False)
class DescentLevel:
    """One level below the repeating ones, as the flow passes through it."""

    start: Vector  # stationary mass
    completions: Sparse  # rates from the level above into this one
    local: Sparse  # rates within the level, with everything that leaves it on the diagonal
    counted: Sparse  # outputs × phases: which phases count as "not down yet", for each output

    @cached_property
    def inflow(self) -> Sparse:
        """Completions, transposed: flows are kept as columns."""
        return self.completions.T.tocsr()

    @cached_property
    def _dense(self) -> Resolvent:
        return Resolvent(self.local.toarray())

    def resolvent(self, s: Complex, flow: Complex) -> Complex:
        """Return flow·(sI − local)^(−1), column by column of s."""
        diagonal = self.local.diagonal()
        if self.local.nnz == np.count_nonzero(diagonal):  # nothing happens within the level
            return np.asarray(flow / (s[None, :] - diagonal[:, None]))
        if len(diagonal) <= DENSE_UP_TO:
            return self._dense(flow, s)
        eye = sparse.eye_array(len(diagonal), format="csc")
        transposed = self.local.T.tocsc()
        columns = [splu((point * eye - transposed).tocsc()).solve(flow[:, i]) for i, point in enumerate(s)]
        return np.column_stack(columns)


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelDescent:
    """The descent; every phase of the repeating levels counts for every output."""

    first_repeating: Vector  # pi_L
    rate_matrix: Vector  # R
    repeating_local: Sparse  # D0
    repeating_completions: Sparse  # D1
    levels: tuple[DescentLevel, ...]  # L−1 down to 0

    def transform(self, s: Complex) -> Complex:
        """Return the transforms of P(not down yet at t), one column per output: array s × outputs."""
        flow = self._repeating(self.first_repeating, s)
        above = self._levels_above @ flow
        outputs = self.levels[0].counted.shape[0]
        total = np.repeat(above[None, :], outputs, axis=0)
        for level in self.levels:
            flow = level.inflow @ flow
            flow += level.start[:, None]
            flow = level.resolvent(s, flow)
            total += level.counted @ flow
        return total.T

    @cached_property
    def _repeating(self) -> Resolvent:
        return Resolvent(self.repeating_local.toarray() + self.rate_matrix @ self.repeating_completions)

    @cached_property
    def _levels_above(self) -> Vector:
        """(I − R)^(−1)·1: psi times this is the mass of all repeating levels."""
        size = len(self.rate_matrix)
        return np.asarray(np.linalg.solve(np.eye(size) - self.rate_matrix, np.ones(size)))

    @property
    def widest(self) -> int:
        """Phases of the widest level: what a batch of transforms has to hold."""
        return max(len(self.first_repeating), *(len(level.start) for level in self.levels))
