"""What RESET leaves open, E[N] − lambda·(1 + Delta(Y_d))/(lambda* − lambda), without subtracting large numbers.

Near saturation E[N] and its prediction both grow like 1/(lambda* − lambda) while their difference stays bounded, so a
subtraction leaves nothing but rounding. The difference has a formula of its own. Levels L, L+1, ... repeat: up at rate
lambda in the same phase, A = up + local + down the generator of the phases, Y its law, lambda* = Y·down·1, and
A·Delta = lambda* − down·1 with Y·Delta = 0 (relative completions; reset, section 3.8). Take Delta = 0 below level L.
Then N − Delta drifts by lambda − lambda* + u, where u differs from zero only in levels 0..L. In the steady state mean
drifts vanish:

    of N − Delta:     E[u] = lambda* − lambda,
    of (N − Delta)²:  (lambda* − lambda)·E[N − Delta] = E[u·(N − Delta)] + E[v]/2,

where v is the mean squared jump of N − Delta per unit of time. In the repeating levels v = lambda + g(phase), Y·g =
lambda*·(1 + 2 Delta(Y_d)), and with A·phi = g − Y·g, phi = 0 below L, E[v] − lambda − Y·g is a sum over levels 0..L
again. The masses of these levels fall like lambda* − lambda = E[u]; only their ratios are left in

    lambda·(E[T] − prediction) = (E[u·(N − Delta)] + (E[v] − lambda − Y·g)/2)/E[u] + 1/2 + Delta(Y_d) + E[Delta].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.linalg import lu_factor, lu_solve

from msj.errors import NotAccurate
from msj.markov.gth import closed_class_laws
from msj.markov.level_process import LevelLaw, LevelProcess
from msj.markov.quasi_birth_death import Block, Matrix, Vector


def reset_remainder(process: LevelProcess, law: LevelLaw, arrival_rate: float) -> float:
    """Return E[T] minus its RESET prediction, for levels that arrivals leave upwards at one rate.

    Examples
    --------
    M/M/2 at service rate 1: E[T] = 1/(1 − lambda²/4), the prediction 1/(2 − lambda) (one phase: Delta = 0), and
    their difference 1/(2 + lambda), also where each of them is 1e8.

    >>> from msj.markov.level_process import solve
    >>> rate = 2.0 - 1e-8
    >>> queue = LevelProcess(
    ...     local=[[[-rate]], [[-rate - 1.0]]], up=[[[rate]], [[rate]]], down=[None, [[1.0]], [[2.0]]],
    ...     repeating_up=[[rate]], repeating_local=[[-rate - 2.0]], repeating_down=[[2.0]])
    >>> round(reset_remainder(queue, solve(queue), rate) * (2.0 + rate), 9)
    1.0
    """
    down, level = process.repeating_down, process.first_repeating_level
    leaving = np.asarray(down.sum(axis=1)).ravel()
    poisson = Poisson.of((process.repeating_up + process.repeating_local + down).toarray())
    threshold = float(poisson.law @ leaving)
    minus_delta = poisson.solve(leaving - threshold)
    at_departure = -float(poisson.law @ (down @ minus_delta)) / threshold
    g = _squared_jumps(process.repeating_local, minus_delta, minus_delta, 0)
    g += _squared_jumps(down, minus_delta, minus_delta, -1)
    mean_g = float(poisson.law @ g)
    phi = poisson.solve(g - mean_g)
    offsets = [*(np.zeros(size) for size in process.level_sizes[:level]), minus_delta, minus_delta]
    of_u = weighted = of_v = 0.0
    for n, mass in enumerate((*law.boundary, law.first_repeating)):
        drift, squares = _moments(process, n, offsets)
        u = drift + threshold - arrival_rate
        of_u += float(mass @ u)
        weighted += float(mass @ (u * (n + offsets[n])))
        of_v += float(mass @ (squares - arrival_rate - (g if n == level else mean_g)))
    # What the phases of the repeating levels add to E[v], read off the levels between which phi jumps.
    of_v += float(law.first_repeating @ (down @ phi)) - float(law.boundary[-1] @ (process.up[-1] @ phi))
    bounded = 0.5 + at_departure - float(law.repeating_mass @ minus_delta)
    return ((weighted + of_v / 2.0) / of_u + bounded) / arrival_rate


def _moments(process: LevelProcess, n: int, offsets: list[Vector]) -> tuple[Vector, Vector]:
    """Return mean jump and mean squared jump of level plus offset per unit of time, in the phases of level n."""
    drift, squares = np.zeros(len(offsets[n])), np.zeros(len(offsets[n]))
    for block, step in zip(process.blocks(n), (0, 1, -1), strict=True):
        if block is not None:
            rates, jumps = _jumps(block, offsets[n], offsets[n + step], step)
            drift += np.bincount(rates.row, weights=rates.data * jumps, minlength=len(drift))
            squares += np.bincount(rates.row, weights=rates.data * jumps**2, minlength=len(drift))
    return drift, squares


def _squared_jumps(block: Block, here: Vector, there: Vector, step: int) -> Vector:
    rates, jumps = _jumps(block, here, there, step)
    return np.asarray(np.bincount(rates.row, weights=rates.data * jumps**2, minlength=len(here)))


def _jumps(block: Block, here: Vector, there: Vector, step: int) -> tuple[Any, Vector]:
    """Return the rates of a block, and by how much level plus offset jumps with each; staying is no jump."""
    rates = sparse.coo_array(block)
    jumps = there[rates.col] + step - here[rates.row]
    return rates, np.where((rates.row == rates.col) & (step == 0), 0.0, jumps)


@dataclass(frozen=True, kw_only=True, eq=False)
class Poisson:
    """Solves A·x = b with Y·x = 0 for b with Y·b = 0: A − 1·Y is regular and has the same solution."""

    law: Vector
    matrix: Matrix
    factors: Any

    @classmethod
    def of(cls, generator: Matrix) -> Poisson:
        """Factorise; diagonals are set from row sums."""
        np.fill_diagonal(generator, 0.0)
        np.fill_diagonal(generator, -generator.sum(axis=1))
        (states, recurrent), *others = closed_class_laws(generator)
        if others:
            raise NotAccurate(f"the phases fall into {len(others) + 1} sets that do not reach each other; keep one")
        law = np.zeros(len(generator))
        law[states] = recurrent
        matrix = generator - law
        return cls(law=law, matrix=matrix, factors=lu_factor(matrix))

    def solve(self, right: Vector) -> Vector:
        """Return x, refined once."""
        found = lu_solve(self.factors, right)
        found += lu_solve(self.factors, right - self.matrix @ found)
        return np.asarray(found - float(self.law @ found))
