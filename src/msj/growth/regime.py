"""Which regime of load-focused scaling a family ``p_n`` is in (lfms, section 4 and Lemma 8.1).

A share ``p_n`` of the arrivals needs all ``n`` servers. With ``x = n p_n`` and ``y = n p_n ln n``, as ``n`` grows and
``p_n`` vanishes:

=========================  ===========================  ======================================================
regime                     when                         what happens
=========================  ===========================  ======================================================
n-server dominated         x -> infinity                large jobs hold most of the work (Theorem 4.1)
balanced                   x -> c                       both hold a fixed part of the work (Theorem 4.2)
1-server, above border     x -> 0, y -> infinity        small jobs hold the work, draining the time (Lemma 8.1)
border                     y -> kappa                   draining and full service share the time (Lemma 8.1)
1-server dominated         y -> 0                       all servers serve small jobs (Theorem 4.3, Lemma 8.1)
=========================  ===========================  ======================================================

The paper calls the last three "1-server dominated"; the border ``1/(n ln n)`` separates two behaviours of ``mu``.

Where the leading term of ``p_n`` is known (:mod:`msj.growth.leading_term`), the decision is exact. Elsewhere the
growth of ``x`` is measured in powers of ``n`` and ``ln n`` far out; where that does not settle, it stays undecided.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from msj.growth.expressions import Expression, evaluate
from msj.growth.leading_term import LeadingTerm, leading_term

#: The orders of growth at which regimes meet: powers of n and of ln n.
CONSTANT = (Fraction(0), Fraction(0))
ONE_OVER_N = (Fraction(-1), Fraction(0))
ONE_OVER_N_LOG_N = (Fraction(-1), Fraction(-1))


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


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A regime, and why it is that one.

    ``limit`` is the limit of ``p_n`` (constant), of ``n p_n`` (balanced) or of ``n p_n ln n`` (border).
    """

    regime: Regime
    reason: str
    exact: bool
    limit: float | None = None


def decide_regime(share: Expression) -> Decision:
    """Decide the regime of a family of shares.

    Examples
    --------
    >>> for text in ("n**-0.5", "3/n", "1/(n*sqrt(ln(n)))", "2/(n*ln(n))", "n^-1.001", "n^-1/ln(ln(n))"):
    ...     decision = decide_regime(Expression(text))
    ...     print(text, "-", decision.regime.value, "(exact)" if decision.exact else "(numerical)")
    n**-0.5 - n-server dominated (exact)
    3/n - balanced (exact)
    1/(n*sqrt(ln(n))) - 1-server dominated, above the border 1/(n ln n) (exact)
    2/(n*ln(n)) - the border 1/(n ln n) (exact)
    n^-1.001 - 1-server dominated (exact)
    n^-1/ln(ln(n)) - 1-server dominated, above the border 1/(n ln n) (numerical)
    """
    term = leading_term(share)
    return _exactly(term) if term is not None else _numerically(share)


def _exactly(term: LeadingTerm) -> Decision:
    reason = f"p_n ~ {term}"

    def found(regime: Regime, why: str, limit: float | None = None) -> Decision:
        return Decision(regime=regime, reason=f"{reason}: {why}", exact=True, limit=limit)

    if term.coefficient < 0:
        return found(Regime.UNDECIDED, "p_n is negative, so it is no share")
    if term.order == CONSTANT:
        return found(Regime.CONSTANT, f"p_n -> {term.coefficient:.6g}", term.coefficient)
    if term.order > CONSTANT:
        return found(Regime.UNDECIDED, "p_n grows without limit, so it is no share")
    if term.order > ONE_OVER_N:
        return found(Regime.N_SERVER, "n p_n -> infinity")
    if term.order == ONE_OVER_N:
        return found(Regime.BALANCED, f"n p_n -> {term.coefficient:.6g}", term.coefficient)
    if term.order > ONE_OVER_N_LOG_N:
        return found(Regime.ABOVE_BORDER, "n p_n -> 0 and n p_n ln n -> infinity")
    if term.order == ONE_OVER_N_LOG_N:
        return found(Regime.BORDER, f"n p_n ln n -> {term.coefficient:.6g}", term.coefficient)
    return found(Regime.ONE_SERVER, "n p_n ln n -> 0")


#: A power of n, or of ln n, must be at least this clear of the value that decides.
CLEAR_POWER = 0.05
CLEAR_LOG_POWER = 0.1
#: Powers measured at two scales must agree this well.
SETTLED = 0.03
#: The ends of the ranges that are tried: shares as small as n^-7 are still numbers at the last.
FAR = (1e280, 1e140, 1e90, 1e70, 1e40)
STEPS = 6


def _numerically(share: Expression) -> Decision:
    """Measure how ``ln(n p_n)`` grows per ``ln n`` and per ``ln ln n`` at the largest ``n`` that numbers reach."""
    if any(isinstance(node, ast.Mod | ast.FloorDiv) for node in ast.walk(share.tree)):
        return _undecided("p_n has remainders or whole quotients, whose limits are not read off numbers")
    far = next((top for top in FAR if _value(share, top) > 1e-300), None)
    if far is None and _value(share, FAR[-1]) >= 0:
        return Decision(regime=Regime.ONE_SERVER, reason=f"p_n is below 1e-300 at n = {FAR[-1]:.0e}", exact=False)
    if far is None:
        return _undecided("p_n is not a positive number for large n")
    # Each n is the square of the one before: ln n doubles, ln ln n rises evenly.
    n = far ** (0.5 ** np.arange(STEPS - 1, -1, -1))
    with np.errstate(all="ignore"):
        log_x = np.log(np.array([_value(share, point) for point in n])) + np.log(n)
    if not np.all(np.isfinite(log_x)):
        return _undecided("p_n is not a positive number for large n")
    powers = np.diff(log_x) / np.diff(np.log(n))
    where = f"near n = {far:.0e}, measured"
    if np.all(np.abs(powers[-2:]) > CLEAR_POWER) and np.ptp(powers[-2:]) < max(SETTLED, 0.5 * abs(powers[-1])):
        reason = f"n p_n grows like n^{powers[-1]:.3g} {where}"
        if powers[-1] >= 1 - SETTLED:
            return _undecided(f"{reason}; p_n may not vanish")
        return Decision(regime=Regime.N_SERVER if powers[-1] > 0 else Regime.ONE_SERVER, reason=reason, exact=False)
    log_powers = np.diff(log_x) / np.diff(np.log(np.log(n)))
    power, reason = float(log_powers[-1]), f"n p_n grows like (ln n)^{log_powers[-1]:.3g} {where}"
    settled = np.ptp(log_powers[-2:]) < SETTLED and min(abs(power), abs(power + 1)) > CLEAR_LOG_POWER
    runs_away = power * log_powers[-2] > 4 and abs(power) > abs(log_powers[-2]) > 2
    if not (settled or runs_away):
        return _undecided(f"{reason}; too close to call")
    regime = Regime.N_SERVER if power > 0 else Regime.ABOVE_BORDER if power > -1 else Regime.ONE_SERVER
    return Decision(regime=regime, reason=reason, exact=False)


def _undecided(reason: str) -> Decision:
    return Decision(regime=Regime.UNDECIDED, reason=reason, exact=False)


def _value(share: Expression, n: float) -> float:
    """Return the share at ``n``, negative where there is none."""
    with np.errstate(all="ignore"):
        value = float(evaluate(share.tree, np.float64(n)))
    return value if math.isfinite(value) else -1.0
