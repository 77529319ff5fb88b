"""What an expression in ``n`` tends to, exactly: the algebra is sympy's, by Gruntz's algorithm (Gruntz 1996).

Texts are never handed to sympy, which would run them: the checked tree is (``expressions``), number by number, and
numbers as the fractions they are written as, so that ``n^-(1/3)/n^(2/3)`` is ``1/n``.

Three things are done here because sympy cannot. ``min``, ``max`` and ``abs`` are replaced by the part that holds for
large n. A floor is its argument less a number between 0 and 1 of which nothing else is known (so are ``ceil``, ``//``
and ``%``): there is a limit only if it is the same at both ends of that range and inside it. And what would grow into
numbers of a million digits, or lies outside the reach of Gruntz's algorithm, has no answer here (None).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy.series.gruntz import gruntz, sign

from msj.growth.expressions import Expression, Meaning, evaluate

n = sympy.Symbol("n", positive=True)
#: Of a power of numbers: the logarithm of its value, and the bits of its exact form.
LARGEST_LOGARITHM = 700
MOST_BITS = 10_000
MOST_FLOORS = 3


class OutOfReach(Exception):
    """Raised inside; whoever asks from outside gets None."""


def algebraic(expression: Expression) -> Any:
    """Return an expression in ``n`` as sympy's; None where it cannot be written so.

    Examples
    --------
    >>> algebraic(Expression("max(n^(1/3), 0.5*log2(n))"))
    n**(1/3)
    """
    names = {"n": n, "pi": sympy.pi, "e": sympy.E}
    try:
        found = evaluate(expression.tree, IN_SYMBOLS, names)
    except Exception:  # whatever sympy raises where it knows no way
        return None
    return None if found.has(sympy.oo, sympy.zoo, sympy.nan) else found


def limit(expression: Any) -> Any:
    """Return the limit of a sympy expression in ``n``, infinite perhaps; None where there is none or none is known.

    Examples
    --------
    >>> limit(n * algebraic(Expression("3/(n + ceil(sqrt(n)))"))), limit(sympy.log(sympy.log(n)))
    (3, oo)
    >>> limit(algebraic(Expression("n % 2"))) is None
    True
    """
    try:
        found = _settled(lambda each: gruntz(each, n, sympy.oo), expression)
    except Exception:  # whatever sympy raises where it knows no way
        return None
    return found if not found.free_symbols and found.is_extended_real else None


def as_fraction(value: Any) -> Fraction | None:
    """Return a sympy number as a fraction; None if it is none."""
    return Fraction(int(value.p), int(value.q)) if value is not None and value.is_Rational else None


def surely_positive(expression: Any) -> bool:
    """Return whether a sympy expression is known to be above 0 for large ``n``.

    Examples
    --------
    >>> surely_positive(sympy.log(n) - 9), surely_positive(-1 / n)
    (True, False)
    """
    try:
        return _sign(expression) > 0
    except Exception:  # whatever sympy raises where it knows no way
        return False


def _sign(expression: Any) -> int:
    """Return -1, 0 or 1: the sign for large ``n``."""
    return int(_settled(lambda each: sign(each, n), expression))


def _settled(question: Callable[[Any], Any], expression: Any) -> Any:
    """Return the one answer that holds whatever the floors take away: nothing, one, or something in between."""
    floors = sorted(expression.atoms(sympy.Dummy), key=str)
    if len(floors) > MOST_FLOORS:
        raise OutOfReach
    ends = [dict(zip(floors, values, strict=True)) for values in product((0, 1), repeat=len(floors))]
    found = {question(expression.subs(values)) for values in ([{}, *ends] if floors else [{}])}
    if len(found) > 1:
        raise OutOfReach
    return found.pop()


def _number(value: float) -> Any:
    return sympy.Rational(repr(value))


def _power(base: Any, exponent: Any) -> Any:
    if exponent.is_positive and base == 0:
        return base
    if exponent.is_number and base.is_number:
        bits = (base.p * base.q).bit_length() if base.is_Rational else 1
        size = abs(float(exponent))
        if base == 0 or size * abs(sympy.log(abs(base)).evalf()) > LARGEST_LOGARITHM or size * bits > MOST_BITS:
            raise OutOfReach
    if exponent.is_Rational and abs(exponent) > MOST_BITS:
        raise OutOfReach
    # sympy's own power of a negative number is complex; a share or a need is not.
    if not exponent.is_integer and _sign(base) < 0:
        raise OutOfReach
    return base**exponent


def _logarithm(base: int | None = None) -> Any:
    def logarithm(value: Any) -> Any:
        if _sign(value) <= 0:
            raise OutOfReach
        return sympy.log(value) if base is None else sympy.log(value) / sympy.log(base)

    return logarithm


def _exponential(value: Any) -> Any:
    if value.is_number and abs(float(value)) > LARGEST_LOGARITHM:
        raise OutOfReach
    return sympy.exp(value)


def _floor(value: Any) -> Any:
    return sympy.floor(value) if value.is_number else value - sympy.Dummy("fraction", nonnegative=True)


def _absolute(value: Any) -> Any:
    return value * (1 if _sign(value) >= 0 else -1)


def _smaller(one: Any, other: Any) -> Any:
    return one if _sign(one - other) <= 0 else other


IN_SYMBOLS: Meaning = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
    ast.FloorDiv: lambda one, other: _floor(one / other),
    ast.Mod: lambda one, other: one - other * _floor(one / other),
    ast.Pow: _power,
    "ln": _logarithm(),
    "log": _logarithm(),
    "log2": _logarithm(2),
    "log10": _logarithm(10),
    "sqrt": lambda value: _power(value, sympy.Rational(1, 2)),
    "exp": _exponential,
    "floor": _floor,
    "ceil": lambda value: -_floor(-value),
    "abs": _absolute,
    "min": _smaller,
    "max": lambda one, other: -_smaller(-one, -other),
    "number": _number,
}
