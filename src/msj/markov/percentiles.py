"""Percentiles from transforms of survival functions.

Newton's method on log-survival (near-linear in the tail), all percentiles at once, kept inside brackets from a grid.
The transform of the density comes with that of the survival function, so the slope is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from msj.errors import NotAccurate
from msj.markov.laplace import NODES, Transform, invert

Vector: TypeAlias = NDArray[np.float64]
BATCH = 2_000_000  # complex numbers held at once
INVERSION = 1e-9  # absolute error of an inverted survival function
CLOSE = 1e-8  # relative change of t at which a percentile is found


class SurvivalCurves:
    """Survival functions P(X_i > t), i = 0..outputs−1, given by their transforms.

    ``transform(s)`` is an array s × outputs; ``at_zero[i]`` is P(X_i > 0); ``width`` is what one s costs in memory.
    """

    def __init__(self, transform: Transform, at_zero: Vector, *, width: int, scale: float) -> None:
        self._transform = transform
        self.at_zero = at_zero
        self._chunk = max(1, BATCH // (NODES * width))
        self._scale = scale  # a typical time

    def survival(self, times: Vector) -> Vector:
        """Return P(X_i > t): array times × outputs."""
        return self._inverted(self._transform, times)

    def percentiles(self, levels: Vector) -> tuple[Vector, Vector]:
        """Return the percentiles (levels in percent) and how far off they may be: arrays levels × outputs.

        A percentile is 0 where P(X_i > 0) is too small for it. The error is that of the inversion over the density:
        where the law has a plateau, a percentile on it is hardly defined, and the error says so.
        """
        target = np.repeat(1.0 - levels[:, None] / 100.0, len(self.at_zero), axis=1)
        grid = self._scale * np.geomspace(1e-3, max(1e2, -10.0 * math.log(target.min())), 24)
        survival = self.survival(grid)
        above = np.array([(survival > goal).sum(axis=0) for goal in target[:, 0]])
        edges = np.concatenate([[0.0], grid, [np.inf]])
        never = self.at_zero[None, :] <= target
        found, error = self._newton(target, ~never, edges[above], edges[above + 1])
        return np.where(never, 0.0, found), np.where(never, 0.0, error)

    def _newton(self, target: Vector, active: NDArray[np.bool_], low: Vector, high: Vector) -> tuple[Vector, Vector]:
        t = np.where(np.isinf(high), 2.0 * low, (low + high) / 2.0)
        error = np.zeros_like(t)
        columns = np.broadcast_to(np.arange(target.shape[1]), target.shape)
        for _ in range(100):
            if not active.any():
                return t, error
            now, goal, lower, upper = t[active], target[active], low[active], high[active]
            found = self._inverted(self._with_density, now)[np.arange(len(now)), :, columns[active]]
            survival, density = found[:, 0], found[:, 1]
            lower, upper = np.where(survival > goal, now, lower), np.where(survival > goal, upper, now)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = now + np.log(survival / goal) * survival / density
            middle = np.where(np.isinf(upper), 2.0 * now, (lower + upper) / 2.0)
            new = np.where((new > lower) & (new < upper), new, middle)
            t[active], low[active], high[active] = new, lower, upper
            error[active] = INVERSION / np.maximum(density, INVERSION / np.maximum(new, 1e-300))
            # On a plateau t keeps moving although the survival function is as close to the goal as it is known.
            active[active] = (np.abs(new - now) > CLOSE * new) & (np.abs(survival - goal) > INVERSION)
        raise NotAccurate("a percentile could not be located; ask for fewer percentiles, or simulate")

    def _with_density(self, s: NDArray[np.complex128]) -> NDArray[np.complex128]:
        survival = self._transform(s)
        return np.stack([survival, self.at_zero[None, :] - s[:, None] * survival], axis=1)

    def _inverted(self, transform: Callable[[NDArray[np.complex128]], NDArray[np.complex128]], times: Vector) -> Vector:
        parts = [invert(transform, times[i : i + self._chunk]) for i in range(0, len(times), self._chunk)]
        return np.concatenate(parts)
