"""Who comes after whom: independent jobs, jobs like the one before (sticky), or a Markov chain of classes.

From the counts n_ij of class j after class i the log likelihood of each law follows: sum n_ij·log P_ij, with P = 1·p,
P = s·I + (1 − s)·1·p (s by a search, as the likelihood is concave in it), or P_ij = n_ij/n_i. The last job is taken to
be followed by the first, so that the Markov chain has exactly the shares p. Of the three the one with the least BIC is
chosen: −2·log likelihood + parameters·log(jobs), with 0, 1 and C(C−1) − (C−1) parameters beyond the shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from msj.errors import InvalidInput
from msj.model.orders import IndependentOrder, MarkovOrder, Order, StickyOrder
from msj.registry import nearest

ORDERS = ("auto", "independent", "sticky", "markov")


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedOrder:
    """An order, the stickiness s of the jobs with its standard error, and how often a job is like the one before."""

    order: Order
    stickiness: float
    error: float
    alike: float
    alike_if_independent: float
    how: str


def fit_order(of_job: NDArray[np.int64], count: int, law: str = "auto") -> FittedOrder:
    """Return the order of classes 0 to count − 1.

    Examples
    --------
    >>> found = fit_order(np.repeat(np.random.default_rng(1).integers(0, 2, 500), 4), 2)
    >>> found.order.law, round(found.stickiness, 1)
    ('sticky', 0.7)
    """
    if law not in ORDERS:
        raise InvalidInput(f"order '{law}' is no order to fit; {nearest(law, ORDERS)}")
    pairs = np.bincount(of_job * count + np.roll(of_job, -1), minlength=count * count).reshape(count, count)
    shares = pairs.sum(axis=1) / len(of_job)
    alike, by_chance = float(np.trace(pairs)) / len(of_job), float((shares**2).sum())
    if count < 2:
        return _found(IndependentOrder(), 0.0, math.nan, alike, by_chance, "there is one class")
    stickiness, error = _stickiness(pairs, shares)
    sticky = StickyOrder(probability=round(min(max(stickiness, 0.0), 0.999999), 6))
    free = (count - 1) ** 2
    bics = {
        "independent": _bic(pairs, np.tile(shares, (count, 1)), 0),
        "sticky": _bic(pairs, stickiness * np.eye(count) + (1.0 - stickiness) * shares, 1),
        "markov": _bic(pairs, pairs / pairs.sum(axis=1, keepdims=True), free),
    }
    if law == "auto":
        law = min(bics, key=lambda name: round(bics[name], 3))  # with two classes sticky and markov may be the same
        how = "least BIC of independent, sticky and markov"
    else:
        how = "as asked"
    made: dict[str, Order] = {"independent": IndependentOrder(), "sticky": sticky}
    order = made[law] if law in made else MarkovOrder(matrix=_rows(pairs))
    return _found(order, stickiness, error, alike, by_chance, how)


def _found(order: Order, s: float, error: float, alike: float, by_chance: float, how: str) -> FittedOrder:
    return FittedOrder(order=order, stickiness=s, error=error, alike=alike, alike_if_independent=by_chance, how=how)


def _rows(pairs: NDArray[np.int64]) -> tuple[tuple[float, ...], ...]:
    """Return the transition probabilities; the largest of a row makes up for the rounding of the others."""
    rows = []
    for counts in pairs:
        row = [float(value) for value in np.round(counts / counts.sum(), 9)]
        largest = int(np.argmax(counts))
        row[largest] += 1.0 - math.fsum(row)
        rows.append(tuple(row))
    return tuple(rows)


def _log_likelihood(pairs: NDArray[np.int64], steps: NDArray[np.float64]) -> float:
    seen = pairs > 0
    return float(pairs[seen] @ np.log(steps[seen]))


def _bic(pairs: NDArray[np.int64], steps: NDArray[np.float64], parameters: int) -> float:
    return -2.0 * _log_likelihood(pairs, steps) + parameters * math.log(float(pairs.sum()))


def _stickiness(pairs: NDArray[np.int64], shares: NDArray[np.float64]) -> tuple[float, float]:
    """Return the likeliest s, and its standard error by the curvature of the likelihood."""
    same, other = np.diag(pairs).astype(np.float64), float(pairs.sum() - np.trace(pairs))

    def lost(s: float) -> float:
        return -float(same @ np.log(s + (1.0 - s) * shares)) - other * math.log(1.0 - s)

    found = float(minimize_scalar(lost, bounds=(0.0, 1.0 - 1e-9), method="bounded", options={"xatol": 1e-10}).x)
    if lost(0.0) <= lost(found):
        found = 0.0
    slope = (1.0 - shares) / (found + (1.0 - found) * shares)
    curvature = float(same @ slope**2) + other / (1.0 - found) ** 2
    return found, 1.0 / math.sqrt(curvature)
