"""Numbers as users write them: 2, 0.5 or "2/3".

Fractions stay fractions (``fractions.Fraction``), so that an exact answer can be exact; numerical code calls
``float``. Everything that enters the model passes through here once: what is not a finite number is refused with
the value and the rule.
"""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral, Real
from typing import TypeAlias

import numpy as np

from msj.errors import InvalidInput

Number: TypeAlias = int | float | Fraction


def number(value: object, name: str) -> Number:
    """Return ``value`` as an int, float or Fraction.

    Examples
    --------
    >>> number("2/3", "share")
    Fraction(2, 3)
    >>> number(0.5, "share")
    0.5
    """
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise InvalidInput(f"{name} = {value!r} is not a number; write 0.25, 3 or '1/3'") from None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name} = {value!r} is not a number; write 0.25, 3 or '1/3'")
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Fraction):
        return value
    if not math.isfinite(value):
        raise InvalidInput(f"{name} = {float(value)} is not finite; give a finite number")
    return float(value)


def positive(value: object, name: str) -> Number:
    """Return ``value`` as a number above zero."""
    found = number(value, name)
    if found <= 0:
        raise InvalidInput(f"{name} = {found} must be greater than 0; give a positive number")
    return found


def probability(value: object, name: str) -> Number:
    """Return ``value`` as a number between 0 and 1."""
    found = number(value, name)
    if not 0 <= found <= 1:
        raise InvalidInput(f"{name} = {found} must lie between 0 and 1; write a share of the whole")
    return found


def whole(value: object, name: str, *, least: int = 1) -> int:
    """Return ``value`` as an integer of at least ``least``."""
    found = number(value, name)
    if found != int(found):
        raise InvalidInput(f"{name} = {found} must be a whole number; write {math.floor(found)} or {math.ceil(found)}")
    if found < least:
        raise InvalidInput(f"{name} = {int(found)} must be at least {least}; raise {name}")
    return int(found)


def vector(values: object, name: str) -> tuple[Number, ...]:
    """Return a non-empty list of numbers as a tuple."""
    if isinstance(values, (str, bytes)) or not isinstance(values, (list, tuple, np.ndarray)) or len(values) == 0:
        raise InvalidInput(f"{name} = {values!r} must be a non-empty list of numbers; write [1, 2]")
    return tuple(number(value, f"{name}[{index}]") for index, value in enumerate(values))


def sums_to_one(values: tuple[Number, ...], name: str) -> tuple[Number, ...]:
    """Check that the values are shares of a whole: exactly for fractions, to 1e-9 for floats."""
    for index, value in enumerate(values):
        probability(value, f"{name}[{index}]")
    total: Number = sum(values)
    if abs(float(total) - 1) > 1e-9 or (all(isinstance(v, (int, Fraction)) for v in values) and total != 1):
        raise InvalidInput(f"{name} sum to {as_text(total)}; they must sum to 1")
    return values


def reciprocal(value: Number) -> Number:
    """Return 1/value, exactly for whole numbers and fractions."""
    if isinstance(value, (int, Fraction)):
        inverse = 1 / Fraction(value)
        return int(inverse) if inverse.denominator == 1 else inverse
    return 1.0 / value


def exact(value: Number) -> Fraction:
    """Return the fraction the user meant: 0.1 is 1/10, not the nearest binary number."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def as_text(value: Number) -> str:
    """Write a number for a sentence: fractions as fractions, floats with their significant digits."""
    return str(value) if isinstance(value, (int, Fraction)) else f"{value:.10g}"


def as_plain(value: Number) -> int | float | str:
    """Write a number for TOML or JSON, so that reading it back gives the same value."""
    return str(value) if isinstance(value, Fraction) else value
