"""How fast a need grows: the exponent gamma in need = n^(gamma + o(1)), and the power of ln n beside it.

gamma is the limit of ln m/ln n, and q that of (ln m − gamma·ln n)/ln ln n, both exact (``limits``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy

from msj.errors import InvalidInput
from msj.growth.expressions import Expression
from msj.growth.limits import algebraic, as_fraction, limit, n, surely_positive


@dataclass(frozen=True, kw_only=True)
class Growth:
    """need ~ n^exponent·(ln n)^logarithms; ``estimated`` where the exponent is no fraction and was rounded to one.

    Examples
    --------
    >>> growth_of(Expression("3*n^(1/4)"))
    Growth(exponent=Fraction(1, 4), logarithms=Fraction(0, 1), estimated=False)
    >>> growth_of(Expression("n^(1/pi)"))
    Growth(exponent=Fraction(159, 500), logarithms=Fraction(0, 1), estimated=True)
    """

    exponent: Fraction
    logarithms: Fraction = Fraction(0)
    estimated: bool = False


def growth_of(expression: Expression) -> Growth:
    """Return how a need given as an expression in n grows; a need below 1 is 1, so it never falls."""
    need = algebraic(expression)
    power = limit(sympy.log(need) / sympy.log(n)) if need is not None and surely_positive(need) else None
    if power is None or power == sympy.oo:
        raise InvalidInput(
            f"how '{expression}' grows cannot be told: it has no finite positive value at large n; "
            "write a need that stays between 1 and n"
        )
    logarithms = as_fraction(limit((sympy.log(need) - power * sympy.log(n)) / sympy.log(sympy.log(n)))) or Fraction(0)
    if power < 0 or (power == 0 and logarithms < 0):
        return Growth(exponent=Fraction(0))
    exponent = as_fraction(power)
    rounded = Fraction(round(1000 * float(power)), 1000)
    return Growth(exponent=rounded if exponent is None else exponent, logarithms=logarithms, estimated=exponent is None)


def largest_growth(growths: list[Growth]) -> Growth:
    """Return the growth of the largest of several needs.

    Examples
    --------
    >>> largest_growth([Growth(exponent=Fraction(1, 2)), Growth(exponent=Fraction(0), logarithms=Fraction(1))])
    Growth(exponent=Fraction(1, 2), logarithms=Fraction(0, 1), estimated=False)
    """
    return max(growths, key=lambda growth: (growth.exponent, growth.logarithms))


def outgrown_by(needs: list[Expression], exponent: Fraction) -> bool | None:
    """Return whether all needs, which are at least 1, fall behind n^exponent; None where that cannot be told.

    Examples
    --------
    >>> outgrown_by([Expression("n/ln(ln(n))")], Fraction(1)), outgrown_by([Expression("n/2")], Fraction(1))
    (True, False)
    """
    written = [sympy.Integer(1), *(algebraic(need) for need in needs)]
    behind = n ** -sympy.Rational(exponent.numerator, exponent.denominator)
    ends = [None if need is None else limit(need * behind) for need in written]
    return None if None in ends else all(end == 0 for end in ends)
