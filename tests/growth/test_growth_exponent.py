"""How needs grow, exactly, and which of them fall behind a power of n."""

from fractions import Fraction

import pytest
import sympy

from msj.errors import InvalidInput
from msj.growth.expressions import Expression
from msj.growth.growth_exponent import growth_of, largest_growth, outgrown_by
from msj.growth.limits import OutOfReach, _power


@pytest.mark.parametrize(
    ("text", "exponent", "logarithms", "estimated"),
    [
        ("3", 0, 0, False),
        ("3*n^(1/4)", Fraction(1, 4), 0, False),
        ("log2(n) + 2", 0, 1, False),
        ("n/ln(n)", 1, -1, False),
        ("n^-2", 0, 0, False),  # a need is at least 1
        ("ln(ln(n))", 0, 0, False),
        ("n^0.5 * ln(ln(n))", Fraction(1, 2), 0, False),
        ("n%7 + 1", 0, 0, False),
        ("floor(n/3)", 1, 0, False),
        ("exp(sqrt(ln(n)))", 0, 0, False),  # beyond any power of ln n, below any power of n
        ("n^(1/pi)", Fraction(318, 1000), 0, True),
    ],
)
def test_powers_of_n_and_of_its_logarithm(text, exponent, logarithms, estimated):
    growth = growth_of(Expression(text))
    assert (growth.exponent, growth.logarithms, growth.estimated) == (exponent, logarithms, estimated)


@pytest.mark.parametrize("text", ["exp(n)", "n^n", "-n", "n - n", "n%7", "9^9^9*n"])
def test_what_has_no_power_is_refused(text):
    with pytest.raises(InvalidInput, match=r"grows cannot be told.*write a need that stays between 1 and n"):
        growth_of(Expression(text))


def test_the_largest_need_has_the_largest_power_and_then_the_most_logarithms():
    growths = [growth_of(Expression(text)) for text in ("sqrt(n)", "sqrt(n)*ln(n)", "n^0.4*ln(n)^9", "n^0.5/ln(n)")]
    assert largest_growth(growths) is growths[1]


@pytest.mark.parametrize(
    ("needs", "exponent", "behind"),
    [
        (["3"], Fraction(0), False),
        (["3", "sqrt(n)/ln(ln(n))"], Fraction(1, 2), True),
        (["3", "sqrt(n)"], Fraction(1, 2), False),
        (["n^-2"], Fraction(-1), False),  # a need is at least 1
        (["n^-2"], Fraction(1, 9), True),
        (["floor(sqrt(n))"], Fraction(501, 1000), True),
        (["n/2 + (n%2)*n/2"], Fraction(1), None),
        (["9^9^9"], Fraction(1), None),
    ],
)
def test_falling_behind_a_power(needs, exponent, behind):
    assert outgrown_by([Expression(need) for need in needs], exponent) is behind


def test_powers_of_numbers_below_nothing_are_whole_or_out_of_reach():
    assert _power(sympy.Integer(-2), sympy.Integer(2)) == 4
    assert _power(sympy.Integer(4), sympy.Rational(1, 2)) == 2
    with pytest.raises(OutOfReach):
        _power(sympy.Integer(-2), sympy.Rational(1, 2))
