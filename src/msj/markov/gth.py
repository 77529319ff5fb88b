"""Stationary laws without a single subtraction (Grassmann, Taksar & Heyman 1985).

Every probability comes out accurate in all its digits, whatever the rates. Dense: for chains of up to a few thousand
states.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def closed_class_laws(generator: Any) -> Iterator[tuple[NDArray[np.intp], Vector]]:
    """Yield the states and the stationary law of each closed class of a finite chain.

    By the elimination of Grassmann, Taksar & Heyman (1985), which never subtracts: every probability is
    accurate in all its digits whatever the rates. Done in panels so that matrix products carry it.

    Examples
    --------
    >>> [(states, law)] = closed_class_laws([[-1.0, 1.0], [3.0, -3.0]])
    >>> law.round(12)
    array([0.75, 0.25])
    """
    rates = as_sparse(generator)
    count, label = connected_components(rates, directed=True, connection="strong")
    entries = rates.tocoo()
    leaving = (label[entries.row] != label[entries.col]) & (entries.data > 0)
    for closed in np.setdiff1d(np.arange(count), label[entries.row[leaving]]):
        states = np.flatnonzero(label == closed)
        yield states, _law(rates[states][:, states].toarray())


def _law(rates: Matrix) -> Vector:
    """Return the law, seen from the first state or, if the others are out of sight from there, from a busy one.

    Where the way back to the first state has a probability below the range of numbers, its chance underflows.
    """
    law = stationary_law(rates.copy())
    if np.isfinite(law).all():
        return law
    jumps = rates.copy()
    np.fill_diagonal(jumps, 0.0)
    jumps /= jumps.sum(axis=1, keepdims=True)
    visits = np.full(len(rates), 1.0 / len(rates))
    for _ in range(100):
        visits = 0.5 * (visits + visits @ jumps)
    order = np.argsort(-visits, kind="stable")
    law[order] = stationary_law(rates[np.ix_(order, order)])
    return law


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def stationary_law(P: Matrix, *, panel: int = 32) -> Vector:
    """Return the stationary law of the rates P, which are overwritten; every state must lead to state 0.

    The diagonal of P is not used. Where a way to state 0 underflows to nothing the law is not a number.
    """
    size = len(P)
    for high in range(size, 1, -panel):
        low = max(high - panel, 0)
        for k in range(high - 1, max(low, 1) - 1, -1):
            P[:k, k] /= P[k, :k].sum()
            P[:k, low:k] += np.outer(P[:k, k], P[k, low:k])
            P[low:k, :low] += np.outer(P[low:k, k], P[k, :low])
        if low > 0:
            P[:low, :low] += P[:low, low:high] @ P[low:high, :low]
    law = np.zeros(size)
    law[0] = 1.0
    for k in range(1, size):
        law[k] = law[:k] @ P[:k, k]
        if law[k] > 1e100:
            law[: k + 1] /= law[k]
    law /= law.sum()
    return law


def as_sparse(block: Any) -> Any:
    """Return the block as a CSR array of floats without stored zeros."""
    array = sparse.csr_array(block, dtype=float)
    array.eliminate_zeros()
    return array
