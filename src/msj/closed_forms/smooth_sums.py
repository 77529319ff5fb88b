"""Sums of a smooth function over 10^8 integers (or 10^15) from a few hundred evaluations.

Gauss quadrature for the *discrete* measure that puts mass one on each of ``m`` consecutive integers:
``d`` nodes sum every polynomial of degree below ``2d`` exactly. The orthogonal polynomials are the
discrete Chebyshev (Gram) polynomials, with centre ``(m - 1)/2`` and recurrence coefficients

    beta_j = j² (m² - j²) / (4 (4 j² - 1)),      beta_0 = m,

so that nodes and weights are the eigenvalues and eigenvectors of a small symmetric tridiagonal matrix
(Golub and Welsch, 1969; Gautschi, Orthogonal Polynomials, 2004, section 1.5).

The summands of the 1-and-n system are products of ``1/b``, ``q^b`` and harmonic numbers: analytic, with
their singularities at ``b <= 0``. On a block ``[start, 2 start)`` those lie three half-lengths from the
centre, so the error falls like ``5.8^(-2d)``; the factor ``q^b`` adds what 32 nodes resolve as long as it
falls by less than e^-40 over the block, and blocks where it falls further add nothing to the sum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

Array = npt.NDArray[np.float64]

NODES = 32
#: Below this every integer is visited, so the blocks start well away from the singularity at zero.
DIRECT = 64


def block_rule(count: int) -> tuple[Array, Array]:
    """Return nodes and weights that replace ``sum(f(i) for i in range(count))``."""
    j = np.arange(1.0, NODES)
    beta = j**2 * (float(count) ** 2 - j**2) / (4 * (4 * j**2 - 1))
    # The matrix is centred and scaled to [-1, 1], where the eigensolver works to full relative accuracy.
    half = (count - 1) / 2
    nodes, vectors = eigh_tridiagonal(np.zeros(NODES), np.sqrt(beta) / half)
    return half * (1 + nodes), count * vectors[0] ** 2


def sum_over_integers(function: Callable[[Array], Array], start: int, stop: int) -> float:
    """Return ``sum(function(i) for i in range(start, stop))``, ``start >= 1``.

    ``function`` takes an array of real points and must be smooth beyond the first few dozen integers
    on the scale of its argument, or vanish there.

    Examples
    --------
    >>> print(round(sum_over_integers(lambda b: 1 / b, 1, 10**8), 10))  # harmonic number
    18.9978964039
    """
    direct_stop = min(stop, DIRECT)
    total = float(np.sum(function(np.arange(float(start), float(direct_stop)))))
    block = max(start, DIRECT)
    while block < stop:
        count = min(block, stop - block)
        if count <= NODES:
            total += float(np.sum(function(block + np.arange(float(count)))))
        else:
            nodes, weights = block_rule(count)
            total += float(weights @ function(block + nodes))
        block += count
    return total
