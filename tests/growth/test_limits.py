"""Limits for large n: against orders of growth known by hand, and against numbers far out; never guessed."""

from __future__ import annotations

import ast
import math
import time
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from msj.growth.expressions import Expression, evaluate
from msj.growth.limits import algebraic, as_fraction, limit, n


def limit_of(text: str) -> object:
    found = algebraic(Expression(text))
    return None if found is None else limit(found)


@settings(max_examples=15)
@given(
    st.floats(0.01, 100),
    st.fractions(-3, 3, max_denominator=12),
    st.fractions(-3, 3, max_denominator=12),
    st.floats(0.01, 100),
    st.fractions(-3, 3, max_denominator=12),
)
def test_the_larger_term_of_a_sum_leads(c: float, a: Fraction, b: Fraction, other: float, d: Fraction) -> None:
    assume((a, b) != (d, 0))
    lead, log_lead = max((a, b), (d, Fraction(0)))
    scaled = algebraic(Expression(f"{c!r}*n^({a})*ln(n)^({b}) + {other!r}*n^({d})"))
    tends = limit(scaled * n ** -sympy.Rational(str(lead)) * sympy.log(n) ** -sympy.Rational(str(log_lead)))
    assert float(tends) == (c if (a, b) > (d, 0) else other)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("log2(5*n^3*ln(n))/ln(n)", 3 / sympy.log(2)),
        ("ln(ln(n))", sympy.oo),
        ("ln(3 + 1/n)", sympy.log(3)),
        ("n - n", 0),
        ("min(-n, n)", -sympy.oo),
        ("max(1/n, n^-2, 3)", 3),
        ("abs(1/n - 1/ln(n))*ln(n)", 1),
        ("(1 + 1/n)^n", sympy.E),
        ("n^(1/ln(n))", sympy.E),
        ("n^n", sympy.oo),
        ("sqrt(n + sqrt(n)) - sqrt(n)", sympy.Rational(1, 2)),
        ("(n + 1)^1000 - n^1000 - 1000*n^999", sympy.oo),
        ("(n^2 - 1)^0.5 - n", 0),
        ("(n//3)/n", sympy.Rational(1, 3)),
        ("ceil(sqrt(n))/sqrt(n)", 1),
        ("(n + n%7)/n", 1),
        ("floor(2.5) + floor(pi)", 5),
        ("((sqrt(2) + sqrt(3))^2 - 5 - 2*sqrt(6))*n + 1", 1),
        ("e^(ln(n)/2)/sqrt(n)", 1),
        ("log10(n)/log2(n)", sympy.log(2) / sympy.log(10)),
        ("0^n", 0),
        ("sqrt(floor(0.5)) + 1", 1),
    ],
)
def test_known_limits(text: str, value: object) -> None:
    assert (
        sympy.simplify(limit_of(text) - value) == 0 if value not in (sympy.oo, -sympy.oo) else limit_of(text) == value
    )


@pytest.mark.parametrize(
    "text",
    ["n%2", "floor(1/n)", "floor(n)-n", "(n%2)*n", "n%2 - n%3", "1/(n - n)", "sqrt(-n)", "ln(1 - n)", "(-2)^n",
     "n%2 + n%3 + n%5 + n%7", "n^1e300"],
)  # fmt: skip
def test_where_there_is_no_limit_or_none_is_known_none_is_given(text: str) -> None:
    assert limit_of(text) is None


@pytest.mark.parametrize(
    "text",
    ["9**9**9", "n*9^9^9", "((1 + 1e-300)^1000)^1000*n", "exp(exp(exp(9)))*n", "exp(exp(exp(n)))", "n^n^n^n",
     "((n + 1)^200 - n^200)^200 - 200^200*n^39800", "+".join(f"n^(1/{k})" for k in range(2, 22))],
)  # fmt: skip
def test_what_would_take_long_is_answered_or_refused_soon(text: str) -> None:
    started = time.perf_counter()
    assert limit_of(text) in (None, sympy.oo)
    assert time.perf_counter() - started < 10


IN_DIGITS = {
    ast.Add: mpmath.fadd, ast.Sub: mpmath.fsub, ast.Mult: mpmath.fmul, ast.Div: mpmath.fdiv, ast.Pow: mpmath.power,
    "ln": mpmath.log, "sqrt": mpmath.sqrt, "log2": lambda value: mpmath.log(value, 2), "abs": abs, "min": min,
    "max": max, "number": lambda value: mpmath.mpf(repr(value)),
}  # fmt: skip
leaves = st.sampled_from(["n", "n", "n", "1", "2", "0.5", "10", "pi", "ln(n)", "1/3"])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
        st.tuples(inner, st.sampled_from(["-1", "2", "0.5", "1/3", "-3/4", "7"])).map(lambda t: f"({t[0]})^({t[1]})"),
        st.tuples(st.sampled_from(["ln", "sqrt", "log2", "abs"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
    ),
    max_leaves=8,
)


@given(expressions.filter(lambda text: len(text) <= 200))
def test_numbers_far_out_come_closer_to_the_limit(text: str) -> None:
    tends = limit_of(text)
    assume(tends is not None)
    with mpmath.workdps(500):
        names = {"pi": +mpmath.pi, "e": +mpmath.e}
        near, far = (
            evaluate(Expression(text).tree, IN_DIGITS, {**names, "n": mpmath.mpf(10) ** power}) for power in (20, 200)
        )
        if tends in (sympy.oo, -sympy.oo):
            assert far * int(sympy.sign(tends)) > max(near * int(sympy.sign(tends)), 0)
        else:
            goal = mpmath.mpf(str(sympy.N(tends, 100)))
            assert abs(far - goal) <= abs(near - goal) or abs(far - goal) < 1e-15


def test_only_fractions_are_fractions() -> None:
    assert as_fraction(sympy.Rational(-2, 6)) == Fraction(-1, 3)
    assert as_fraction(sympy.pi) is None
    assert as_fraction(None) is None
    assert as_fraction(sympy.oo) is None
    assert math.isclose(float(limit_of("pi + 1/n")), math.pi)
