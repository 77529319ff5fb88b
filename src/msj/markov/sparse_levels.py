"""Levels that repeat from the first one on, too large for dense blocks: what they are, and their stationary law.

Level 0, the *ground*, has states of its own. Levels q = 1, 2, ... have the same m states and the same rates: up by one
at rate lambda; within the level; down through vanishing states, each step of which leads one level lower. With pi_q the
stationary vectors, pi_0 that of the ground, and v_q the flow into the vanishing states of level q,

    v_q = pi_(q+1)·B + v_(q+1)·S                                          (B ``starting``, S ``passing``),
    pi_q·(lambda + leaving) = lambda·pi_(q−1) + pi_q·A + v_q·W,  q >= 1   (A ``local``, W ``settling``),
    pi_0·ground + v_0 = 0,  and pi_1 is entered from the ground at the rates ``ground_up``.

As only one step leads up, pi_(q+1) = pi_q·R for every q >= 1: the tail is a sum of geometric modes. R itself is dense,
m × m, and never formed. The levels up to a cut are solved for; above it every one is ``ratio`` times the one below, the
leading mode, which is exact once the others have died out. That is looked at, not assumed (:class:`SparseLaw`).

``msj.markov.sparse_level_solver`` solves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.markov.marked_chain import Sparse

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseLevels:
    """The rates; see the head of the module.

    Attributes
    ----------
    arrival_rate : lambda.
    ground : generator of the ground, whose diagonal also holds what leaves upwards.
    ground_up : per state of a level, the rate from its place in the ground up into it.
    place : per state of a level, its place in the ground.
    local, leaving : rates within a level, without a diagonal, and the sum of all rates but lambda out of each state.
    starting, passing, settling : into, between and (a vector) out of the vanishing states.
    """

    arrival_rate: float
    ground: Sparse
    ground_up: Vector
    place: NDArray[np.int64]
    local: Sparse
    leaving: Vector
    starting: Sparse
    passing: Sparse
    settling: Vector


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseLaw:
    """The stationary law up to a cut, and how it goes on.

    Attributes
    ----------
    ground : pi_0.
    levels : m × Q, column q − 1 is pi_q.
    ratio : pi_(Q+j) = ratio^j·pi_Q.
    residual : flow that the balance equations miss, relative to lambda.
    cut_error : what the cut may change in the mean level and in all sums over levels, relative to them: how far the
        shape of the highest levels still changes, times the share of what lies above the cut.
    shape_change : how much the shape of the highest level differs from that of one a quarter lower; the leading mode is
        alone, and ``ratio`` the decay of the tail, where that is next to nothing.
    level_error : of the mean level, absolute: residuals weighted with what misplaced flow is worth, and the cut.
    steps : of the iteration.
    """

    ground: Vector
    levels: Vector
    ratio: float
    residual: float
    cut_error: float
    shape_change: float
    level_error: float
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
