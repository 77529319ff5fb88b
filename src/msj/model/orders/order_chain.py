"""The chain behind an order: ``entering[c][h, h']``, from state h the next job is of class c and leads to state h'.

P = sum_c entering[c] are the steps of the states, with law pi; class c has the share pi·entering[c]·1. An order whose
jobs are independent has one state.

**What a line of jobs holds.** With Pi = 1·pi and the deviation matrix D = (I − P + Pi)^(−1) − Pi, the expected number
of visits in the next m steps is sum_{j<m} P^j = m·Pi + (I − P^m)·D. So 2·sum_j Cov(x_0, x_j) of a function x of the
classes is finite whatever the chain, periodic ones included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.model.matrix import law_of

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderChain:
    """Steps of an order, class by class: an array classes × states × states."""

    entering: Vector

    @property
    def states(self) -> int:
        """Number of states."""
        return int(self.entering.shape[1])

    @cached_property
    def steps(self) -> Vector:
        """P."""
        return np.asarray(self.entering.sum(axis=0))

    @cached_property
    def law(self) -> Vector:
        """pi, the law of the state after a job."""
        return np.array([float(value) for value in law_of(self.steps.tolist(), "the order")])

    @cached_property
    def next_class(self) -> Vector:
        """States × classes: P(the next job is of class c), a row for each state."""
        return np.asarray(self.entering.sum(axis=2).T)

    @cached_property
    def deviation(self) -> Vector:
        """D."""
        long_run = np.tile(self.law, (self.states, 1))
        return np.asarray(np.linalg.inv(np.eye(self.states) - self.steps + long_run) - long_run)

    @cached_property
    def memory(self) -> float:
        """Jobs over which a mean forgets the order's past: the largest |1/(1 − mu)|, mu the eigenvalues of P − Pi.

        It is what correlations mu + mu² + ... add up to; an order that is periodic (mu = −1) is no obstacle to means.
        """
        if self.states == 1:
            return 0.0
        others = np.linalg.eigvals(self.steps - np.tile(self.law, (self.states, 1)))
        return float((1.0 / np.abs(1.0 - others)).max())

    def covariances(self, values: Vector) -> float:
        """Return 2·sum over j >= 1 of Cov(x_0, x_j), x the value of a job's class.

        Examples
        --------
        Jobs that repeat their class with probability 1/2: Cov(x_0, x_j) = Var(x)/2^j.

        >>> half = np.array([[[0.75, 0], [0.25, 0]], [[0, 0.25], [0, 0.75]]])
        >>> OrderChain(entering=half).covariances(np.array([0.0, 1.0]))
        0.5
        """
        after = np.einsum("h,chk,c->k", self.law, self.entering, values)  # E[x_0; state after it]
        return 2.0 * float(after @ self.deviation @ (self.next_class @ values))

    @cached_property
    def cumulative(self) -> Vector:
        """For drawing: row h runs over (class, next state); the last that can happen ends above 1."""
        flat = np.transpose(self.entering, (1, 0, 2)).reshape(self.states, -1)
        rows = np.cumsum(flat, axis=1)
        for row, chances in zip(rows, flat, strict=True):
            row[np.flatnonzero(chances)[-1] :] = 2.0
        return rows
