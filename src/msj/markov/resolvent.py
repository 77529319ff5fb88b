"""Many resolvents of one matrix: x(s)·(sI − A) = b for an array of s.

One complex Schur form A = U·T·U^H (T upper triangular) turns every further s into a triangular solve with the shifted
diagonal, and all s are solved together: block columns by matrix products, the diagonal blocks row by row.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

Complex = NDArray[np.complex128]
BLOCK = 48


class Resolvent:
    """Solves x(s)·(sI − A) = b for many s at a cost of size² each."""

    def __init__(self, matrix: NDArray[np.float64]) -> None:
        triangular, unitary = scipy.linalg.schur(matrix, output="complex")
        self.triangular: Complex = triangular
        self.unitary: Complex = unitary

    def __call__(self, b: NDArray[np.float64] | Complex, s: Complex) -> Complex:
        """Return the solutions as columns: array size × s. ``b`` is one vector, or a column for each s.

        Examples
        --------
        >>> halves = Resolvent(np.diag([-1.0, -3.0]))(np.array([2.0, 2.0]), np.array([1.0 + 0j]))
        >>> halves.real.round(12).ravel().tolist()
        [1.0, 0.5]
        """
        T = self.triangular
        size = len(T)
        start = self.unitary.T @ b.reshape(size, -1)
        x = np.empty((size, len(s)), dtype=np.complex128)
        for begin in range(0, size, BLOCK):
            end = min(begin + BLOCK, size)
            x[begin:end] = start[begin:end] + T[:begin, begin:end].T @ x[:begin]
            for j in range(begin, end):
                if j > begin:
                    x[j] += T[begin:j, j] @ x[begin:j]
                x[j] /= s - T[j, j]
        return np.asarray(self.unitary.conj() @ x)
