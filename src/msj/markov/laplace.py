"""Numerical inversion of Laplace transforms (Abate & Whitt 1995, the Euler algorithm).

f(t) is the Bromwich integral of its transform along the line Re s = A/(2t), by the trapezoidal rule, whose alternating
tail is summed by binomial averaging:

f(t) ~ e^(A/2)/t·[F(s_0)/2 + sum_{k>=1} (−1)^k Re F(s_k)],  s_k = (A + 2k·pi·i)/(2t).

The discretisation error is about e^(−A) for functions bounded by 1 and rounding is magnified by e^(A/2): A = 23 leaves
about 1e-10 of both. The transform is only ever needed to the right of its singularities.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

DECAY = 23.0
TERMS = 38  # plain terms of the alternating series
AVERAGED = 14  # partial sums averaged with binomial weights
NODES = TERMS + AVERAGED + 1  # values of the transform per time
Transform = Callable[[NDArray[np.complex128]], NDArray[np.complex128]]


def invert(transform: Transform, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return f at ``times`` > 0; ``transform`` maps an array of s to an array (s, ...) of values.

    Examples
    --------
    >>> invert(lambda s: 1 / (1 + s), np.array([0.5, 3.0])).round(9).tolist()
    [0.60653066, 0.049787068]
    """
    steps = np.arange(NODES)
    s: NDArray[np.complex128] = np.asarray((DECAY + 2j * math.pi * steps) / (2.0 * times[:, None]), dtype=complex)
    found = transform(s.ravel())
    values = np.real(found).reshape(*s.shape, *found.shape[1:])
    signed = values * ((-1.0) ** steps).reshape(1, -1, *[1] * (values.ndim - 2))
    signed[:, 0] /= 2.0
    partial = np.cumsum(signed, axis=1)[:, TERMS:]
    weights = np.array([math.comb(AVERAGED, j) for j in range(AVERAGED + 1)]) / 2.0**AVERAGED
    scale = (math.exp(DECAY / 2.0) / times).reshape(-1, *[1] * (values.ndim - 2))
    return np.asarray(np.tensordot(weights, partial, axes=(0, 1)) * scale)
