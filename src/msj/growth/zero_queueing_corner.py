"""What waiting tends to on the border 2·alpha + gamma = 1 of zeroq's Figure 3, Region 3's corner alpha = 1/2 among it.

There the gap beta·n^(1−alpha) to full use is as large as the deviations of the servers asked for: with needs
m_i ~ c_i·n^gamma and load shares r_i these have variance n^(1+gamma)·sum r_i·c_i, so b = beta/sqrt(sum r_i·c_i), and
``closed_forms.halfin_whitt`` says the rest. The largest need falls behind the gap as long as alpha > 0.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from msj.closed_forms.halfin_whitt import corner_bounds, halfin_whitt
from msj.growth.expressions import Expression
from msj.growth.limits import algebraic, limit, n
from msj.growth.zero_queueing_family import ZeroQueueingFamily
from msj.results import Quantity


def corner_gap(family: ZeroQueueingFamily) -> float | None:
    """Return b; None off the border, or where a limit is not known.

    Examples
    --------
    >>> round(corner_gap(ZeroQueueingFamily(needs=["1", "4"], alpha=0.5, beta=1)), 6)  # 1/sqrt(2.5)
    0.632456
    >>> corner_gap(ZeroQueueingFamily(needs=["1", "4"], alpha=0.4, beta=1)) is None
    True
    """
    if family.border != 1 or not family.alpha > 0 or family.growth.logarithms:
        return None
    sizes = [_relative_need(each, family.gamma) for each in family.needs]
    if any(size is None for size in sizes):
        return None
    known = [float(size or 0.0) for size in sizes]
    weights = [float(share) for share in family.shares]
    if family.shares_of == "arrivals":
        weights = [w * c * float(mean) for w, c, mean in zip(weights, known, family.means, strict=True)]
    spread = sum(w * c for w, c in zip(weights, known, strict=True)) / sum(weights)
    return float(family.beta) / float(spread**0.5)


def corner_rows(family: ZeroQueueingFamily) -> list[Quantity]:
    """Return the limits of the bounds on the border, and that of the probability where it is known."""
    gap = corner_gap(family)
    if gap is None:
        return []
    method, citation = "normal approximation on the border 2·alpha + gamma = 1", "zeroq, Figure 3"
    lower, upper = corner_bounds(gap)
    rows = [
        Quantity(name=f"limiting_waiting_probability_{end}_bound", value=value, kind="asymptotic", method=method,
                 citation=citation)
        for end, value in (("lower", lower), ("upper", upper))
    ]  # fmt: skip
    if len(set(family.means)) == 1 and len({str(each) for each in family.needs}) == 1:
        limit_method, value = "M/M/s in the Halfin-Whitt regime", halfin_whitt(gap)
        rows.append(
            Quantity(name="limiting_waiting_probability", value=value, kind="asymptotic", method=limit_method,
                     citation="Halfin & Whitt 1981")
        )  # fmt: skip
    return rows


def _relative_need(need: Expression, gamma: Fraction) -> float | None:
    """Return the limit of the need over n^gamma, rounded down where it stays finite."""
    written = algebraic(need)
    if written is None:
        return None
    found = limit(written * n ** -sympy.Rational(gamma.numerator, gamma.denominator))
    if found is None or found == sympy.oo:
        return None
    if gamma > 0:
        return float(found)
    return None if written.free_symbols else float(max(int(found), 1))  # a need that creeps up to its limit is not it
