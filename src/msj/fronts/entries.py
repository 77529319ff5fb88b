"""Collecting the entries of a sparse matrix, array by array."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.markov.marked_chain import Sparse


class Entries:
    """Entries of a matrix of a given shape; those at the same place add up."""

    def __init__(self, rows: int, columns: int) -> None:
        self.shape = (rows, columns)
        self._rows: list[NDArray[np.int64]] = []
        self._columns: list[NDArray[np.int64]] = []
        self._values: list[NDArray[np.float64]] = []

    def add(self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add ``values[i]`` at (``rows[i]``, ``columns[i]``)."""
        self._rows.append(rows)
        self._columns.append(columns)
        self._values.append(values)

    def matrix(self) -> Sparse:
        """Return the matrix (CSR)."""
        if not self._rows:
            return sparse.csr_array(self.shape)
        entries = (np.concatenate(self._values), (np.concatenate(self._rows), np.concatenate(self._columns)))
        return sparse.coo_array(entries, shape=self.shape).tocsr()

    def row_sums(self) -> NDArray[np.float64]:
        """Return the sum of each row."""
        sums = np.zeros(self.shape[0])
        for rows, values in zip(self._rows, self._values, strict=True):
            np.add.at(sums, rows, values)
        return sums
