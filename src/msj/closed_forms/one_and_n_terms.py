"""E[Delta(Y_d)] of the 1-and-n system, term by term, and the share of large jobs at which it is largest.

**Terms** (lfms, equations (22) to (26) and (32) to (36), from Lemma 5.5). With m = mu/mu_1, H_i harmonic numbers, sums
over i from 1 to n − 1:

    1:  q^n (1 − m/n)(n − 1 + 1/p − m H_{n−1} − m/(n p))
    2:  p sum q^i i        3:  −m p sum q^i        4:  −m p sum q^i H_i        5:  m² p sum q^i H_i/i

Differences of nearly equal numbers are taken out by hand: 1 − m/n = s/(1 + s), s = n mu_1/mu − 1. What the theorems
say of each, with c = n p and g Euler's constant:

=====  ==================================  ==============================================
item   Theorems 6.1 (c = infinity), 7.1    Theorem 8.1, n² p for n^(2−alpha)
=====  ==================================  ==============================================
1      c e^−c/p                            (mu_1/mu_n) n² p ln n  (the paper: mu_1/mu_n − g)
2      (1 − e^−c (1 + c))/p                of order n² p
3      of smaller order                    −n² p
4      −(1 − e^−c)/p                       −n² p ln n
5      1/(2 p)                             n² p ln²n/2
=====  ==================================  ==============================================

**The worst share.** lfms, section 10, says that E[Delta] is largest, theta(n), in the balanced regime. It is larger on
the border p = kappa/(n ln n): there mu ~ n mu_1/(1 + kappa), and item 5 leaves E[Delta] ~ kappa/(1 + kappa)²·n ln n/2,
largest at kappa = 1: n ln n/8. Where large jobs are much the shorter ones, another peak may be higher: small jobs that
are rare and long, q ~ mu_1/mu_n, with E[Delta] ~ mu_n/(4 mu_1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import digamma, expit

from msj.closed_forms.load_focused import Regime
from msj.closed_forms.one_and_n import OneAndN, one_and_n
from msj.closed_forms.smooth_sums import sum_over_integers

SCAN = 60  # shares looked at, by their log odds, before the search around the best of them


@dataclass(frozen=True, kw_only=True)
class WorstShare:
    """The share at which E[Delta(Y_d)] is largest, and what the border promises."""

    servers: int
    share_large: float
    completions: float
    border_share: float  # 1/(n ln n)
    border_completions: float  # n ln n/8
    balanced_completions: float  # p = 1/n


def completions_terms(system: OneAndN) -> tuple[float, float, float, float, float]:
    """Return the five terms whose sum is E[Delta(Y_d)].

    Examples
    --------
    >>> system = one_and_n(servers=1000, share_large=0.002, rate_small=1.0, rate_large=1.0)
    >>> terms = completions_terms(system)
    >>> round(sum(terms), 6), round(system.relative_completions_at_departure, 6)
    (196.126356, 196.126356)
    """
    n, p, s = system.servers, system.share_large, system.threshold_shortfall
    log_q = math.log1p(-p) if p < 0.5 else math.log(system.share_small)
    m, gap = n / (1.0 + s), s / (1.0 + s)  # mu/mu_1, and 1 − m/n
    harmonic = float(digamma(n) + np.euler_gamma)
    first = math.exp(n * log_q) * gap * (n - 1 + gap / p - m * harmonic)
    sums = [
        sum_over_integers(lambda i, f=f: np.exp(i * log_q) * f(i), 1, n)  # type: ignore[misc]
        for f in (
            lambda i: i,
            np.ones_like,
            lambda i: digamma(i + 1) + np.euler_gamma,
            lambda i: (digamma(i + 1) + np.euler_gamma) / i,
        )
    ]
    return first, p * sums[0], -m * p * sums[1], -m * p * sums[2], m * m * p * sums[3]


def promised_terms(n: int, p: float, duration_ratio: float, regime: Regime) -> dict[str, tuple[float | None, ...]]:
    """Return what the theorems say of the five terms, by form (``paper``, ``corrected``); None where they give no
    value.

    ``duration_ratio`` is mu_1/mu_n.
    """
    c, log_n = n * p, math.log(n)
    if regime in (Regime.N_SERVER, Regime.BALANCED):
        e = math.exp(-c)
        return {"paper": (c * e / p, (1 - e * (1 + c)) / p, None, -(1 - e) / p, 1 / (2 * p))}
    if regime is Regime.ONE_SERVER:
        size = n * c
        rest = (None, -size, -size * log_n, size * log_n**2 / 2)
        first = duration_ratio * size * log_n
        return {"paper": (first - float(np.euler_gamma) * size * log_n, *rest), "corrected": (first, *rest)}
    return {}


def worst_share(*, servers: int, rate_small: float, rate_large: float) -> WorstShare:
    """Return the share of large jobs at which E[Delta(Y_d)] is largest.

    Examples
    --------
    >>> found = worst_share(servers=10**8, rate_small=1.0, rate_large=1.0)
    >>> f"{found.share_large:.3g} {found.completions:.4g} {found.balanced_completions:.4g}"
    '5.23e-10 2.383e+08 4.366e+07'
    """

    def completions(odds: float) -> float:
        found = one_and_n(
            servers=servers,
            share_large=float(expit(odds)),
            share_small=float(expit(-odds)),
            rate_small=rate_small,
            rate_large=rate_large,
        )
        return found.relative_completions_at_departure

    log_n, ratio = math.log(servers), rate_large / rate_small
    # Longer large jobs drain the time at smaller shares, longer small ones where these are rare: as far as that.
    lowest = -2 * log_n - math.log1p(1.0 / ratio) - 3.0
    grid = np.linspace(lowest, math.log1p(ratio) + 3.0, SCAN)
    values = [completions(float(each)) for each in grid]
    best = int(np.argmax(values))
    ends = (float(grid[max(best - 1, 0)]), float(grid[min(best + 1, SCAN - 1)]))
    found = minimize_scalar(lambda x: -completions(x), bounds=ends, method="bounded", options={"xatol": 1e-10})
    return WorstShare(
        servers=servers,
        share_large=float(expit(found.x)),
        completions=completions(float(found.x)),
        border_share=1.0 / (servers * log_n),
        border_completions=servers * log_n / 8.0,
        balanced_completions=completions(-math.log(servers - 1)),
    )
