r"""One value per fact: a mean and its difference from a reference that was found in another way.

Let the reference :math:`r` be the mean shown for the cluster as it is, exact or from a run of its own. Two estimates of
another mean :math:`m` and of the difference :math:`d = m - r` are at hand: the direct one, :math:`\hat m`, and the
paired difference :math:`\hat d` of two runs on the same jobs. Showing :math:`r`, :math:`\hat m` and :math:`\hat d`
side by side would contradict itself, since :math:`\hat m - r \ne \hat d`. So one of them follows from the other:
:math:`(r + \hat d, \hat d)` or :math:`(\hat m, \hat m - r)`, whichever has the narrower interval of the difference.
The runs of :math:`r` and of the comparison are independent, so their half-widths add in squares.
"""

from __future__ import annotations

import math

from msj.results import Quantity

DIFFERENCE = "mean_response_time_difference"


def reconcile(
    reference: Quantity | None, mean: Quantity | None, difference: Quantity | None
) -> tuple[Quantity | None, Quantity | None]:
    """Return the mean and its difference from the reference, so that they agree with each other and with it.

    Examples
    --------
    >>> now = Quantity(name="mean_response_time", value=11.7, kind="exact", method="chain")
    >>> other = Quantity(name="mean_response_time", value=6.0, kind="simulated", method="simulation", low=5.0, high=7.0)
    >>> paired = other.replace(name="mean_response_time_difference", value=-5.0, low=-5.1, high=-4.9)
    >>> mean, change = reconcile(now, other, paired)
    >>> round(mean.value, 9), round(mean.low, 9), change.value
    (6.7, 6.6, -5.0)
    """
    if reference is None or mean is None:
        return mean, difference
    if reference.kind == "exact" and mean.kind == "exact":
        change = mean.replace(name=DIFFERENCE, value=mean.value - reference.value, low=None, high=None)
        return mean, change if difference is None else change.replace(at=difference.at)
    apart = _apart(reference, mean)
    if difference is not None:
        apart = apart.replace(at=difference.at)
    if difference is None and apart.low is None:
        return mean, None
    if difference is None or mean.kind == "exact" or _width(apart) < _width(difference):
        return mean, apart
    low, high = _ends(difference)
    below, above = _below(reference), _above(reference)
    value = reference.value + difference.value
    if low is None or high is None or below is None or above is None:
        return mean.replace(value=value, low=None, high=None), difference
    down, up = math.hypot(difference.value - low, below), math.hypot(high - difference.value, above)
    return mean.replace(value=value, low=value - down, high=value + up), difference


def _apart(reference: Quantity, mean: Quantity) -> Quantity:
    """Return the difference of two independent estimates."""
    value = mean.value - reference.value
    halves = (_below(mean), _above(mean), _below(reference), _above(reference))
    if None in halves:
        return mean.replace(name=DIFFERENCE, value=value, low=None, high=None, kind="simulated")
    down = math.hypot(halves[0], halves[3])  # type: ignore[arg-type]
    up = math.hypot(halves[1], halves[2])  # type: ignore[arg-type]
    return mean.replace(name=DIFFERENCE, value=value, low=value - down, high=value + up, kind="simulated")


def _ends(row: Quantity) -> tuple[float | None, float | None]:
    return (row.value, row.value) if row.kind == "exact" else (row.low, row.high)


def _below(row: Quantity) -> float | None:
    low, _ = _ends(row)
    return None if low is None else float(row.value - low)


def _above(row: Quantity) -> float | None:
    _, high = _ends(row)
    return None if high is None else float(high - row.value)


def _width(row: Quantity) -> float:
    low, high = _ends(row)
    return math.inf if low is None or high is None else float(high - low)
