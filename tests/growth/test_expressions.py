"""Expressions in n: right values, and nothing but arithmetic gets through."""

from __future__ import annotations

import math
import time
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.errors import InvalidInput, MsjError
from msj.growth.expressions import LONGEST_TEXT, Expression


@pytest.mark.parametrize(
    ("text", "n", "value"),
    [
        ("3", 10, 3),
        ("log2(n)", 1024, 10),
        ("sqrt(n)", 4096, 64),
        ("n**-0.5", 100, 0.1),
        ("0.5*n^-2", 10, 0.005),
        ("-n^2", 3, -9),  # as in mathematics: the power binds more tightly than the sign
        ("2^3^2", 1, 512),
        ("n/ln(n)", 100, 100 / math.log(100)),
        ("log(n)", 100, math.log(100)),
        ("log10(n)", 1000, 3),
        ("min(n, 64)", 100, 64),
        ("max(1, n/2, n/3)", 12, 6),
        ("ceil(n/3) + floor(n/3) + abs(-n)", 10, 17),
        ("n//3 + n%3", 11, 5),
        ("+n - (2*pi + e)", 0, -(2 * math.pi + math.e)),
        ("exp(-n)", 1, math.exp(-1)),
        ("1_000", 1, 1000),
    ],
)
def test_values(text: str, n: float, value: float) -> None:
    assert Expression(text)(n) == pytest.approx(value, rel=1e-15)


@given(st.integers(1, 10**8), st.floats(0.1, 3), st.floats(-3, 3))
def test_a_power_law_is_what_python_computes(n: int, c: float, exponent: float) -> None:
    assert Expression(f"{c!r} * n ^ ({exponent!r})")(n) == pytest.approx(c * n**exponent, rel=1e-14)


def test_arrays_and_constants_keep_their_shape() -> None:
    grid = np.array([[1.0, 4.0], [9.0, 16.0]])
    np.testing.assert_array_equal(Expression("sqrt(n)")(grid), np.sqrt(grid))
    np.testing.assert_array_equal(Expression("3")(grid), np.full((2, 2), 3.0))
    assert isinstance(Expression("3")(5), float)


def test_text_round_trip_equality_and_frozenness() -> None:
    expression = Expression("  n ^ 2 ")
    assert str(expression) == "n ^ 2"
    assert Expression(str(expression)) == expression
    assert len({expression, Expression("n ^ 2")}) == 1
    with pytest.raises(FrozenInstanceError):
        expression.text = "n"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("2n", "character 1"),
        ("n^^2", "character 3"),
        ("n n", "cannot be read"),
        ("sqrt(n", "close all brackets"),
        ("__import__('os').system('true')", "not allowed"),
        ("n.real", "'n.real' at character 1"),
        ("n + m", "'m' at character 5"),
        ("n^2 + m", "'m' at character 7"),
        ("eval(n)", "no function known here"),
        ("sqrt", "write sqrt(n)"),
        ("sqrt(n, 2)", "needs one"),
        ("sqrt(x=n)", "no function known here"),
        ("min(n)", "two or more"),
        ("min(*n, 2)", "not allowed"),
        ("max(n, 2, key=n)", "no function known here"),
        ("(lambda: n)()", "not allowed"),
        ("[n for n in n]", "not allowed"),
        ("n if n else 1", "not allowed"),
        ("n < 3", "not allowed"),
        ("n << 3", "not allowed"),
        ("~n", "not allowed"),
        ("(n := 3)", "not allowed"),
        ("True", "not a real number"),
        ("2j", "not a real number"),
        ("'n'", "not a real number"),
        ("1e999", "above 1e300"),
        ("n²", "character 2"),
        ("n\x00", "cannot be read"),
        ("n" * (LONGEST_TEXT + 1), "at most 200"),
        ("1(n)", "not allowed"),
        ("1in n", "not allowed"),
    ],
)
def test_everything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Expression(text)
    assert said in str(refusal.value)
    assert ";" in str(refusal.value)  # a fix follows


def test_the_deepest_and_the_longest_that_fit() -> None:
    assert Expression("(" * 90 + "n" + ")" * 90)(2) == 2
    assert Expression("9" * (LONGEST_TEXT - 1))(1) == pytest.approx(1e199)
    assert Expression("-" * (LONGEST_TEXT - 2) + "n")(3) == 3


@pytest.mark.parametrize(
    ("text", "n", "said"),
    [
        ("9**9**9", 1, "infinite or above 1e308"),
        ("exp(n)", 1000, "infinite"),
        ("1/(n-3)", 3, "infinite"),
        ("sqrt(-n)", 2, "no real number"),
        ("ln(n-5)", 2, "no real number"),
        ("(-n)**0.5", 2, "no real number"),
    ],
)
def test_results_that_are_no_finite_numbers_are_refused(text: str, n: float, said: str) -> None:
    started = time.perf_counter()
    with pytest.raises(InvalidInput, match=said):
        Expression(text)(n)
    assert time.perf_counter() - started < 1


def test_the_first_wrong_point_of_an_array_is_named() -> None:
    with pytest.raises(InvalidInput, match="at n = 3"):
        Expression("1/(n-3)")(np.array([1, 2, 3, 4]))


@pytest.mark.parametrize("n", [math.nan, math.inf, "two", None, 1j, [1, "x"], [1.0, math.nan]])
def test_what_is_no_number_of_servers_is_refused(n: object) -> None:
    with pytest.raises(InvalidInput):
        Expression("3")(n)  # type: ignore[call-overload]


@pytest.mark.parametrize("text", [3, None, ["n"]])
def test_only_texts_are_expressions(text: object) -> None:
    with pytest.raises(InvalidInput):
        Expression(text)  # type: ignore[arg-type]


def test_needs_are_rounded_down_but_at_least_one() -> None:
    assert Expression("n/3").need_at(11) == 3
    assert Expression("0.2").need_at(11) == 1
    # Cube roots of cubes come out a hair below: they must not lose a server.
    assert [Expression("n**(1/3)").need_at(k**3) for k in range(1, 60)] == list(range(1, 60))


@pytest.mark.parametrize(("text", "said"), [("n+1", "more than there are servers"), ("-n", "must be positive")])
def test_impossible_needs_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refusal:
        Expression(text).need_at(8, name="need of class 'big'")
    assert "class 'big'" in str(refusal.value)


@given(st.text("n0123456789.+-*/^%()lnogsqrtexpmiax, _'", max_size=40))
def test_any_text_gives_a_number_or_a_sentence(text: str) -> None:
    try:
        value = Expression(text)(7)
    except MsjError:
        return
    assert math.isfinite(value)
