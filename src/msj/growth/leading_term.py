"""How an expression in ``n`` behaves for large ``n``: its leading term ``c n^a (ln n)^b``, found exactly.

Products, quotients, powers, roots, logarithms, sums, ``min`` and ``max`` of such terms are such terms again, as long as
nothing cancels. Exponents are fractions: what hangs on ``a = -1`` is decided exactly, not by rounding.
Where the rules do not reach (``ln(ln(n))``, ``exp(n)``, differences of equal terms) there is no answer.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from msj.growth.expressions import FUNCTIONS_OF_SEVERAL, Expression, evaluate

LOGARITHMS = {"ln": 1.0, "log": 1.0, "log2": math.log(2.0), "log10": math.log(10.0)}
#: Coefficients that cancel to less than this share of their size leave nothing to rely on.
CANCELLED = 1e-9
LARGEST_EXPONENT = 1000


@dataclass(frozen=True, kw_only=True)
class LeadingTerm:
    """``coefficient * n^power * (ln n)^log_power``, the only part that matters for large ``n``; coefficient not 0.

    Examples
    --------
    >>> leading_term(Expression("1/(2*n*log2(n)) + n^-2"))
    LeadingTerm(coefficient=0.34657359027997264, power=Fraction(-1, 1), log_power=Fraction(-1, 1))
    >>> leading_term(Expression("ln(ln(n))")) is None
    True
    """

    coefficient: float
    power: Fraction = Fraction(0)
    log_power: Fraction = Fraction(0)

    def __str__(self) -> str:
        parts = [f"{self.coefficient:.6g}"] if self.coefficient != 1 or not any(self.order) else []
        for base, exponent in (("n", self.power), ("(ln n)", self.log_power)):
            if exponent:
                parts.append(base if exponent == 1 else f"{base}^{_short(exponent)}")
        return " ".join(parts)

    @property
    def order(self) -> tuple[Fraction, Fraction]:
        """How fast it grows; (0, 0) tends to the coefficient."""
        return self.power, self.log_power

    def times(self, other: LeadingTerm) -> LeadingTerm | None:
        """Return the product."""
        return _term(self.coefficient * other.coefficient, self.power + other.power, self.log_power + other.log_power)

    def to_the(self, exponent: Fraction) -> LeadingTerm | None:
        """Return a power."""
        if abs(exponent) > LARGEST_EXPONENT or (self.coefficient < 0 and exponent.denominator != 1):
            return None
        try:
            coefficient = self.coefficient ** (int(exponent) if exponent.denominator == 1 else float(exponent))
        except OverflowError:
            return None
        return _term(coefficient, self.power * exponent, self.log_power * exponent)

    def plus(self, other: LeadingTerm) -> LeadingTerm | None:
        """Return the sum; None where the terms cancel."""
        if self.order != other.order:
            return max(self, other, key=lambda term: term.order)
        total = self.coefficient + other.coefficient
        if abs(total) <= CANCELLED * max(abs(self.coefficient), abs(other.coefficient)):
            return None
        return _term(total, *self.order)


def _short(exponent: Fraction) -> str:
    as_float = f"{float(exponent):g}"
    return as_float if Fraction(as_float) == exponent else f"({exponent})"


def leading_term(expression: Expression) -> LeadingTerm | None:
    """Return the leading term for large ``n``, or None where the rules do not reach."""
    return _leading(expression.tree)


def _term(coefficient: float, power: Fraction, log_power: Fraction) -> LeadingTerm | None:
    if not math.isfinite(coefficient) or coefficient == 0:
        return None
    return LeadingTerm(coefficient=coefficient, power=power, log_power=log_power)


def _leading(node: ast.expr) -> LeadingTerm | None:
    if not _mentions_n(node):
        return _term(_constant(node), Fraction(0), Fraction(0))
    match node:
        case ast.Name():
            return LeadingTerm(coefficient=1.0, power=Fraction(1))
        case ast.UnaryOp(op=operator, operand=operand):
            inner = _leading(operand)
            negative = isinstance(operator, ast.USub)
            return inner.times(LeadingTerm(coefficient=-1.0)) if inner is not None and negative else inner
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, exponent = _leading(left), _fraction(right)
            return None if base is None or exponent is None else base.to_the(exponent)
        case ast.BinOp(left=left, op=binary, right=right):
            return _combined(binary, _leading(left), _leading(right))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _of_function(name, [_leading(argument) for argument in arguments])
    return None


def _combined(operator: ast.operator, left: LeadingTerm | None, right: LeadingTerm | None) -> LeadingTerm | None:
    if left is None or right is None:
        return None
    match operator:
        case ast.Mult():
            return left.times(right)
        case ast.Div():
            inverse = right.to_the(Fraction(-1))
            return None if inverse is None else left.times(inverse)
        case ast.Add():
            return left.plus(right)
        case ast.Sub():
            minus = right.times(LeadingTerm(coefficient=-1.0))
            return None if minus is None else left.plus(minus)
    return None


def _of_function(name: str, terms: list[LeadingTerm | None]) -> LeadingTerm | None:
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return None
    first = known[0]
    if name in FUNCTIONS_OF_SEVERAL:
        if any(term.coefficient < 0 for term in known):
            return None
        choose = min if name == "min" else max
        return choose(known, key=lambda term: (term.order, term.coefficient))
    if name in LOGARITHMS:
        # ln(c n^a (ln n)^b) = a ln n + smaller terms; without the power of n, ln ln n or a constant leads.
        if first.power == 0 or first.coefficient < 0:
            return None
        return LeadingTerm(coefficient=float(first.power) / LOGARITHMS[name], log_power=Fraction(1))
    match name:
        case "sqrt":
            return first.to_the(Fraction(1, 2))
        case "abs":
            return _term(abs(first.coefficient), *first.order)
        case "ceil" | "floor" if first.order > (Fraction(0), Fraction(0)):
            return first
    return None


def _mentions_n(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "n" for part in ast.walk(node))


def _fraction(node: ast.expr) -> Fraction | None:
    """Return a constant's exact value; None where it has none (``pi``) or is not a constant."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return Fraction(repr(value)) if abs(value) <= LARGEST_EXPONENT else None
        case ast.UnaryOp(op=operator, operand=operand):
            inner = _fraction(operand)
            return -inner if inner is not None and isinstance(operator, ast.USub) else inner
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as operator, right=right):
            one, other = _fraction(left), _fraction(right)
            if one is None or other is None or (isinstance(operator, ast.Div) and other == 0):
                return None
            match operator:
                case ast.Add():
                    return one + other
                case ast.Sub():
                    return one - other
                case ast.Mult():
                    return one * other
            return one / other
    return None


def _constant(node: ast.expr) -> float:
    """Return the value of a tree without ``n``; not a number where it has none."""
    with np.errstate(all="ignore"):
        return float(evaluate(node, np.float64(1.0)))
