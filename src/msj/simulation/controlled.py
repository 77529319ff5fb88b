"""A mean over a run's jobs, less what the controls had too much: regression on them, piece by piece.

Let y_i be what piece i of the run has beyond the plain mean, and Z_i its controls, all of mean 0
(:mod:`msj.simulation.controls`). With the slopes b of a least-squares fit of y on Z over the pieces,

    mean − (1/n)·sum Z_i·b

has the same expectation up to O(1/n) and the variance of what the fit leaves over. The slopes come from the pieces,
of which there are over a hundred; how much the remainders spread is read off the batches, since pieces may hang
together. Slopes that were fitted make remainders look smaller than they are and have errors of their own: for q
controls and n pieces the variance is

    v·(n − 1)/(n − 1 − q)·(1 + n·Z̄'(Z_c'Z_c)⁻¹Z̄),

Z_c the centred controls, as for the intercept of any regression (Lavenberg and Welch 1981, *A perspective on the use
of control variables*, Management Science 27).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-9  # singular values of the scaled controls, over the largest, that say the same as others
NOTHING = 1e-15  # of the variance is always left over: rounding
LEAST_PIECES = 4.0  # for each control
FEWEST_CARRIERS = 5.0  # pieces that share what is left over; n pieces with normal parts are worth n/3
ROUNDING = 1e-18  # of the variance

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Remainder:
    """What is left of a ratio of sums when the controls have been taken off.

    Parameters
    ----------
    shift
        To be added to the sum above the line.
    beyond, residuals
        What each piece has beyond the mean, before and after the controls have been taken off; both sum to 0.
    inflation
        By how much the variance of fitted slopes exceeds what the residuals show.
    """

    shift: float
    beyond: Floats
    residuals: Floats
    inflation: float

    def carried_by_many(self, *, alone: bool) -> bool:
        """Return whether many pieces have a part in what is left over; else it is too rare for its spread to be known.

        Where jobs are alone on the cluster (``alone``), a control may be the cluster itself: then nothing is left over
        but rounding, and the controls know all.
        """
        before, after = (float(np.sum(each**2)) for each in (self.beyond, self.residuals))
        if after <= ROUNDING * before:
            return alone
        return after**2 >= FEWEST_CARRIERS * float(np.sum(self.residuals**4))

    def left_over(self, together: int, *, overlapping: bool = False) -> float:
        """Return the share of the variance that is left over, as stretches of so many pieces show it."""
        before, after = (float(np.var(_sums(each, together, overlapping))) for each in (self.beyond, self.residuals))
        return max(self.inflation * after, NOTHING * before) / before if before > 0 else 1.0


def _sums(pieces: Floats, together: int, overlapping: bool) -> Floats:
    """Return sums over pieces after each other; overlapping stretches tell more, since there are more of them."""
    if not overlapping:
        return np.asarray(pieces.reshape(-1, together).sum(axis=1))
    return np.asarray(np.convolve(pieces, np.ones(together), mode="valid"))


def remainder(beyond: Floats, controls: Floats) -> Remainder | None:
    """Fit the controls to what pieces have beyond their mean; None where there are too few pieces for that.

    Examples
    --------
    >>> beyond = np.array([1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 0.0, 0.0])
    >>> found = remainder(beyond, beyond[:, None] + 0.25)
    >>> round(found.shift, 12), float(abs(found.residuals).max()) < 1e-12
    (-2.0, True)
    """
    count = len(beyond)
    middle = controls.mean(axis=0)
    centred = controls - middle
    scale = np.sqrt((centred**2).mean(axis=0))
    varies = scale > 0
    if not varies.any():
        return None
    scaled, middle = centred[:, varies] / scale[varies], middle[varies] / scale[varies]
    left, values, right = np.linalg.svd(scaled, full_matrices=False)
    used = values > NEGLIGIBLE * values[0]
    rank = int(used.sum())
    if count < LEAST_PIECES * (rank + 1):
        return None
    left, values, right = left[:, used], values[used], right[used]
    fitted = left.T @ beyond
    along = (right @ middle) / values
    residuals = beyond - left @ fitted
    inflation = (count - 1) / (count - 1 - rank) * (1.0 + count * float(along @ along))
    return Remainder(-count * float(fitted @ along), beyond, residuals - residuals.mean(), inflation)
