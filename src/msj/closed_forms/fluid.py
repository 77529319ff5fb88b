"""The fluid model: how many jobs of each class are present, over time, in a large cluster (zeroq, Theorem 4.3).

With lambda_i the arrival rate of class i, mu_i its rate and rho_i = lambda_i·m_i/(n·mu_i) its load, X_i(t)/lambda_i
tends to y_i(t) as n grows, where (equations (7) and (15))

    y_i' = 1 − min(mu_i·y_i, 1/rho_i).

In words: class i as if it had all n servers to itself. From y_i(0) <= 1/(mu_i·rho_i) the solution is
y_i(t) = 1/mu_i + (y_i(0) − 1/mu_i)·e^(−mu_i·t) (equation (16)); from above, it first falls in a straight line of slope
1 − 1/rho_i to that value. The theorem covers starts with y_i(0) < 1/(rho·mu_i), rho the total load: there all jobs
present fit into the cluster. Equilibrium is 1/mu_i. (Appendix A's integral form has one mu_i too many.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from msj.model.numbers import positive

Vector: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class FluidModel:
    """Rates and loads of the classes, in the system's order, and where they start.

    Examples
    --------
    >>> model = FluidModel(classes=("small", "large"), rates=np.array([1.0, 0.5]), loads=np.array([0.2, 0.3]),
    ...                    start=np.zeros(2))
    >>> model.at([0, 1, 10]).round(4).tolist()
    [[0.0, 0.0], [0.6321, 0.7869], [1.0, 1.9865]]
    >>> round(model.time_to_equilibrium(0.01), 4)
    9.2103
    """

    classes: tuple[str, ...]
    rates: Vector  # mu_i
    loads: Vector  # rho_i
    start: Vector  # y_i(0)

    @property
    def equilibrium(self) -> Vector:
        """1/mu_i: mean durations."""
        return np.asarray(1.0 / self.rates)

    @property
    def most_admissible(self) -> Vector:
        """1/(rho·mu_i): Theorem 4.3 covers starts below it."""
        return np.asarray(1.0 / (self.loads.sum() * self.rates))

    def why_not_covered(self) -> str | None:
        """Return None if Theorem 4.3 covers the start, else the reason."""
        for name, y, most in zip(self.classes, self.start, self.most_admissible, strict=True):
            if y >= most:
                return (
                    f"class '{name}' starts at {y:.6g}, and zeroq's Theorem 4.3 covers starts below "
                    f"1/(rho·mu) = {most:.6g}; start with fewer jobs"
                )
        return None

    def at(self, times: ArrayLike) -> Vector:
        """Return y_i(t), one row per time, by the closed form."""
        t = np.asarray(times, dtype=float)[:, None]
        capacity = 1.0 / (self.rates * self.loads)
        slope = 1.0 - 1.0 / self.loads
        line = self.start + slope * t
        base, later = np.minimum(self.start, capacity), np.maximum(t - self._straight, 0.0)
        curve = self.equilibrium + (base - self.equilibrium) * np.exp(-self.rates * later)
        return np.asarray(np.where(t < self._straight, line, curve))

    @property
    def _straight(self) -> Vector:
        """How long each class falls in a straight line."""
        excess = np.maximum(self.start - 1.0 / (self.rates * self.loads), 0.0)
        return np.asarray(excess / (1.0 / self.loads - 1.0))

    def solve(self, times: ArrayLike) -> Vector:
        """Return y_i(t) by solving the differential equation numerically: an independent check of :meth:`at`."""
        from scipy.integrate import solve_ivp

        t = np.asarray(times, dtype=float)
        if t.size == 0 or t[-1] == 0:
            return np.tile(self.start, (t.size, 1))
        found: Any = solve_ivp(
            lambda _, y: 1.0 - np.minimum(self.rates * y, 1.0 / self.loads),
            (0.0, float(t[-1])),
            self.start,
            method="LSODA",  # rates may lie far apart
            t_eval=t,
            rtol=1e-10,
            atol=1e-12 * float(self.equilibrium.min()),
        )
        return np.asarray(found.y.T)

    def time_to_equilibrium(self, tolerance: float) -> float:
        """Return the time from which on every class is within ``tolerance`` of 1/mu_i, relatively."""
        allowed = float(positive(tolerance, "tolerance")) * self.equilibrium
        at_bend = np.minimum(self.start, 1.0 / (self.rates * self.loads))
        away = np.abs(at_bend - self.equilibrium)
        after_bend = np.log(np.maximum(away / allowed, 1.0)) / self.rates
        # A tolerance so wide that the straight line already meets it.
        on_line = np.maximum(self.start - self.equilibrium - allowed, 0.0) / (1.0 / self.loads - 1.0)
        return float(np.where(away > allowed, self._straight + after_bend, np.minimum(on_line, self._straight)).max())
