"""Load-focused scaling of the 1-and-n system: its regimes, and the asymptotics of each.

A share ``p`` of the arrivals needs all ``n`` servers, the others one. ``mu`` is the stability threshold,
``E[Delta(Y_d)]`` the relative completions at a departure (one less than the limit of ``E[Q](1 - lambda/mu)``). Write
``q = 1 - p``, ``c = mu_1/mu_n``, ``x = n p``, ``y = x ln n``, ``l = ln(1/p)`` and ``g`` for Euler's constant. As ``n``
grows and ``p`` vanishes (lfms, section 4 and Lemma 8.1):

=========================  ===========================  ======================================================
regime                     when                         what happens
=========================  ===========================  ======================================================
n-server dominated         x -> infinity                large jobs hold most of the work (Theorem 4.1)
balanced                   x -> constant                both hold a fixed part of the work (Theorem 4.2)
1-server, above border     x -> 0, y -> infinity        small jobs hold the work, draining the time (Lemma 8.1)
border                     y -> kappa                   draining and full service share the time (Lemma 8.1)
1-server dominated         y -> 0                       all servers serve small jobs (Theorem 4.3, Lemma 8.1)
=========================  ===========================  ======================================================

The paper calls the last three "1-server dominated"; the border ``1/(n ln n)`` separates two behaviours of ``mu``.

**The paper** (lfms; ``nothing`` means it gives none):

=========================  ==================================================  ====================
regime                     mu                                                  E[Delta(Y_d)]
=========================  ==================================================  ====================
n-server, balanced         mu_1/(p l)                      (Thms 4.1, 4.2)     1/(2 p)
1-server, above border     mu_1/(p ln n)                   (Lemma 8.1)         nothing
border                     mu_1 n/(1 + y)                  (Lemma 8.1, proof)  nothing
1-server dominated         mu_1 (n - n² p (ln n + c - 1))  (Thm 4.3)           n² p ln²n / 2
=========================  ==================================================  ====================

Theorem 4.3 is for ``p = n^-alpha``; its proof uses no more than ``y -> 0``. Where that proof puts ``ln n`` for the
harmonic number ``H_{n-1}`` it loses ``g``, which is of the same order as the terms it keeps.

**Refined** (derived here from Lemmas 5.3 and 5.5: what is left out shrinks like a power of ``n`` or ``p``, not like
``1/ln n``). Sums over ``b`` turn into integrals over ``t = p b``. With ``E = E_1(x)`` the exponential integral and
``J`` the integral of ``e^-t ln(t)/t`` beyond ``x``,

    mu = mu_1 M/p,   1/M = l + c + e^-x/x - E,
    p E[Delta(Y_d)] = e^-x (1 - M/x)(1 + x - M (ln n + g) - M/x) + 1 - e^-x (1 + x) - M (1 - e^-x)
                      - M ((l + g)(1 - e^-x) - e^-x ln x - g - E) + M² (l²/2 + pi²/6 - (l + g) E - J).

For ``x -> infinity`` this is ``1/M = l + c`` and ``1 - M (1 + l) + M² (l²/2 + pi²/6)``. The first correction to
``1/(2 p)`` is the same for every ``c``: ``-(1 + e^-x/x)/(p l)``. For ``x -> 0`` the terms of order 1 and ``x`` cancel,
and what is left is, with ``L = ln n + g`` and ``r = 1/(1 + x (L + c - 1))``,

    mu = mu_1 n r,   E[Delta(Y_d)] = n² p (1/2 - r L + r² (L² + pi²/6)/2 + (r c + 1 - r)(r (c + L) - 1)),

so that Theorem 4.3 becomes ``mu_1 (n - n² p (L + c - 1))`` and ``n² p (L²/2 + (c - 1) L + c² - c + 1/2 + pi²/12)``.
At the border ``E[Delta(Y_d)] ~ (kappa/(1 + kappa))²/(2 p)``, which joins the paper's two forms.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
from scipy.integrate import quad
from scipy.special import exp1

#: Below this n p, or below n^-1/2, the terms that cancel are left out by hand.
SMALL_X = 1e-5


class Regime(Enum):
    """The regimes, in order of a shrinking share of large jobs."""

    CONSTANT = "the share of large jobs does not vanish"
    N_SERVER = "n-server dominated"
    BALANCED = "balanced"
    ABOVE_BORDER = "1-server dominated, above the border 1/(n ln n)"
    BORDER = "the border 1/(n ln n)"
    ONE_SERVER = "1-server dominated"
    UNDECIDED = "undecided"

    @property
    def citation(self) -> str:
        """Where the paper treats it."""
        return {
            Regime.N_SERVER: "lfms, Theorem 4.1",
            Regime.BALANCED: "lfms, Theorem 4.2",
            Regime.ABOVE_BORDER: "lfms, Lemma 8.1",
            Regime.BORDER: "lfms, Lemma 8.1",
            Regime.ONE_SERVER: "lfms, Theorem 4.3",
        }.get(self, "")


def paper_asymptotics(
    n: int, p: float, rate_small: float, rate_large: float, regime: Regime
) -> tuple[float | None, float | None]:
    """Return the paper's ``mu`` and ``E[Delta(Y_d)]`` in a regime, with its next-order terms where it has them.

    Examples
    --------
    >>> paper_asymptotics(10**4, 0.01, 1.0, 1.0, Regime.N_SERVER)
    (21.71472409516259, 50.0)
    """
    log_n, log_p, c = math.log(n), math.log(1 / p), rate_small / rate_large
    match regime:
        case Regime.N_SERVER | Regime.BALANCED:
            return rate_small / (p * log_p), 1 / (2 * p)
        case Regime.ABOVE_BORDER:
            return rate_small / (p * log_n), None
        case Regime.BORDER:
            return rate_small * n / (1 + n * p * log_n), None
        case Regime.ONE_SERVER:
            return rate_small * (n - n**2 * p * (log_n + c - 1)), n**2 * p * log_n**2 / 2
    return None, None


def refined_asymptotics(n: int, p: float, rate_small: float, rate_large: float) -> tuple[float, float]:
    """Return ``mu`` and ``E[Delta(Y_d)]`` for small ``p`` and large ``n`` in any regime (see the module's mathematics).

    Examples
    --------
    >>> mu, completions = refined_asymptotics(10**8, 1e-4, 1.0, 1.0)
    >>> print(round(mu, 2), round(completions, 1))  # exact: 979.40 and 4225.3
    979.4 4226.3
    """
    g, c, x, log_p = float(np.euler_gamma), rate_small / rate_large, n * p, math.log(1 / p)
    log_n = math.log(n) + g
    if x < max(SMALL_X, n**-0.5):
        r = 1 / (1 + x * (log_n + c - 1))
        drained = r * c + 1 - r  # (Delta(n) - Delta(0))/n
        shape = 0.5 - r * log_n + r**2 * (log_n**2 + math.pi**2 / 6) / 2 + drained * (r * (c + log_n) - 1)
        return rate_small * n * r, n**2 * p * shape
    q, tail = math.exp(-x), float(exp1(x))
    m = 1 / (log_p + c + q / x - tail)
    full = q * (1 - m / x) * (1 + x - m * log_n - m / x)
    linear = 1 - q * (1 + x) - m * (1 - q)
    harmonic = (log_p + g) * (1 - q) - q * math.log(x) - g - tail
    square = log_p**2 / 2 + math.pi**2 / 6 - (log_p + g) * tail - _log_integral(x)
    return rate_small * m / p, (full + linear - m * harmonic + m**2 * square) / p


def _log_integral(x: float) -> float:
    """Return the integral of ``e^-t ln(t)/t`` from ``x`` to infinity, taken over ``ln t``."""
    if x > 700:
        return 0.0
    value, _ = quad(lambda s: s * math.exp(-math.exp(s)), math.log(x), math.log(x + 750), epsabs=1e-14, limit=200)
    return float(value)
