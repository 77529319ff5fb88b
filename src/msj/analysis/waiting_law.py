"""The laws of waiting and response times in open MSJ FCFS.

A tagged arrival sees the stationary law (PASTA) and is affected only by jobs ahead of it. So follow the jobs ahead, with
no arrivals behind them: level n (jobs ahead), phase c. The tagged job, of need v, has started once nobody ahead
waits and v servers are free, and that stays true: P(W > t) is the mass of the other states at time t.

Above level L the flow is u_{L+j}' = u_{L+j}·D0 + u_{L+j+1}·D1, from u_{L+j}(0) = pi_L·R^j. Because lambda·I +
R(D0 − lambda·I) + R²·D1 = 0, the solution keeps its form: u_{L+j}(t) = psi(t)·R^j with psi' = psi·(D0 + R·D1). One
vector stands for infinitely many levels, whatever the load. Below L the levels follow one by one. Transforms are
bounded and nothing cancels: psi~ = pi_L·(sI − D0 − R·D1)^(−1), then u~_n = (pi_n + u~_{n+1}·C_{n+1})(sI − D0_n)^(−1)
downwards. ``markov.laplace`` inverts them; a response time is a wait plus an independent duration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from msj.analysis.open_fcfs import OpenSystem
from msj.markov.laplace import NODES, invert
from msj.markov.marked_chain import Sparse
from msj.markov.resolvent import Resolvent
from msj.model import JobClass

Complex: TypeAlias = NDArray[np.complex128]
Vector: TypeAlias = NDArray[np.float64]
Curves: TypeAlias = tuple[Vector, Vector, Vector, Vector]
DENSE_UP_TO = 150  # phases: below, one Schur form for all s; above, a sparse factorisation for each
BATCH = 2_000_000  # complex numbers held at once per level


class WaitingLaw:
    """Survival functions P(W > t) and P(T > t), per class and overall (last column)."""

    def __init__(self, solved: OpenSystem) -> None:
        self.solved = solved
        self.shares = solved.shares

    def survival(self, times: Vector) -> tuple[Vector, Vector]:
        """Return P(W > t) and P(T > t) at ``times`` > 0: arrays times × (classes + 1)."""
        wait, response, _, _ = self._curves(times)
        return wait, response

    def percentiles(self, levels: Vector) -> tuple[Vector, Vector]:
        """Return the percentiles of W and T: arrays levels × (classes + 1)."""
        target = np.repeat(1.0 - levels[:, None] / 100.0, len(self.shares) + 1, axis=1)
        probability = np.append(self.solved.waiting_probability, self.shares @ self.solved.waiting_probability)
        scale = self.solved.mean_jobs_in_system / self.solved.arrival_rate
        grid = scale * np.geomspace(1e-3, max(1e2, -10 * math.log(target.min())), 24)
        curves = self._curves(grid)
        wait = self._solve(target, probability[None, :] <= target, grid, curves, response=False)
        response = self._solve(target, np.zeros(target.shape, dtype=bool), grid, curves, response=True)
        return wait, response

    def _solve(
        self, target: Vector, never: NDArray[np.bool_], grid: Vector, on_grid: Curves, *, response: bool
    ) -> Vector:
        """Newton's method on log-survival, every target at once, from the grid's brackets; 0 where it is never."""
        which = slice(1, 4, 2) if response else slice(0, 4, 2)
        survival = on_grid[which][0]
        above = np.array([(survival > goal).sum(axis=0) for goal in target[:, 0]])
        edges = np.concatenate([[0.0], grid, [np.inf]])
        low, high = edges[above], edges[above + 1]
        t = np.where(np.isinf(high), 2.0 * low, (low + high) / 2.0)
        columns = np.broadcast_to(np.arange(target.shape[1]), target.shape)
        active = ~never
        for _ in range(60):
            if not active.any():
                break
            now, goal, lower, upper = t[active], target[active], low[active], high[active]
            survival, density = (curve[np.arange(len(now)), columns[active]] for curve in self._curves(now)[which])
            lower, upper = np.where(survival > goal, now, lower), np.where(survival > goal, upper, now)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = now + np.log(survival / goal) * survival / density
            middle = np.where(np.isinf(upper), 2.0 * now, (lower + upper) / 2.0)
            new = np.where((new > lower) & (new < upper), new, middle)
            t[active], low[active], high[active] = new, lower, upper
            active[active] = np.abs(new - now) > 1e-8 * new
        return np.where(never, 0.0, t)

    def _curves(self, times: Vector) -> Curves:
        """Survival of W and T, then density of W (beyond its mass at 0) and of T."""
        chunk = max(1, BATCH // (NODES * max(self.solved.model.level_sizes)))
        parts = [invert(self._transforms, times[i : i + chunk]) for i in range(0, len(times), chunk)]
        found = np.concatenate(parts)
        return found[:, 0], found[:, 1], found[:, 2], found[:, 3]

    def _transforms(self, s: Complex) -> Complex:
        """Transforms of the four curves: array s × 4 × (classes + 1)."""
        wait = self._waiting_transform(s)
        probability = self.solved.waiting_probability
        duration = np.stack([_duration_transform(c, s) for c in self.solved.system.classes], axis=1)
        response = (1.0 - s[:, None] * wait) * duration
        curves = np.stack(
            [wait, (1.0 - response) / s[:, None], probability[None, :] - s[:, None] * wait, response], axis=1
        )
        return np.concatenate([curves, (curves @ self.shares)[:, :, None]], axis=2)

    def _waiting_transform(self, s: Complex) -> Complex:
        """Transform of P(W_i > t) per class: array s × classes. Flows are kept as phases × s."""
        law = self.solved.law
        flow = self._repeating_resolvent(law.first_repeating, s)
        waiting = np.repeat((self._levels_above @ flow)[None, :], len(self.shares), axis=0)
        for level in self._levels_below:
            flow = level.inflow @ flow
            flow += level.start[:, None]
            flow = level.resolvent(s, flow)
            waiting += level.waits @ flow
        return waiting.T

    @cached_property
    def _levels_below(self) -> list[_Level]:
        """Levels L−1 down to 0."""
        model, law = self.solved.model, self.solved.law
        levels = []
        for n in range(model.first_repeating_level - 1, -1, -1):
            free, queue = model.free_servers[n], model.waiting(n)
            waits = (queue > 0)[None, :] | (free[None, :] < self.solved.needs[:, None])
            levels.append(
                _Level(
                    start=law.boundary[n],
                    inflow=model.completions[n + 1].T.tocsr(),
                    local=model.local_without_arrivals(n),
                    waits=sparse.csr_array(waits.astype(float)),
                )
            )
        return levels

    @cached_property
    def _levels_above(self) -> Vector:
        """(I − R)^(−1)·1: psi times this is the mass of all repeating levels."""
        R = self.solved.law.rate_matrix
        return np.asarray(np.linalg.solve(np.eye(len(R)) - R, np.ones(len(R))))

    @cached_property
    def _repeating_resolvent(self) -> Resolvent:
        model = self.solved.model
        quiet = model.local_without_arrivals(model.first_repeating_level)
        return Resolvent(quiet.toarray() + self.solved.law.rate_matrix @ model.repeating_completions)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Level:
    """One level below the repeating ones, as the flow passes through it."""

    start: Vector
    inflow: Sparse  # completions from the level above, transposed
    local: Sparse
    waits: Sparse  # classes × phases: would a job of the class still wait here?

    def resolvent(self, s: Complex, flow: Complex) -> Complex:
        """Return flow·(sI − local)^(−1), column by column of s."""
        diagonal = self.local.diagonal()
        if self.local.nnz == np.count_nonzero(diagonal):  # exponential durations
            return np.asarray(flow / (s[None, :] - diagonal[:, None]))
        if len(diagonal) <= DENSE_UP_TO:
            return self._dense(flow, s)
        eye = sparse.eye_array(len(diagonal), format="csc")
        transposed = self.local.T.tocsc()
        columns = [splu((point * eye - transposed).tocsc()).solve(flow[:, i]) for i, point in enumerate(s)]
        return np.column_stack(columns)

    @cached_property
    def _dense(self) -> Resolvent:
        return Resolvent(self.local.toarray())


def _duration_transform(job_class: JobClass, s: Complex) -> Complex:
    """E[exp(−s·duration)] = alpha·(sI − T)^(−1)·t."""
    law = job_class.duration.as_phase_type()
    assert law is not None
    eye = np.eye(len(law.alpha))
    systems = s[:, None, None] * eye - law.subgenerator
    return np.asarray(np.linalg.solve(systems, law.exit_rates[None, :, None].astype(complex))[:, :, 0] @ law.alpha)
