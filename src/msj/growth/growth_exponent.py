"""How fast a need grows: the exponent gamma in need = Theta(n^gamma).

Where the leading term c·n^gamma·(ln n)^q can be read off the expression (``leading_term``), gamma is exact. Elsewhere
it is estimated, and said to be: through three points ln n = 150, 300, 600 goes one curve
ln m = gamma·ln n + q·ln ln n + c.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from msj.errors import InvalidInput
from msj.growth.expressions import Expression
from msj.growth.leading_term import leading_term

LOG_POINTS = np.array([150.0, 300.0, 600.0])


@dataclass(frozen=True, kw_only=True)
class Growth:
    """need ~ n^exponent·(ln n)^logarithms; ``estimated`` where it was not read off the expression.

    Examples
    --------
    >>> growth_of(Expression("3*n^(1/4)"))
    Growth(exponent=Fraction(1, 4), logarithms=Fraction(0, 1), estimated=False)
    >>> growth_of(Expression("ln(ln(n))")).estimated
    True
    """

    exponent: Fraction
    logarithms: Fraction = Fraction(0)
    estimated: bool = False


def growth_of(expression: Expression) -> Growth:
    """Return how a need given as an expression in n grows; a need below 1 is 1, so it never falls."""
    term = leading_term(expression)
    if term is not None and term.coefficient > 0:
        if term.order <= (Fraction(0), Fraction(0)):
            return Growth(exponent=Fraction(0))
        return Growth(exponent=term.power, logarithms=term.log_power)
    try:
        values = np.atleast_1d(np.asarray(expression(np.exp(LOG_POINTS))))
    except InvalidInput:
        values = np.zeros(3)
    if not np.all(values > 0):
        raise InvalidInput(
            f"how '{expression}' grows cannot be told: it has no finite positive value at large n; "
            "write a need that stays between 1 and n"
        )
    columns = np.column_stack((LOG_POINTS, np.log(LOG_POINTS), np.ones(3)))
    exponent, logarithms, _ = np.linalg.solve(columns, np.log(values))
    return Growth(
        exponent=max(Fraction(round(1000 * float(exponent)), 1000), Fraction(0)),
        logarithms=Fraction(round(2 * float(logarithms)), 2),  # halves are all that is claimed
        estimated=True,
    )


def largest_growth(growths: list[Growth]) -> Growth:
    """Return the growth of the largest of several needs.

    Examples
    --------
    >>> largest_growth([Growth(exponent=Fraction(1, 2)), Growth(exponent=Fraction(0), logarithms=Fraction(1))])
    Growth(exponent=Fraction(1, 2), logarithms=Fraction(0, 1), estimated=False)
    """
    return max(growths, key=lambda growth: (growth.exponent, growth.logarithms))
