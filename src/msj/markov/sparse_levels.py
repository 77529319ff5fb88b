"""Levels that repeat from the first one on, too large for dense blocks: what they are, and their stationary law.

Level 0, the *ground*, has states of its own. Levels q = 1, 2, ... have the same m states and the same rates: up by one;
within the level; down through vanishing states, each step of which leads one level lower. With pi_q the stationary
vectors, pi_0 that of the ground, and v_q the flow into the vanishing states of level q,

    v_q = pi_(q+1)·B + v_(q+1)·S                                            (B ``starting``, S ``passing``),
    pi_q·leaving = pi_(q−1)·U + pi_q·A + v_q·W,  q >= 1                     (U ``up``, A ``local``, W ``settling``),
    pi_0·ground + v_0·landing = 0,  and pi_1 is entered from the ground at the rates ``ground_up``.

As only one step leads up, pi_(q+1) = pi_q·R for every q >= 1: the tail is a sum of geometric modes. R itself is dense,
m × m, and never formed. ``msj.markov.sparse_level_solver`` solves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.markov.marked_chain import Sparse

Vector = NDArray[np.float64]
Columns = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.floating]]


def columns(matrix: Sparse, dtype: type = np.float64) -> Columns:
    """Return the columns of a matrix as compiled loops take them."""
    transposed = matrix.T.tocsr()
    transposed.sort_indices()
    return transposed.indptr.astype(np.int64), transposed.indices.astype(np.int32), transposed.data.astype(dtype)


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseLevels:
    """The rates; see the head of the module.

    States should be numbered so that most steps within a level lead to lower numbers, and vanishing states so that
    passing leads to higher ones.

    Attributes
    ----------
    arrival_rate : steps up per unit of time, in the long run.
    ground : generator of the ground, whose diagonal also holds what leaves upwards.
    ground_up : rates from the ground into level 1.
    up : rates one level up.
    local : rates within a level, without a diagonal.
    leaving : the sum of all rates out of each state.
    starting, passing, settling, landing : into and between the vanishing states, and out of them to a level, or to the
        ground.
    """

    arrival_rate: float
    ground: Sparse
    ground_up: Sparse
    up: Sparse
    local: Sparse
    leaving: Vector
    starting: Sparse
    passing: Sparse
    settling: Sparse
    landing: Sparse

    @property
    def states(self) -> int:
        """How many a level has: m."""
        return len(self.leaving)

    @cached_property
    def up_rates(self) -> Vector:
        """All that leads up from each state."""
        return np.asarray(self.up.sum(axis=1)).ravel()

    @cached_property
    def starting_rates(self) -> Vector:
        """All that leads down from each state."""
        return np.asarray(self.starting.sum(axis=1)).ravel()


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseLaw:
    """The stationary law up to a cut, and how it goes on.

    Attributes
    ----------
    ground : pi_0.
    levels : m × Q, column q − 1 is pi_q.
    ratio : pi_(Q+j) = ratio^j·pi_Q.
    residual : flow that the balance equations miss, relative to lambda.
    level_error : of the mean level, absolute; see ``sparse_level_residual``.
    coefficients : of each state's levels, that were solved for.
    steps : of the iteration.
    """

    ground: Vector
    levels: Vector
    ratio: float
    residual: float
    level_error: float
    coefficients: int
    steps: int

    @property
    def cut(self) -> int:
        """Q."""
        return int(self.levels.shape[1])

    @cached_property
    def level_masses(self) -> Vector:
        """P(level = q) for q = 0..Q."""
        return np.append(self.ground.sum(), self.levels.sum(axis=0))

    @cached_property
    def above(self) -> Vector:
        """Sum of pi_q over q > Q."""
        return np.asarray(self.levels[:, -1] * (self.ratio / (1.0 - self.ratio)))

    @cached_property
    def beyond_ground(self) -> Vector:
        """Sum of pi_q over q >= 1."""
        return np.asarray(self.levels.sum(axis=1) + self.above)

    def mean_level(self, *, less: int = 0) -> float:
        """Return E[(level − less)+], less at most Q: a sum of positive terms."""
        q = np.arange(1, self.cut + 1)
        inside = float(self.levels.sum(axis=0) @ np.maximum(q - less, 0))
        return inside + float(self.above.sum()) * (self.cut - less + 1.0 / (1.0 - self.ratio))
