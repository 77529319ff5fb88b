"""Incomplete LU factors of a sparse M-matrix, with entries dropped as soon as they are small (ILUT; Saad 2003, 10.4).

Rows are eliminated in the given order. A multiplier below the threshold is dropped before it is used, so the work per
row stays bounded by the entries that matter and the whole costs a constant per row; SuperLU's incomplete factorisation
first finds the full reach of every column and so grows like size^1.5 on these chains. M-matrices need no pivoting.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msj.markov.marked_chain import Sparse, Vector

Index = NDArray[np.int64]


class IncompleteLU:
    """Factors L·U ~ A; solves with them and with their transposes."""

    def __init__(self, matrix: Sparse, drop_tolerance: float) -> None:
        matrix = matrix.tocsr()
        matrix.sort_indices()
        pointers, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        room = 12 * matrix.nnz
        while True:  # rarely more than once: the room is several times what these chains need
            found = _factor(pointers, columns, matrix.data, drop_tolerance, room)
            if found[0]:
                break
            room *= 2
        _, self._pointers, self._diagonal, self._columns, self._values = found

    @property
    def nnz(self) -> int:
        """Stored entries of both factors."""
        return len(self._values)

    def solve(self, b: Vector, *, transposed: bool) -> Vector:
        """Return (L·U)^(−1)·b, or the same with the transposes."""
        x = np.array(b, dtype=np.float64)
        sweep = _solve_transposed if transposed else _solve
        sweep(self._pointers, self._diagonal, self._columns, self._values, x)
        return x


@njit(cache=True)
def _factor(pointers, columns, values, drop, room):  # type: ignore[no-untyped-def]
    """Row by row: L without its unit diagonal left of ``diagonal[i]``, U from there on."""
    size = len(pointers) - 1
    out_pointers = np.zeros(size + 1, np.int64)
    out_diagonal = np.zeros(size, np.int64)
    out_columns = np.empty(room, np.int32)
    out_values = np.empty(room, np.float64)
    work = np.zeros(size)
    present = np.zeros(size, np.bool_)
    lower = np.empty(size, np.int32)  # a heap of the columns left of the diagonal still to eliminate
    kept = np.empty(size, np.int32)
    upper = np.empty(size, np.int32)
    filled = 0
    for i in range(size):
        waiting, n_kept, n_upper = 0, 0, 0
        scale = 0.0
        for q in range(pointers[i], pointers[i + 1]):
            column = columns[q]
            work[column] = values[q]
            present[column] = True
            scale += abs(values[q])
            if column < i:
                waiting = _push(lower, waiting, column)
            elif column > i:
                upper[n_upper] = column
                n_upper += 1
        limit = drop * scale
        present[i] = True
        while waiting:
            k = lower[0]
            waiting = _pop(lower, waiting)
            factor = work[k] / out_values[out_diagonal[k]]
            work[k] = 0.0
            present[k] = False
            if abs(factor) < limit:
                continue
            kept[n_kept] = k
            n_kept += 1
            for q in range(out_diagonal[k] + 1, out_pointers[k + 1]):
                column = out_columns[q]
                if not present[column]:
                    present[column] = True
                    if column < i:
                        waiting = _push(lower, waiting, column)
                    else:
                        upper[n_upper] = column
                        n_upper += 1
                work[column] -= factor * out_values[q]
            # Remember the multiplier where no further elimination touches it: its own column is done.
            work[k] = factor
        if filled + n_kept + n_upper + 1 > room:
            return False, out_pointers, out_diagonal, out_columns, out_values
        for e in range(n_kept):
            out_columns[filled] = kept[e]
            out_values[filled] = work[kept[e]]
            work[kept[e]] = 0.0
            filled += 1
        out_diagonal[i] = filled
        out_columns[filled] = i
        out_values[filled] = work[i]
        work[i] = 0.0
        present[i] = False
        filled += 1
        for e in range(n_upper):
            column = upper[e]
            if abs(work[column]) >= limit:
                out_columns[filled] = column
                out_values[filled] = work[column]
                filled += 1
            work[column] = 0.0
            present[column] = False
        out_pointers[i + 1] = filled
    return True, out_pointers, out_diagonal, out_columns[:filled].copy(), out_values[:filled].copy()


@njit(cache=True)
def _push(heap, size, item):  # type: ignore[no-untyped-def]
    place = size
    while place > 0 and heap[(place - 1) // 2] > item:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item
    return size + 1


@njit(cache=True)
def _pop(heap, size):  # type: ignore[no-untyped-def]
    last = heap[size - 1]
    place = 0
    while 2 * place + 1 < size - 1:
        child = 2 * place + 1
        if child + 1 < size - 1 and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = last
    return size - 1


@njit(cache=True)
def _solve(pointers, diagonal, columns, values, x):  # type: ignore[no-untyped-def]
    size = len(diagonal)
    for i in range(size):
        total = x[i]
        for q in range(pointers[i], diagonal[i]):
            total -= values[q] * x[columns[q]]
        x[i] = total
    for i in range(size - 1, -1, -1):
        total = x[i]
        for q in range(diagonal[i] + 1, pointers[i + 1]):
            total -= values[q] * x[columns[q]]
        x[i] = total / values[diagonal[i]]


@njit(cache=True)
def _solve_transposed(pointers, diagonal, columns, values, x):  # type: ignore[no-untyped-def]
    size = len(diagonal)
    for i in range(size):
        x[i] /= values[diagonal[i]]
        share = x[i]
        for q in range(diagonal[i] + 1, pointers[i + 1]):
            x[columns[q]] -= values[q] * share
    for i in range(size - 1, -1, -1):
        share = x[i]
        for q in range(pointers[i], diagonal[i]):
            x[columns[q]] -= values[q] * share
