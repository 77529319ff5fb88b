"""Discrete Laguerre functions: sequences over all levels by few coefficients.

With 0 < a < 1, the sequences whose generating functions are

    sum over j of l_n(j)·z^j = sqrt(1 − a²)/(1 − a·z)·w^n,   w = (z − a)/(1 − a·z),   n = 0, 1, ...

are an orthonormal basis of the square-summable sequences (Broome 1965). A geometric sequence r^j has coefficients that
fall like |(r − a)/(1 − a·r)|^n: with a in the middle of the ratios r that occur, some dozens of them are as good as
hundreds of levels, and nothing is cut off. One level up or down is a rational function of w, so two steps of a
recurrence per coefficient; the first k functions hold all that comes down from them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def at_zero(a: float, count: int) -> Vector:
    """Return l_n(0): what makes the first term of a sequence of its coefficients, and the coefficients of 1, 0, 0, ...

    Examples
    --------
    >>> bool(abs(at_zero(0.5, 60) @ at_zero(0.5, 60) - 1.0) < 1e-15)
    True
    """
    return np.asarray(np.sqrt(1.0 - a * a) * (-a) ** np.arange(count))


def values(a: float, count: int, levels: int) -> Vector:
    """Return l_n(j), an array count × levels.

    Examples
    --------
    >>> found = values(0.6, 40, 400)
    >>> bool(np.abs(found @ found.T - np.eye(40)).max() < 1e-13)
    True
    """
    found = np.empty((count, levels))
    found[0] = np.sqrt(1.0 - a * a) * a ** np.arange(levels)
    for n in range(1, count):  # (1 − a·z)·l_n = (z − a)·l_(n−1)
        found[n] = _filtered(found[n - 1], a)
    return found


def _filtered(sequence: Vector, a: float) -> Vector:
    from scipy.signal import lfilter

    return np.asarray(lfilter([-a, 1.0], [1.0, -a], sequence))


def down_matrix(a: float, count: int) -> Vector:
    """Return the matrix D whose product with coefficients, D·x, leaves out a sequence's first term.

    Its transpose puts a zero first, up to what the first ``count`` functions cannot hold.

    Examples
    --------
    >>> x = at_zero(0.5, 50)  # 1, 0, 0, ...
    >>> bool(np.abs(down_matrix(0.5, 50) @ x).max() < 1e-14)
    True
    """
    upper = np.subtract.outer(np.arange(count), np.arange(count))
    found = np.where(upper < 0, (1.0 - a * a) * (-a) ** np.maximum(-upper - 1.0, 0.0), 0.0)
    found[np.diag_indices(count)] = a
    return np.asarray(found)


def middle(ratio: float) -> float:
    """Return the a that is as far from 0 as from a ratio, as the functions see it.

    Examples
    --------
    >>> a = middle(0.9)
    >>> round(a, 6), round((0.9 - a) / (1 - 0.9 * a), 6)
    (0.626789, 0.626789)
    """
    return float((1.0 - np.sqrt(1.0 - ratio * ratio)) / ratio)


def total(a: float) -> float:
    """Return the sum of l_n(j) over all j, the same for every n.

    Examples
    --------
    >>> round(total(0.6), 12), round(float(values(0.6, 3, 400)[2].sum()), 12)
    (2.0, 2.0)
    """
    return float(np.sqrt((1.0 + a) / (1.0 - a)))


def geometric(a: float, count: int, ratio: float) -> Vector:
    """Return the coefficients of ratio^j.

    Examples
    --------
    >>> sequence = geometric(0.6, 60, 0.9) @ values(0.6, 60, 5)
    >>> sequence.round(9).tolist()
    [1.0, 0.9, 0.81, 0.729, 0.6561]
    """
    factor = (ratio - a) / (1.0 - a * ratio)
    return np.asarray(np.sqrt(1.0 - a * a) / (1.0 - a * ratio) * factor ** np.arange(count))
