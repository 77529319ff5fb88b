"""M-matrices and nonnegative matrices, dense: factors that keep their signs, and the spectral radius.

A row diagonally dominant M-matrix is factored transposed: its columns are then diagonally dominant, partial pivoting
leaves the diagonal in place, and the factors keep their signs, so solutions of positive systems are sums of one sign.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.lapack import dgetrf, dgetrs
from scipy.sparse.csgraph import connected_components

from msj.errors import InvalidInput

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
_ROUNDING = float(np.finfo(float).eps)


class MMatrix:
    """LU factors of a row diagonally dominant M-matrix stored by rows, taken of its transpose."""

    def __init__(self, matrix: Matrix, *, overwrite: bool = False) -> None:
        self.factors, self.pivots, info = dgetrf(matrix.T, overwrite_a=overwrite)
        if info > 0:
            raise InvalidInput(
                f"from phase {info - 1} the level can never be left downwards; every phase must lead to the level below"
            )

    def solve(self, columns: Matrix) -> Matrix:
        """Return M^-1 B, stored by columns."""
        return dgetrs(self.factors, self.pivots, columns, trans=1)[0]  # type: ignore[no-any-return]

    def solve_left(self, rows: Matrix) -> Matrix:
        """Return B M^-1, stored by rows; B may be a single row."""
        return dgetrs(self.factors, self.pivots, rows.T)[0].T  # type: ignore[no-any-return]


def set_diagonal(m_matrix: Matrix, row_sums: Vector) -> None:
    """Set the diagonal of an M-matrix, in place, to what its row sums demand: only sums of one sign."""
    np.fill_diagonal(m_matrix, 0.0)
    np.fill_diagonal(m_matrix, row_sums - m_matrix.sum(axis=1))


def perron_root(matrix: Matrix) -> float:
    """Return the spectral radius of a nonnegative matrix: the largest over its irreducible blocks."""
    count, label = connected_components(sparse.csr_array(matrix), directed=True, connection="strong")
    root = float(matrix.diagonal().max())  # blocks of size one
    for block in np.flatnonzero(np.bincount(label) > 1):
        states = np.flatnonzero(label == block)
        root = max(root, _irreducible_root(matrix if count == 1 else matrix[np.ix_(states, states)]))
    return root


def _irreducible_root(matrix: Matrix) -> float:
    """Inverse iteration shifted to Collatz's bound max (Rx)_i / x_i, which falls quadratically (Noda 1971)."""
    x = np.ones(len(matrix))
    bound, previous = float((matrix @ x).max()), np.inf
    while bound < previous * (1 - 4 * _ROUNDING):
        shifted = -matrix
        np.fill_diagonal(shifted, shifted.diagonal() + bound)
        factors, pivots, info = dgetrf(shifted.T, overwrite_a=True)
        if info > 0:  # the bound is an eigenvalue
            return bound
        x = np.abs(dgetrs(factors, pivots, x, trans=1)[0])
        x = np.maximum(x / x.max(), 1e-290)  # entries that underflow must stay positive for the bound
        previous, bound = bound, min(bound, float((matrix @ x / x).max()))
    y = np.abs(dgetrs(factors, pivots, x)[0])  # with the left vector, errors of x are of second order
    return float(y @ (matrix @ x) / (y @ x))
