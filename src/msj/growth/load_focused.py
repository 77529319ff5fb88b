"""Load-focused scaling of the 1-and-n system: exact values beside the asymptotics of each regime.

``mu`` is the stability threshold, ``E[Delta(Y_d)]`` the relative completions at a departure (one less than the limit of
``E[Q](1 - lambda/mu)``). Write ``p`` for the share of large jobs, ``q = 1 - p``, ``c = mu_1/mu_n``, ``x = n p``,
``y = x ln n``, ``l = ln(1/p)`` and ``g`` for Euler's constant.

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
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.special import exp1

from msj.closed_forms import one_and_n
from msj.errors import InvalidInput
from msj.growth.expressions import Expression
from msj.growth.regime import Decision, Regime, decide_regime
from msj.model.numbers import positive, whole
from msj.results import Progress, Watch

#: Below this n p, or below n^-1/2, the terms that cancel are left out by hand.
SMALL_X = 1e-5


@dataclass(frozen=True, kw_only=True)
class OneAndNPoint:
    """One number of servers: exact values beside the paper's, corrected and refined asymptotics.

    ``lost`` is ``n mu_1 - mu``, what the large jobs cost, without the cancellation of that difference. ``corrected`` is
    Theorem 4.3 with Euler's constant, in its regime only. None stands where there is no form.
    """

    servers: int
    share_large: float
    threshold: float
    threshold_paper: float | None
    threshold_corrected: float | None
    threshold_refined: float
    lost: float
    lost_paper: float | None
    lost_corrected: float | None
    completions: float
    completions_paper: float | None
    completions_refined: float | None

    def ratio(self, quantity: str, form: str = "paper") -> float | None:
        """Return exact over asymptotic, None where there is no positive asymptotic value.

        ``quantity`` is threshold, lost or completions; ``form`` paper, corrected or refined.
        """
        approximate = getattr(self, f"{quantity}_{form}")
        return None if approximate is None or approximate <= 0 else getattr(self, quantity) / approximate


@dataclass(frozen=True, kw_only=True)
class LoadFocusedScaling:
    """A family of 1-and-n systems: its regime and one point per number of servers."""

    share: Expression
    rate_small: float
    rate_large: float
    decision: Decision
    points: tuple[OneAndNPoint, ...]

    @property
    def regime(self) -> Regime:
        """The regime of the family."""
        return self.decision.regime


def load_focused_scaling(
    share: Expression | str,
    servers: Iterable[int],
    *,
    rate_small: float = 1.0,
    rate_large: float = 1.0,
    progress: Watch | None = None,
) -> LoadFocusedScaling:
    """Return exact and asymptotic values for a family of shares ``p_n`` of jobs that need all ``n`` servers.

    Parameters
    ----------
    share
        ``p_n`` as an expression in ``n``.
    servers
        Numbers of servers, 2 to 2^53.
    rate_small, rate_large
        Rates ``mu_1`` and ``mu_n`` of the exponential durations.
    progress
        Told before each number of servers.

    Examples
    --------
    >>> family = load_focused_scaling("n^-2", [10**4, 10**8])
    >>> family.regime.value
    '1-server dominated'
    >>> [(round(p.ratio("lost"), 4), round(p.ratio("lost", "corrected"), 4)) for p in family.points]
    [(1.0616, 0.999), (1.0313, 1.0)]
    >>> [(round(p.ratio("completions"), 4), round(p.ratio("completions", "refined"), 4)) for p in family.points]
    [(1.1581, 0.9999), (1.0714, 1.0)]
    """
    share = share if isinstance(share, Expression) else Expression(share)
    decision = decide_regime(share)
    numbers = sorted({whole(n, "servers", least=2) for n in servers})
    if not numbers:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    small, large = float(positive(rate_small, "rate_small")), float(positive(rate_large, "rate_large"))
    shares = [_share_at(share, n) for n in numbers]
    points: list[OneAndNPoint] = []
    for n, p in zip(numbers, shares, strict=True):
        if progress is not None:
            progress(Progress(done=len(points) / len(numbers), words=f"{n} servers"))
        points.append(_point(n, p, small, large, decision.regime))
    return LoadFocusedScaling(share=share, rate_small=small, rate_large=large, decision=decision, points=tuple(points))


def _share_at(share: Expression, n: int) -> float:
    p = share(n)
    if not 0 < p < 1:
        raise InvalidInput(
            f"share '{share}' is {p:.10g} at n = {n}; a share of large jobs must lie strictly between 0 and 1: "
            "change the expression or leave out such n"
        )
    return p


def _point(n: int, p: float, small: float, large: float, regime: Regime) -> OneAndNPoint:
    exact = one_and_n(servers=n, share_large=p, rate_small=small, rate_large=large)
    threshold, completions = paper_asymptotics(n, p, small, large, regime)
    refined_threshold, refined_completions = refined_asymptotics(n, p, small, large)
    lost: dict[str, float | None] = {"paper": None, "corrected": None}
    if regime is Regime.ONE_SERVER:
        known = math.log(n) + small / large - 1
        lost = {"paper": small * n**2 * p * known, "corrected": small * n**2 * p * (known + np.euler_gamma)}
    return OneAndNPoint(
        servers=n,
        share_large=p,
        threshold=exact.stability_threshold,
        threshold_paper=threshold,
        threshold_corrected=None if lost["corrected"] is None else small * n - lost["corrected"],
        threshold_refined=refined_threshold,
        # n mu_1 - mu = mu (n mu_1/mu - 1)
        lost=exact.stability_threshold * exact.threshold_shortfall,
        lost_paper=lost["paper"],
        lost_corrected=lost["corrected"],
        completions=exact.relative_completions_at_departure,
        completions_paper=completions,
        # Sums over b turn into integrals only if p vanishes; mu needs no such thing when n p is large.
        completions_refined=None if regime is Regime.CONSTANT else refined_completions,
    )


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
