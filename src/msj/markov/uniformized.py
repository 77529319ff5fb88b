"""Survival functions from a uniformised chain, and their percentiles.

Let a chain be watched at the events of a Poisson process of rate Lambda, fast enough for all of its rates, and let a_k
be the probability that what is waited for has not happened by the k-th event. Then

P(X > t) = sum over k of e^(−Lambda·t)·(Lambda·t)^k/k!·a_k,   E[X] = (a_0 + a_1 + ...)/Lambda:

sums of positive terms (Jensen 1953). The a_k fall; beyond the last one known they are at most that, which bounds what
is left out, and for the mean they go on as a geometric series.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import gammaln, pdtrc

Vector = NDArray[np.float64]
SPREAD = 9.0  # standard deviations of the Poisson law that are summed: 1e-18 is left out


@dataclass(frozen=True, kw_only=True, eq=False)
class UniformizedSurvival:
    """P(X_i > t) for several i.

    Attributes
    ----------
    rate : Lambda.
    alive : a_k, array events × outputs.
    error : of every a_k, at most.
    """

    rate: float
    alive: Vector
    error: float = 0.0

    def survival(self, time: float) -> Vector:
        """Return P(X_i > t).

        Examples
        --------
        >>> exponential = UniformizedSurvival(rate=4.0, alive=0.75 ** np.arange(200.0)[:, None])
        >>> round(float(exponential.survival(2.0)[0]), 12)  # e^-2
        0.135335283237
        """
        mean = self.rate * time
        low = max(0, int(mean - SPREAD * np.sqrt(mean) - 20))
        high = int(mean + SPREAD * np.sqrt(mean) + 40)
        k = np.arange(low, min(high, len(self.alive) - 1) + 1)
        if not len(k):
            return np.zeros(self.alive.shape[1])
        weights = np.exp(k * np.log(mean) - mean - gammaln(k + 1.0)) if mean > 0 else (k == 0).astype(float)
        return np.asarray(weights @ self.alive[k])

    @property
    def at_zero(self) -> Vector:
        """P(X_i > 0)."""
        return np.asarray(self.alive[0])

    def mean(self) -> Vector:
        """Return E[X_i]."""
        last, before = self.alive[-1], self.alive[-2]
        falls = np.clip(np.divide(last, before, out=np.zeros_like(last), where=before > 0), 0.0, 1.0 - 1e-12)
        return np.asarray((self.alive.sum(axis=0) + last * falls / (1.0 - falls)) / self.rate)

    def percentiles(self, levels: Vector) -> tuple[Vector, Vector]:
        """Return the percentiles (levels in percent) and how far off they may be: arrays levels × outputs.

        The error is that of the survival function over the density: on a plateau a percentile is hardly defined.
        """
        found, errors = np.zeros((2, len(levels), self.alive.shape[1]))
        for i, level in enumerate(levels):
            goal = 1.0 - level / 100.0
            for output in np.flatnonzero(self.at_zero > goal):
                found[i, output], errors[i, output] = self._percentile(goal, int(output))
        return found, errors

    def _percentile(self, goal: float, output: int) -> tuple[float, float]:
        def above(time: float) -> float:
            return float(np.log(max(self.survival(time)[output], 1e-300) / goal))

        high = 1.0 / self.rate
        while above(high) > 0:
            high *= 2.0
        low = high / 2.0 if above(high / 2.0) > 0 else 0.0
        time = float(optimize.brentq(above, low, high, xtol=1e-14 * high, rtol=1e-13))
        step = 1e-4 * time
        density = float((self.survival(time - step) - self.survival(time + step))[output]) / (2.0 * step)
        beyond = float(pdtrc(len(self.alive) - 1, self.rate * time))  # more events than are known
        off = self.error + beyond * float(self.alive[-1, output]) + 1e-13
        return time, off / max(density, off / time)
