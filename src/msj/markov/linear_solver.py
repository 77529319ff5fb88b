"""Solve (I − P)·x = b and y·(I − P) = c for a sparse substochastic P, small or large.

I − P is a nonsingular M-matrix. Small ones get a sparse LU factorisation. Beyond some thousand unknowns fill-in
becomes the cost, and an incomplete factorisation with a small drop tolerance preconditions BiCGStab instead: fill
stays a constant per row, and a few dozen iterations suffice. Either way the residual is measured afterwards and
iterative refinement repeats the solve on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.sparse.linalg as sparse_linalg
from numpy.typing import NDArray

from msj.markov.marked_chain import Sparse, Vector

DIRECT_UP_TO = 6_000  # unknowns; beyond, incomplete factorisation is faster whatever the number of classes
GOOD_ENOUGH = 1e-13  # relative residual at which refinement stops
DROP_TOLERANCES = (1e-3, 1e-5)
MOST_ITERATIONS = 60  # a few dozen are usual; BiCGStab that has lost its way finds it again from the refined start


class LinearSolver(ABC):
    """Factor once, solve from both sides, and remember the residuals."""

    method: str

    def __init__(self, matrix: Sparse) -> None:
        self.matrix = matrix
        self.transposed = matrix.T  # a view
        self.left_residual = 0.0
        self.right_residual = 0.0

    def solve_right(self, b: Vector) -> Vector:
        """Return x with (I − P)·x = b."""
        x, self.right_residual = self._refined(self.matrix, b, transposed=False)
        return x

    def solve_left(self, c: Vector) -> Vector:
        """Return y with y·(I − P) = c."""
        y, self.left_residual = self._refined(self.transposed, c, transposed=True)
        return y

    @abstractmethod
    def _solve_once(self, b: Vector, *, transposed: bool) -> Vector:
        """Return an approximate solution."""

    def _refined(self, matrix: Sparse, b: Vector, *, transposed: bool) -> tuple[Vector, float]:
        x = np.zeros_like(b)
        if not b.any():
            return x, 0.0
        best, rest = x, b
        smallest = np.inf
        for _ in range(6):
            x = x + self._solve_once(rest, transposed=transposed)
            rest = b - matrix @ x
            # Measured against what the equation adds up, not against b alone: b may be nearly nothing.
            size = float(np.abs(rest).sum() / (np.abs(b).sum() + np.abs(x).sum()))
            if not size < smallest:
                break
            best, smallest = x, size
            if size < GOOD_ENOUGH:
                break
        return best, smallest


class DirectSolver(LinearSolver):
    """Sparse LU; diagonal pivots suffice for an M-matrix and keep the fill predictable."""

    method = "sparse LU"

    def __init__(self, matrix: Sparse) -> None:
        super().__init__(matrix)
        self._factors = sparse_linalg.splu(matrix.tocsc(), diag_pivot_thresh=0.0) if matrix.shape[0] else None

    def _solve_once(self, b: Vector, *, transposed: bool) -> Vector:
        assert self._factors is not None
        return np.asarray(self._factors.solve(b, "T" if transposed else "N"))


class IterativeSolver(LinearSolver):
    """BiCGStab preconditioned by an incomplete LU in a given elimination order.

    If that does not converge the incomplete factors are made anew, once, with a smaller drop tolerance, unless the
    residual is all that is asked for (``insists``): far from an M-matrix such factors fill up.
    """

    def __init__(self, matrix: Sparse, order: NDArray[np.intp], *, insists: bool = True) -> None:
        super().__init__(matrix[order][:, order].tocsr())
        self._order, self._insists = order, insists
        self._factor(DROP_TOLERANCES[0])

    def _factor(self, drop_tolerance: float) -> None:
        from msj.markov.incomplete_lu import IncompleteLU  # compiled code, loaded for large chains only

        self._drop_tolerance = drop_tolerance
        self.method = f"BiCGStab, incomplete LU (drop {drop_tolerance:.0e})"
        self._factors = IncompleteLU(self.matrix, drop_tolerance)

    def _solve_once(self, b: Vector, *, transposed: bool) -> Vector:
        preconditioner = sparse_linalg.LinearOperator(
            self.matrix.shape, matvec=lambda r: self._factors.solve(r, transposed=transposed), dtype=np.float64
        )
        matrix = self.transposed if transposed else self.matrix
        x, _ = sparse_linalg.bicgstab(matrix, b, M=preconditioner, rtol=1e-8, atol=0.0, maxiter=MOST_ITERATIONS)
        return np.asarray(x)

    def _refined(self, matrix: Sparse, b: Vector, *, transposed: bool) -> tuple[Vector, float]:
        x, residual = super()._refined(matrix, b[self._order], transposed=transposed)
        if self._insists and residual > 100 * GOOD_ENOUGH and self._drop_tolerance > DROP_TOLERANCES[1]:
            self._factor(DROP_TOLERANCES[1])
            x, residual = super()._refined(matrix, b[self._order], transposed=transposed)
        back = np.empty_like(x)
        back[self._order] = x
        return back, residual


def make_solver(
    matrix: Sparse, order: NDArray[np.intp], dimension: int | None, *, insists: bool = True
) -> LinearSolver:
    """Return the solver that suits ``matrix``; ``order`` is a good elimination order for large ones.

    Unless it ``insists``, a solution that does not come easily is given up, as its residual tells. A chain whose states
    spread out in one ``dimension`` only has factors without fill, whatever its size.
    """
    direct = matrix.shape[0] <= DIRECT_UP_TO or (dimension is not None and dimension <= 1)
    return DirectSolver(matrix) if direct else IterativeSolver(matrix, order, insists=insists)
