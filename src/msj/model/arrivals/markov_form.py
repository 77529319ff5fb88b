"""Arrivals as a Markov chain: the phases of a MAP (Markovian arrival process; Neuts 1979, Lucantoni 1991).

D0 holds the rates between phases without an arrival (and the diagonal), D1 those with one; D = D0 + D1 is a generator
with law theta, and lambda = theta·D1·1.

**Batches.** A phase may be *passing*: it takes no time. After the first job of a batch the chain goes through one
passing phase for each further job, and nothing else happens meanwhile. Written with rates of 1 these phases make an
ordinary chain; time is what it spends in the others. So batches need no larger jumps.

**Relative arrivals** g say how many arrivals a phase is ahead of the average: with e = 1 in phases that take time and 0
in passing ones,

    D·g = lambda·e − D1·1,    theta·(e g) = 0.

Then A(t) + g(phase) − lambda·t is a martingale, and the mean of its squared jumps per arrival is the index of
dispersion, I = sum theta_i (D1_ij (1 + g_j − g_i)² + D0_ij (g_j − g_i)²)/(theta·D1·1), i ≠ j in the second sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from msj.model.matrix import law_of

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MarkovForm:
    """D0 and D1 as arrays, and which phases are passed in no time."""

    D0: Vector
    D1: Vector
    passing: NDArray[np.bool_]

    @classmethod
    def of(cls, D0: ArrayLike, D1: ArrayLike, passing: ArrayLike | None = None) -> MarkovForm:
        """Make it from its matrices.

        Examples
        --------
        A source that is on for a unit of time and off for as long, and sends two jobs per unit of time while on:

        >>> form = MarkovForm.of([[-3, 1], [1, -1]], [[2, 0], [0, 0]])
        >>> form.rate, form.dispersion, form.relaxation_time
        (1.0, 2.0, 0.5)
        """
        quiet, marked = np.array(D0, dtype=float), np.array(D1, dtype=float)
        none = np.zeros(len(quiet), dtype=bool)
        return cls(D0=quiet, D1=marked, passing=none if passing is None else np.array(passing, dtype=bool))

    def __len__(self) -> int:
        return len(self.D0)

    @cached_property
    def generator(self) -> Vector:
        """D0 + D1, with the diagonal from the row sums."""
        rates = self.D0 + self.D1
        np.fill_diagonal(rates, 0.0)
        return np.asarray(rates - np.diag(rates.sum(axis=1)))

    @cached_property
    def _law(self) -> Vector:
        """Law of the chain with passing phases at rate 1."""
        return np.array([float(value) for value in law_of(self.generator.tolist(), "D0 + D1")])

    @cached_property
    def law(self) -> Vector:
        """theta: shares of time."""
        timed = np.where(self.passing, 0.0, self._law)
        return np.asarray(timed / timed.sum())

    @cached_property
    def rate(self) -> float:
        """lambda, arrivals per unit of time."""
        return float(self._law @ self.D1.sum(axis=1) / self._law[~self.passing].sum())

    @cached_property
    def relative_arrivals(self) -> Vector:
        """G of each phase."""
        timed = (~self.passing).astype(float)
        right = self.rate * timed - self.D1.sum(axis=1)
        found = np.linalg.solve(self.generator - self._law[None, :], right)  # A − 1·theta is regular
        return np.asarray(found - self.law @ found)

    @cached_property
    def dispersion(self) -> float:
        """I, the limit of Var A(t)/E A(t)."""
        g, law = self.relative_arrivals, self._law
        steps = g[None, :] - g[:, None]
        quiet = self.D0 - np.diag(np.diag(self.D0))
        squares = law @ (self.D1 * (1.0 + steps) ** 2 + quiet * steps**2).sum(axis=1)
        return float(squares / (law @ self.D1.sum(axis=1)))

    @cached_property
    def relaxation_time(self) -> float:
        """The slowest time constant of the phases that take time."""
        timed, passing = ~self.passing, self.passing
        rates = self.generator[np.ix_(timed, timed)]
        if passing.any():
            inner = -self.generator[np.ix_(passing, passing)]
            rates = rates + self.generator[np.ix_(timed, passing)] @ np.linalg.solve(
                inner, self.generator[np.ix_(passing, timed)]
            )
        speeds = np.sort(np.abs(np.linalg.eigvals(rates).real))
        return 1.0 / float(speeds[1]) if len(speeds) > 1 and speeds[1] > 0 else 0.0

    @property
    def rates_of_arrival(self) -> Vector:
        """D1·1, by phase."""
        return np.asarray(self.D1.sum(axis=1))
