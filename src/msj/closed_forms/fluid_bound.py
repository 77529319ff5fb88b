"""How far from the fluid a cluster of n servers may stray: the finite-n bound behind zeroq, Theorem 4.3, and ours.

D = sup over [0, T] of sum_i |X_i(t)/lambda_i − y_i(t)|, h(u) = (1 + u)·ln(1 + u) − u, K classes, and

    alpha = sum_i rho_i·max(mu_i·y_i(0), 1),    delta = (1 − alpha)/(mu_max·rho)        (Claim 1).

**The paper's** (equations (24) to (28)): with e_i = e^(−mu_i·T)/(3T),

    P(D > eps) <= 2·sum_i of  exp(−lambda_i·T·h(x·e_i)) + exp(−(n·mu_i·T/m_i)·h(rho_i·x·e_i)),  x = eps/K and x = delta.

The start is given, so its own terms are 0 or, where rounding it to whole jobs takes more than a third of the room, 1
(equation (26) lacks a factor e^(−mu_i·T) there).

**Ours.** As long as no more than n servers are asked for, X is what it is with infinitely many servers, where
M(t) = e^(mu·t)·(X_i(t) − E[X_i(t)]) is a martingale and X_i(t) a Poisson plus a binomial number, so that
ln E[e^(s(X_i − E[X_i]))] <= v·(e^|s| − 1 − |s|) with v = lambda_i·max(y_i(0), 1/mu_i) >= E[X_i(t)]. Cut [0, T] into J
pieces of length w. By Doob's inequality for e^(s·M) on each,

    P(sup over [0, T] of |X_i/lambda_i − y_i| > x) <= 2J·exp(−v·h(lambda_i·x·e^(−mu_i·w)/v)).

Choose x_i so that this is q/K (the best J): with probability 1 − q all classes stay within x_i, and if
sum_i rho_i·mu_i·x_i <= 1 − alpha, the servers asked for never exceed n, so that the cluster is the one with infinitely
many: D <= sum_i x_i. No factor e^(−mu·T) remains, so the bound grows with ln T and not like e^T.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from msj.closed_forms.fluid import FluidModel, Vector

MOST_PIECES = 2**24


def cramer(u: float) -> float:
    """Return h(u) = (1 + u)·ln(1 + u) − u, by its series where that would cancel.

    Examples
    --------
    >>> round(cramer(1.0), 9), f"{cramer(1e-9):.6g}"
    (0.386294361, '5e-19')
    """
    if u < 1e-4:
        return u * u * (0.5 - u / 6.0 + u * u / 12.0)
    return (1.0 + u) * math.log1p(u) - u


def paper_probability(model: FluidModel, *, until: float, distance: float, arrival_rates: Vector) -> float:
    """Return the paper's bound on P(D > ``distance``); 1 where it says nothing.

    Parameters
    ----------
    model
        Rates, loads and start of the classes.
    until, distance
        T and eps.
    arrival_rates
        lambda_i of each class on n servers.

    Examples
    --------
    >>> model = FluidModel(classes=("all",), rates=np.array([1.0]), loads=np.array([0.5]), start=np.zeros(1))
    >>> round(paper_probability(model, until=1, distance=0.5, arrival_rates=np.array([1e4])), 6)
    0.000182
    """
    room = (1.0 - _peak(model)) / (model.rates.max() * model.loads.sum())
    if room <= 0.0:
        return 1.0
    total = 0.0
    rounded = np.abs(np.rint(arrival_rates * model.start) / arrival_rates - model.start)
    for x in (distance / len(model.rates), room):
        for mu, rho, rate, off in zip(model.rates, model.loads, arrival_rates, rounded, strict=True):
            shrunk = x * math.exp(-mu * until) / 3.0
            if off > shrunk:
                return 1.0
            total += math.exp(-rate * until * cramer(shrunk / until))
            total += math.exp(-rate / rho * until * cramer(rho * shrunk / until))  # n·mu/m = lambda/rho
    return min(2.0 * total, 1.0)


def paper_distance(model: FluidModel, *, until: float, level: float, arrival_rates: Vector) -> float | None:
    """Return the least eps with P(D > eps) <= 1 − ``level`` by the paper's bound; None if there is none."""

    def excess(logarithm: float) -> float:
        distance = math.exp(logarithm)
        return paper_probability(model, until=until, distance=distance, arrival_rates=arrival_rates) - (1.0 - level)

    low, high = -60.0, 60.0 + float(model.rates.max()) * until
    return None if high > 600.0 or excess(high) > 0.0 else math.exp(_crossing(excess, low, high))


def sharper_distance(model: FluidModel, *, until: float, level: float, arrival_rates: Vector) -> float | None:
    """Return a distance that D exceeds with probability at most 1 − ``level``; None if the servers may not suffice.

    Examples
    --------
    >>> model = FluidModel(classes=("all",), rates=np.array([1.0]), loads=np.array([0.5]), start=np.zeros(1))
    >>> found = [sharper_distance(model, until=5, level=0.95, arrival_rates=np.array([rate])) for rate in (1e2, 1e4)]
    >>> [round(each, 3) for each in found]
    [0.456, 0.043]
    """
    chance = (1.0 - level) / len(model.rates)
    rounded = np.abs(np.rint(arrival_rates * model.start) / arrival_rates - model.start)
    most = np.maximum(model.start, model.equilibrium)
    # As plain numbers: where jobs are that rare a distance beyond all numbers is infinite, and not a warning.
    each = zip(*(values.tolist() for values in (model.rates, arrival_rates, most, rounded)), strict=True)
    apart = np.array([_class_distance(mu * until, rate * mean, chance) / rate + off for mu, rate, mean, off in each])
    fits = float(model.loads * model.rates @ apart) <= 1.0 - _peak(model)
    return float(apart.sum()) if fits else None


def _peak(model: FluidModel) -> float:
    """Alpha: the servers asked for never exceed this share of all, in the fluid."""
    return float(model.loads @ np.maximum(model.rates * model.start, 1.0))


def _class_distance(span: float, mean: float, chance: float) -> float:
    """Return x·lambda with 2J·exp(−v·h(x·lambda·e^(−mu·T/J)/v)) = chance, for the best J; ``span`` is mu·T."""
    best, pieces = math.inf, 1
    while pieces <= MOST_PIECES and (pieces == 1 or pieces <= 64 * (span + 1.0)):
        goal = math.log(2.0 * pieces / chance) / mean
        best = min(best, _cramer_inverse(goal) * mean * math.exp(min(span / pieces, 700.0)))
        pieces *= 2
    return best


def _cramer_inverse(goal: float) -> float:
    return math.exp(_crossing(lambda x: goal - cramer(math.exp(x)), -60.0, 2.0 + 1.1 * math.log(goal + 1.0)))


def _crossing(function: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(function, low, high, xtol=1e-12, rtol=1e-13))
