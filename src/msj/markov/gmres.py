"""One cycle of GMRES (Saad & Schultz 1986), preconditioned from the right, on vectors too long for copies.

Right preconditioning keeps the residual that of the equation itself. One cycle is all there is: whoever calls computes
the true residual afterwards and starts again from it, which is also what keeps rounding out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def gmres_cycle(
    apply: Callable[[Vector, Vector], None],
    precondition: Callable[[Vector, Vector], None],
    residual: Vector,
    basis: NDArray[Any],
    *,
    reduction: float,
) -> tuple[Vector, int]:
    """Return a correction d with A·d ~ residual, and the number of steps taken.

    Parameters
    ----------
    apply, precondition
        ``apply(x, out)`` writes A·x, ``precondition(r, out)`` about A^(−1)·r.
    residual
        What is to be corrected.
    basis
        Room for (steps + 1) vectors, in the precision that is worked in; single is enough for six digits, and half
        the work.
    reduction
        Of the residual's length, at which to stop.

    Examples
    --------
    >>> matrix = np.array([[2.0, 1.0], [0.0, 3.0]])
    >>> def apply(x, out): out[:] = matrix @ x
    >>> def precondition(r, out): out[:] = r
    >>> d, steps = gmres_cycle(apply, precondition, np.array([3.0, 3.0]), np.empty((3, 2)), reduction=1e-12)
    >>> d.round(12).tolist(), steps
    ([1.0, 1.0], 1)
    """
    most = len(basis) - 1
    length = float(np.linalg.norm(residual))
    if length == 0.0:
        return np.zeros_like(residual), 0
    work = np.empty(len(residual), dtype=basis.dtype)
    np.divide(residual, length, out=basis[0], casting="same_kind")
    H = np.zeros((most + 1, most))
    goal = np.zeros(most + 1)
    goal[0] = length
    steps = 0
    weights: Vector = np.zeros(0)
    while steps < most:
        j = steps
        precondition(basis[j], work)
        apply(work, basis[j + 1])
        overlap = basis[: j + 1] @ basis[j + 1]
        basis[j + 1] -= overlap @ basis[: j + 1]
        H[: j + 1, j] = overlap
        H[j + 1, j] = np.linalg.norm(basis[j + 1])
        steps += 1
        weights = np.asarray(np.linalg.lstsq(H[: j + 2, : j + 1], goal[: j + 2], rcond=None)[0], dtype=np.float64)
        left = float(np.linalg.norm(goal[: j + 2] - H[: j + 2, : j + 1] @ weights))
        if left <= reduction * length or H[j + 1, j] <= 1e-14 * length:
            break
        basis[j + 1] /= H[j + 1, j]
    precondition(weights.astype(basis.dtype) @ basis[:steps], work)
    return work, steps
