"""Expressions in ``n``, the number of servers, as users write them: ``log2(n)``, ``0.5*n^-2``, ``min(n, 64)``.

A text is read by Python's grammar and then checked against a white list: numbers, the names ``n``, ``pi`` and ``e``,
the signs ``+ - * / // % ** ^`` (``^`` is a power here) and the functions below. Nothing is ever handed to ``eval``.
All arithmetic is in double precision: ``9**9**9`` overflows at once and is refused.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from msj.errors import InvalidInput
from msj.model.numbers import number, shortened

Array = npt.NDArray[np.float64]

#: Longer texts are refused.
LONGEST_TEXT = 200
CONSTANTS = {"pi": math.pi, "e": math.e}
FUNCTIONS = ("ln", "log", "log2", "log10", "sqrt", "exp", "ceil", "floor", "abs")
FUNCTIONS_OF_SEVERAL = ("min", "max")
#: What the signs and the functions mean: a callable for each, of one value or two.
Meaning: TypeAlias = Mapping[type[ast.operator] | str, Callable[..., Any]]
IN_DOUBLES: Meaning = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
    "ln": np.log,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "ceil": np.ceil,
    "floor": np.floor,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "number": np.float64,
}
#: A need within this relative distance of a whole number is that number: ``64**(1/3)`` is 3.9999999999999996.
WHOLE_WITHIN = 1e-9


@dataclass(frozen=True)
class Expression:
    """A function of ``n`` given as a text; call it with a number or an array.

    Examples
    --------
    >>> Expression("0.5*n^-2")(10)
    0.005
    >>> Expression("min(n, 64) + log2(n)")([16, 256])
    array([20., 72.])
    >>> str(Expression(" sqrt(n) "))
    'sqrt(n)'
    >>> Expression("1/(n - 3)")(3)
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: '1/(n - 3)' is infinite or above 1e308 at n = 3; change the expression or the range of n
    """

    text: str
    tree: ast.expr = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InvalidInput(f"{self.text!r} is no expression in n; put a text in quotes, such as 'log2(n)'")
        object.__setattr__(self, "text", self.text.strip())
        object.__setattr__(self, "tree", _parse(self.text))

    def __str__(self) -> str:
        return self.text

    @overload
    def __call__(self, n: float) -> float: ...
    @overload
    def __call__(self, n: npt.ArrayLike) -> float | Array: ...
    def __call__(self, n: npt.ArrayLike) -> float | Array:
        """Return the value at ``n``; a value that is not a finite real number is refused."""
        where = _points(n)
        with np.errstate(all="ignore"):
            values = np.asarray(evaluate(self.tree, IN_DOUBLES, {**CONSTANTS, "n": where}), dtype=float)
        # An expression without n is the same everywhere.
        values = np.broadcast_to(values, where.shape).copy()
        wrong = np.flatnonzero(~np.isfinite(np.atleast_1d(values)))
        if wrong.size:
            at, found = np.atleast_1d(where)[wrong[0]], np.atleast_1d(values)[wrong[0]]
            reason = "no real number" if np.isnan(found) else "infinite or above 1e308"
            raise InvalidInput(
                f"'{shortened(self.text)}' is {reason} at n = {at:.10g}; change the expression or the range of n"
            )
        return values if values.ndim else float(values)

    def need_at(self, n: int, *, name: str = "need") -> int:
        """Return the value at ``n`` as a need: rounded down, but at least 1; above ``n`` it is refused.

        A value within rounding error of a whole number counts as that number.

        Examples
        --------
        >>> Expression("n**(1/3)").need_at(64), Expression("log2(n)").need_at(100), Expression("0.1").need_at(5)
        (4, 6, 1)
        """
        value = self(n)
        nearest = round(value)
        need = nearest if abs(value - nearest) <= WHOLE_WITHIN * max(1.0, abs(value)) else math.floor(value)
        if value <= 0:
            raise InvalidInput(
                f"{name} '{self}' is {value:.10g} at n = {n}; a need must be positive: change the expression"
            )
        if need > n:
            raise InvalidInput(
                f"{name} '{self}' is {need} at n = {n}, more than there are servers; "
                f"write min(n, {self}) or leave out small n"
            )
        return max(1, need)


def _points(n: npt.ArrayLike) -> Array:
    if np.ndim(n) == 0:
        n = float(number(n, "n"))
    try:
        where = np.asarray(n, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"n = {shortened(repr(n))} holds something that is not a number; give numbers") from None
    if not np.all(np.isfinite(where)):
        raise InvalidInput("n holds a number that is not finite; give finite numbers")
    return where


def _parse(text: str) -> ast.expr:
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(f"'{shortened(text)}' has {len(text)} characters; write at most {LONGEST_TEXT}")
    if not text:
        raise InvalidInput("'' is no expression in n: it is empty; write for example 3, log2(n) or n**-0.5")
    if not text.isascii():
        place = next(index for index, character in enumerate(text) if not character.isascii())
        raise InvalidInput(
            f"'{shortened(text)}' is no expression in n: {text[place]!r} at character {place + 1} cannot be read; "
            "write n**2 for a square, sqrt(n) for a root"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the grammar only frowns upon is refused below
            tree = ast.parse(text.replace("^", "**"), mode="eval").body
    except SyntaxError as error:
        place = _place(text, (error.offset or 1) - 1)
        raise InvalidInput(
            f"'{shortened(text)}' is no expression in n: it cannot be read at character {place}; "
            "write products out (2*n, n*ln(n)) and close all brackets"
        ) from None
    except (ValueError, MemoryError, RecursionError):
        raise InvalidInput(
            f"'{shortened(text)}' is no expression in n: it cannot be read; write a simpler one"
        ) from None
    _check(tree, text)
    return tree


def _place(text: str, column: int) -> int:
    """Return the character (from 1) of the user's text at a column of the text with ``**`` for ``^``."""
    written = 0
    for index, character in enumerate(text):
        written += 2 if character == "^" else 1
        if written > column:
            return index + 1
    return max(1, len(text))


def _check(node: ast.expr, text: str) -> None:
    """Refuse everything that is not on the white list."""
    allowed = f"use numbers, n, pi, e, + - * / // % ** and {', '.join([*FUNCTIONS, *FUNCTIONS_OF_SEVERAL])}"

    def refuse(what: str, fix: str = allowed) -> InvalidInput:
        place = _place(text, node.col_offset)
        return InvalidInput(f"'{shortened(text)}' is no expression in n: {what} at character {place} {fix}")

    match node:
        case ast.Constant(value=bool() | complex()) | ast.Constant(value=str() | bytes() | None):
            raise refuse(f"{node.value!r}", f"is not a real number; {allowed}")
        case ast.Constant(value=int() | float() as value):
            if not _at_most_1e300(value):
                raise refuse("the number", "is above 1e300; write a smaller one")
        case ast.Name(id=name):
            if name in FUNCTIONS or name in FUNCTIONS_OF_SEVERAL:
                raise refuse(f"'{name}'", f"is a function; write {name}(n)")
            if name != "n" and name not in CONSTANTS:
                raise refuse(f"'{shortened(name)}'", f"is unknown; {allowed}")
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _check(operand, text)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in IN_DOUBLES:
            _check(left, text)
            _check(right, text)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            if len(arguments) != 1 or isinstance(arguments[0], ast.Starred):
                raise refuse(f"{name} with {len(arguments)} arguments", f"needs one; write {name}(n)")
            _check(arguments[0], text)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS_OF_SEVERAL:
            if len(arguments) < 2:
                raise refuse(f"{name} with {len(arguments)} argument", f"needs two or more; write {name}(n, 64)")
            for argument in arguments:
                _check(argument, text)
        case ast.Call(func=ast.Name(id=name)):
            raise refuse(f"'{shortened(name)}(...)'", f"is no function known here; {allowed}")
        case _:
            raise refuse(f"'{shortened(ast.unparse(node))}'", f"is not allowed; {allowed}")


def _at_most_1e300(value: float) -> bool:
    try:
        return abs(float(value)) <= 1e300
    except OverflowError:  # a whole number of more than 308 digits
        return False


def evaluate(node: ast.expr, meaning: Meaning, names: Mapping[str, Any]) -> Any:
    """Return what a checked tree is worth if its signs, functions and names mean what is given."""
    match node:
        case ast.Constant(value=value):
            return meaning["number"](value)
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=sign, operand=operand):
            inner = evaluate(operand, meaning, names)
            return -inner if isinstance(sign, ast.USub) else inner
        case ast.BinOp(left=left, op=operator, right=right):
            return meaning[type(operator)](evaluate(left, meaning, names), evaluate(right, meaning, names))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            values = [evaluate(argument, meaning, names) for argument in arguments]
            return reduce(meaning[name], values) if name in FUNCTIONS_OF_SEVERAL else meaning[name](*values)
    raise AssertionError(f"unchecked {ast.dump(node)}")
