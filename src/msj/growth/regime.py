"""Which regime of load-focused scaling a family ``p_n`` is in: four exact limits decide (``limits``).

The regimes and what they mean are :class:`msj.closed_forms.load_focused.Regime`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from msj.closed_forms.load_focused import Regime
from msj.growth.expressions import Expression
from msj.growth.limits import algebraic, limit, n, surely_positive

#: What is looked at in turn: its name, what it is times p_n, and the regimes if it tends to a number or to infinity.
STEPS = (
    ("p_n", sympy.Integer(1), Regime.CONSTANT, Regime.UNDECIDED),
    ("n p_n", n, Regime.BALANCED, Regime.N_SERVER),
    ("n p_n ln n", n * sympy.log(n), Regime.BORDER, Regime.ABOVE_BORDER),
)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A regime, and why it is that one; what is decided is decided exactly.

    ``limit`` is the limit of ``p_n`` (constant), of ``n p_n`` (balanced) or of ``n p_n ln n`` (border).
    """

    regime: Regime
    reason: str
    limit: float | None = None


def decide_regime(share: Expression) -> Decision:
    """Decide the regime of a family of shares.

    Examples
    --------
    >>> for text in ("n**-0.5", "3/n", "n^-1/ln(ln(n))", "2/(n*ln(n))", "n^-1.001", "(n % 2)/n"):
    ...     print(text, "-", decide_regime(Expression(text)).regime.value)
    n**-0.5 - n-server dominated
    3/n - balanced
    n^-1/ln(ln(n)) - 1-server dominated, above the border 1/(n ln n)
    2/(n*ln(n)) - the border 1/(n ln n)
    n^-1.001 - 1-server dominated
    (n % 2)/n - undecided
    """
    p = algebraic(share)
    if p is None:
        return Decision(regime=Regime.UNDECIDED, reason="What p_n tends to is not known here")
    seen = []
    for name, factor, at_a_number, at_infinity in STEPS:
        found = limit(p * factor)
        if found is None:
            return Decision(regime=Regime.UNDECIDED, reason=f"What {name} tends to is not known here, if anything")
        seen.append(f"{name} -> {_shown(found)}")
        if found < 0 or (found == sympy.oo and at_infinity is Regime.UNDECIDED):
            return Decision(regime=Regime.UNDECIDED, reason=f"{seen[-1]}, so p_n is no share")
        if found == sympy.oo:
            return Decision(regime=at_infinity, reason=" and ".join(seen[1:]))
        if found > 0:
            return Decision(regime=at_a_number, reason=seen[-1], limit=float(found))
    if not surely_positive(p):
        return Decision(regime=Regime.UNDECIDED, reason="p_n is not positive for large n, so it is no share")
    return Decision(regime=Regime.ONE_SERVER, reason=seen[-1])


def _shown(limit: sympy.Expr) -> str:
    return "infinity" if limit == sympy.oo else "-infinity" if limit == -sympy.oo else f"{float(limit):.6g}"
