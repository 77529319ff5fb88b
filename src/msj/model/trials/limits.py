"""Limits that the samples of a correct law exceed with at most a given probability, whatever the law.

**Distribution functions.** With F_n the empirical distribution function of n independent samples of F,

    P(sup_x |F_n(x) − F(x)| > d) ≤ 2·exp(−2·n·d²)

for every F, with atoms or without (Dvoretzky, Kiefer and Wolfowitz 1956; the constant 2 is Massart's, 1990). The
difference at some x only is at most the supremum, so the bound holds for it, too. With a margin h ≥ 0,

    F_n(x) − F(x + h) ≤ F_n(x + h) − F(x + h),    F(x − h) − F_n(x−) ≤ F(x − h) − F_n(x − h):

a small margin keeps rounding at an atom of the law from raising an alarm.

**Means.** Samples of mean m and variance s² are cut into K blocks of b. By Cantelli's inequality a block's mean exceeds
m + t·s/√b with probability at most p = 1/(1 + t²). The median of the K means (K odd) exceeds it only if (K + 1)/2 of
them do: with probability at most P(Bin(K, p) ≥ (K + 1)/2) = I_p((K + 1)/2, (K + 1)/2), the regularised incomplete beta
function. The same holds below. So p is the inverse of I at half the error probability. No moment beyond the second is
needed (median of means: Nemirovsky and Yudin 1983; Lugosi and Mendelson, Found. Comput. Math. 19, 2019, theorem 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

FALSE_ALARM = 9e-7  # probability that a correct law is refused, over all tests of the law
BLOCKS = 27  # odd; near the number that makes the limit smallest at error probabilities of 1e-8 to 1e-6
MARGIN = 1e-9  # relative: rounding of values and of means


class Distance(NamedTuple):
    """The largest difference found between two distribution functions, and where."""

    value: float
    x: float
    declared: float
    observed: float


def dkw_limit(samples: int, alpha: float) -> float:
    """Return the distance that F_n exceeds with probability at most ``alpha``.

    Examples
    --------
    >>> round(dkw_limit(10_000, 0.05), 6)
    0.013581
    """
    return math.sqrt(math.log(2.0 / alpha) / (2.0 * samples))


def dkw_distance(samples: Vector, cdf: Callable[[Vector], Vector], scale: float, points: int) -> Distance:
    """Return the largest distance between F_n and ``cdf`` at ``points`` of the samples.

    ``samples`` are sorted and not negative; ``scale`` is the size of a typical value. ``cdf`` gets values x ≥ 0.

    Examples
    --------
    >>> found = dkw_distance(np.array([1.0, 1.0, 1.0, 3.0]), lambda x: np.clip(x / 4, 0, 1), scale=1.0, points=4)
    >>> round(found.value, 6), found.x
    (0.5, 1.0)
    """
    values = np.unique(samples)
    if len(values) > points:
        values = values[np.unique(np.linspace(0, len(values) - 1, points).astype(np.int64))]
    margin = MARGIN * (values + scale)
    above = np.searchsorted(samples, values, side="right") / len(samples)
    below = np.searchsorted(samples, values, side="left") / len(samples)
    upper = cdf(values + margin)
    lower = np.where(values > margin, cdf(np.maximum(values - margin, 0.0)), 0.0)
    too_many, too_few = above - upper, lower - below
    i, j = int(np.argmax(too_many)), int(np.argmax(too_few))
    if too_many[i] >= too_few[j]:
        return Distance(float(too_many[i]), float(values[i]), float(upper[i]), float(above[i]))
    return Distance(float(too_few[j]), float(values[j]), float(lower[j]), float(below[j]))


@lru_cache(maxsize=256)
def deviation_factor(alpha: float, blocks: int = BLOCKS) -> float:
    """Return t: a median of means deviates by more than t standard deviations of a block's mean at most with ``alpha``.

    Examples
    --------
    >>> round(deviation_factor(2e-7), 3)
    2.925
    """
    from scipy.special import betaincinv  # here: it takes a moment, and only laws from outside need it

    half = (blocks + 1) / 2
    tail = float(betaincinv(half, half, alpha / 2.0))
    return math.sqrt(1.0 / tail - 1.0)
