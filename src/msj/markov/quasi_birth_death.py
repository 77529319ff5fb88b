"""The repeating part of a level-structured Markov chain: first-passage matrix G and rate matrix R.

A quasi-birth-death process moves between levels one step at a time. Where it repeats itself, every level
has the same m phases and the rates ``A_up``, ``A_local`` (with the generator's diagonal) and ``A_down``
(for a saturated queue: up lambda*I, local D0 - lambda*I, down D1). Two matrices say it all
(Latouche & Ramaswami 1999, *Introduction to Matrix Analytic Methods in Stochastic Modeling*, chapters 6-8):

- G, the phases in which the level below is first entered: the minimal nonnegative solution of
  ``A_down + A_local G + A_up G^2 = 0``; with ``U = A_local + A_up G``, ``G = (-U)^-1 A_down``;
- ``R = A_up (-U)^-1``: the stationary vectors satisfy ``pi_{n+1} = pi_n R``.

G comes from cyclic reduction (Bini, Latouche & Meini 2005, *Numerical Methods for Structured Markov
Chains*, chapter 7): each step eliminates every second level, so after k steps 2^k levels have been looked
at and convergence is quadratic unless the drift is zero. From M = h = -A_local, D = A_down, A = A_up::

    X = M^-1 D,   Y = M^-1 A
    M <- M - D Y - A X,   h <- h - A X,   D <- D X,   A <- A Y,     until A = 0: then h = -U

The same elimination carries a cost of one per unit of time, b = c = 1, along: with w = M^-1 b,
``c <- c + A w`` and ``b <- b + A w + D w`` lead to ``t = h^-1 c``, the mean time to the level below.

Accuracy up to the edge of stability rests on three things. Off-diagonal entries only ever add up, and
diagonals are set from row sums (the idea of Grassmann, Taksar & Heyman 1985). The rows of [X Y] sum to one
exactly; near saturation M is nearly singular in just that direction, so scaling the rows removes the error
that the LU brought in. And M-matrices are factored transposed: their columns are then diagonally dominant,
partial pivoting leaves the diagonal in place, and the factors keep their signs.

Columns in which ``A_down`` is zero stay zero in D, X and G and are never touched; the first step multiplies
by the sparse blocks. Everything heavy goes through one BLAS (scipy's) with a fixed number of threads:
numpy brings another one, whose waiting threads would steal the processors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm

from msj.errors import InvalidInput, NotAccurate, Unstable
from msj.markov.blas import blas_threads
from msj.markov.gth import as_sparse, closed_class_laws
from msj.markov.m_matrix import MMatrix, perron_root, set_diagonal

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Block = Any  # a scipy.sparse matrix or array, or a dense array

_ROUNDING = float(np.finfo(float).eps)
_MOST_STEPS = 80  # quadratic convergence needs about 20 at 0.9999 of the threshold; at the threshold, about 50
_LARGEST_ERROR = 1e-9
_LARGEST_CORRECTION = 1e-4  # of row sums, on the way; scaling the rows puts it right


@dataclass(frozen=True, kw_only=True, eq=False)
class Repeating:
    """What the repeating levels contribute.

    Attributes
    ----------
    first_passage : G, row i = law of the phase in which the level below is entered from phase i.
    rate_matrix : R, with ``pi_{n+1} = pi_n R`` over repeating levels.
    passage_time : t, mean time until the level below is entered, from each phase.
    decay_rate : spectral radius of R; ``P(level > n)`` falls off like ``decay_rate**n``.
    up_rate, down_rate : mean rates of steps up and down under the phases' stationary law.
    iterations : steps of cyclic reduction.
    residual : the larger of two relative errors: of the equation for G (per row, relative to the rate of
        leaving the phase) and of the row sums of G before they were scaled to one.
    """

    first_passage: Matrix
    rate_matrix: Matrix
    passage_time: Vector
    decay_rate: float
    up_rate: float
    down_rate: float
    iterations: int
    residual: float

    @property
    def drift(self) -> float:
        """Mean rate up minus mean rate down; negative if and only if a stationary law exists."""
        return self.up_rate - self.down_rate


def solve_repeating(
    up: Block, local: Block, down: Block, *, allow_unstable: bool = False, threads: int = 1
) -> Repeating:
    """Return G, R and the decay rate of the repeating levels, or raise Unstable or NotAccurate.

    Parameters
    ----------
    up, local, down
        Rates to the level above, within the level (generator diagonal included) and to the level below;
        square, of one size, sparse or dense.
    allow_unstable
        Solve although the drift is not negative; G is then the minimal, substochastic solution.
    threads
        BLAS threads. One is fastest unless the matrices have thousands of phases and the processors are idle.

    Examples
    --------
    M/M/1 with arrival rate 0.6 and service rate 1: the level decays with factor 0.6.

    >>> part = solve_repeating([[0.6]], [[-1.6]], [[1.0]])
    >>> round(part.decay_rate, 12), round(part.drift, 12)
    (0.6, -0.4)
    """
    up, local, down = (as_sparse(block) for block in (up, local, down))
    if not up.shape == local.shape == down.shape == local.shape[::-1]:
        raise InvalidInput(f"blocks of {up.shape}, {local.shape} and {down.shape} must be square, of one size")
    check_rates("the repeating levels", local, (up, down))
    with blas_threads(threads):
        up_rate, down_rate = _mean_rates(up, local, down)
        stable = up_rate < down_rate
        if not stable and not allow_unstable:
            raise Unstable(
                f"the level rises at mean rate {up_rate:.10g} and falls at mean rate {down_rate:.10g}, so there "
                f"is no stationary law; lower the rate up below {down_rate:.10g}"
            )
        taboo, costs, iterations, correction = _cyclic_reduction(up, local, down, stable=stable)
        factors = MMatrix(taboo, overwrite=True)
        G, error = first_passage(factors, down, stochastic=stable)
        passage_time = factors.solve(costs) if stable else np.full(len(costs), np.inf)
        taboo = taboo_rates(local, up, G, exit_rates=down.sum(axis=1) if stable else None)
        R = MMatrix(taboo, overwrite=True).solve_left(up.toarray())
        error = max(error, _equation_error(up, local, down, G))
        decay_rate = perron_root(R)
    if not error < _LARGEST_ERROR or (stable and not correction < _LARGEST_CORRECTION):
        raise NotAccurate(
            f"rounding left a relative error of {error:.1e} in the repeating levels (at most "
            f"{_LARGEST_ERROR:.0e} is accepted) and took up to {correction:.1e} on the way (at most "
            f"{_LARGEST_CORRECTION:.0e}), with mean rates up {up_rate:.15g} and down {down_rate:.15g}; "
            "lower the load or bring the rates closer together"
        )
    return Repeating(
        first_passage=G,
        rate_matrix=R,
        passage_time=passage_time,
        decay_rate=decay_rate,
        up_rate=up_rate,
        down_rate=down_rate,
        iterations=iterations,
        residual=error,
    )


def _cyclic_reduction(up: Any, local: Any, down: Any, *, stable: bool) -> tuple[Matrix, Vector, int, float]:
    """Return h = -U, c = -U t, the number of steps and the largest row-sum error met on the way."""
    active = nonzero_columns(down)
    full = len(active) == local.shape[0]
    columns: Any = slice(None) if full else active
    D = down[:, active].toarray(order="F")
    A = up.toarray(order="F")
    M = -local.toarray()
    set_diagonal(M, D.sum(axis=1) + A.sum(axis=1))
    h = M.copy()
    original_exits = D.sum(axis=1)
    b, c = np.ones((2, len(M)))
    error = 0.0
    for step in range(1, _MOST_STEPS + 1):
        factors = MMatrix(M)
        X, Y, w = factors.solve(D), factors.solve(A), factors.solve(b)
        del factors
        sums = X.sum(axis=1) + Y.sum(axis=1)
        error = max(error, float(np.abs(sums - 1.0).max()))
        X /= sums[:, None]
        Y /= sums[:, None]
        w /= sums
        c += A @ w
        b += A @ w + D @ w[columns]
        if step == 1:  # the given blocks have a few entries per row
            AX, A = up @ X, np.asfortranarray(up @ Y)
            M -= down @ Y
        else:
            AX = dgemm(1.0, A, X)
            # M is stored by rows: the update of its transpose is made in place
            dgemm(-1.0, Y if full else Y[columns], D, 1.0, M.T, trans_a=1, trans_b=1, overwrite_c=1)
            A = dgemm(1.0, A, Y)
        D = dgemm(1.0, D, X[columns])
        M[:, columns] -= AX
        h[:, columns] -= AX
        rising = A.sum(axis=1)
        set_diagonal(M, D.sum(axis=1) + rising)
        set_diagonal(h, original_exits + rising)
        # what is still missing: from h at most A, from c at most A times the 2^step levels of this step
        missing = rising * 2.0**step if stable else AX.sum(axis=1)
        if (missing <= _ROUNDING * h.diagonal()).all():
            return h, c, step, error
    raise NotAccurate(f"cyclic reduction has not converged in {_MOST_STEPS} steps; lower the load")


def _equation_error(up: Any, local: Any, down: Any, G: Matrix) -> float:
    """Return the largest row of |A_down + A_local G + A_up G^2|, relative to the rate of leaving the phase."""
    excess = dgemm(1.0, up @ G, G) + local @ G
    excess += down.toarray()
    return float((np.abs(excess).sum(axis=1) / -local.diagonal()).max())


def taboo_rates(local: Any, up: Any, G_above: Matrix, *, exit_rates: Vector | None) -> Matrix:
    """Return -U = -(local + up G): minus the rates of the chain watched while it is in the level.

    Its row sums are the rates of leaving downwards, ``exit_rates``, if the level above is always left
    again (None: it may not be; then the diagonal is as computed).
    """
    U = up @ G_above
    U += local.toarray()
    np.negative(U, out=U)
    if exit_rates is not None:
        set_diagonal(U, exit_rates)
    return U  # type: ignore[no-any-return]


def first_passage(taboo: MMatrix, down: Any, *, stochastic: bool = True) -> tuple[Matrix, float]:
    """Return (-U)^-1 A_down with rows scaled to sum one, and how far from one they were."""
    active = nonzero_columns(down)
    passage = taboo.solve(down[:, active].toarray(order="F"))
    error = 0.0
    if stochastic:
        sums = passage.sum(axis=1)
        error = float(np.abs(sums - 1.0).max())
        passage /= sums[:, None]
    if len(active) == down.shape[1]:
        return passage, error
    G = np.zeros(down.shape, order="F")
    G[:, active] = passage
    return G, error


def _mean_rates(up: Any, local: Any, down: Any) -> tuple[float, float]:
    """Return the mean rates up and down under the phases' stationary law (its worst closed class)."""
    rises, falls = up.sum(axis=1), down.sum(axis=1)
    pairs = [
        (float(law @ rises[states]), float(law @ falls[states])) for states, law in closed_class_laws(up + local + down)
    ]
    return max(pairs, key=lambda pair: pair[0] - pair[1])


def nonzero_columns(block: Any) -> NDArray[np.intp]:
    """Return the columns that hold an entry."""
    return np.unique(block.indices)


def _rows(block: Any) -> NDArray[np.intp]:
    """Return the row of each stored entry: of small blocks, many times sooner than scipy's own arithmetic."""
    return np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))


def check_rates(where: str, local: Any, outward: tuple[Any, ...]) -> None:
    """Refuse blocks that are not rates of one generator."""
    blocks = (local, *outward)
    if not all(np.isfinite(block.data).all() for block in blocks):
        raise InvalidInput(f"a rate of {where} is not finite; give finite rates")
    off_diagonal = local.data[_rows(local) != local.indices]
    rates = (off_diagonal, *(block.data for block in outward))
    least = min((float(entries.min()) for entries in rates if len(entries)), default=0.0)
    if least < 0:
        raise InvalidInput(f"a rate of {where} is {least:.6g}; rates off the diagonal must not be negative")
    sums = np.sum([np.bincount(_rows(block), block.data, minlength=block.shape[0]) for block in blocks], axis=0)
    wrong = np.abs(sums) > 1e-9 * np.abs(local.diagonal())
    if wrong.any():
        phase = int(np.argmax(wrong))
        raise InvalidInput(
            f"the rates of phase {phase} of {where} sum to {float(sums[phase]):.6g}; a generator's rows sum "
            "to zero, so put minus the total rate of leaving on the diagonal of the local block"
        )
