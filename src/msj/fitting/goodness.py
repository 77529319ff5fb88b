"""How near a law is to data: the largest distance between the two distribution functions (Kolmogorov and Smirnov).

D = sup_x |F_n(x) − F(x)|. Without any other difference than chance, D·sqrt(n) exceeds 1.63 in one of a hundred samples;
where the law's own parameters are from the same data, in fewer. Large logs contradict every law, so the word goes by D
itself: of how large a share of the jobs the law has a wrong idea. A law that the jobs do not contradict *agrees* with
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

GOOD, FAIR = 0.05, 0.10
ONE_IN_A_HUNDRED = 1.63


def distance(values: NDArray[np.float64], cdf: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> float:
    """Return the largest distance between the data's distribution function and that of a continuous law.

    Examples
    --------
    >>> distance(np.array([0.5]), lambda x: x)
    0.5
    """
    points, counts = np.unique(values, return_counts=True)
    upper = np.cumsum(counts) / len(values)
    known = cdf(points)
    return float(max((upper - known).max(), (known - (upper - counts / len(values))).max()))


def word_for(found: float, count: int) -> str:
    """Return the word for a distance.

    Examples
    --------
    >>> word_for(0.001, 1000), word_for(0.04, 10_000), word_for(0.07, 10_000), word_for(0.2, 10_000)
    ('agrees', 'good', 'fair', 'poor')
    """
    if not_contradicted(found, count):
        return "agrees"
    return "good" if found <= GOOD else "fair" if found <= FAIR else "poor"


def not_contradicted(found: float, count: int) -> bool:
    """Return whether chance alone explains the distance, but for one case in a hundred."""
    return found * math.sqrt(count) < ONE_IN_A_HUNDRED
