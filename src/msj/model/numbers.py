"""Numbers as users write them: 2, 0.5 or "2/3".

Fractions stay fractions (``fractions.Fraction``), so that an exact answer can be exact; numerical code calls
``float``. Everything that enters the model passes through here once: what is not a finite number is refused with
the value and the rule.
"""

from __future__ import annotations

import math
import re
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
        return _from_text(value, name)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name} = {value!r} is not a number; write 0.25, 3 or '1/3'")
    if isinstance(value, Integral):
        return _in_range(int(value), name)
    if isinstance(value, Fraction):
        return _in_range(value, name)
    if not math.isfinite(value):
        raise InvalidInput(f"{name} = {float(value)} is not finite; give a finite number")
    found = float(value)
    if found != 0 and not 1e-100 <= abs(found) <= 1e100:  # squares of it must be numbers too
        raise InvalidInput(f"{name} = {found} is out of range; give a number between 1e-100 and 1e100")
    return found


def _from_text(text: str, name: str) -> Number:
    exponent = re.search(r"[eE]([-+]?\d+)\s*$", text)
    if len(text) > 60 or (exponent and (len(exponent[1]) > 5 or abs(int(exponent[1])) > 400)):
        # Fraction would write out every digit of 1e99999999.
        raise InvalidInput(f"{name} = {shortened(text)!r} is out of range; give a number between 1e-100 and 1e100")
    try:
        found = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(f"{name} = {text!r} is not a number; {_as_meant(text)}") from None
    return _in_range(found, name)


def _as_meant(text: str) -> str:
    """Return how to write what the user meant: a decimal comma and per cent are the usual slips."""
    if re.fullmatch(r"\s*[-+]?\d*,\d+\s*", text):
        return f"decimals take a point: write {text.strip().replace(',', '.')}"
    if per_cent := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", text):
        return f"write it as a share, {float(per_cent[1]) / 100:.10g}"
    if re.fullmatch(r"\s*[-+\d./eE]+\s*(?:per\s+|/\s*)?[^\W\d_]+\s*", text):
        return "units are for times and rates in spec files ('2 h', '12 per hour'); write a bare number here"
    return "write 0.25, 3 or '1/3'"


def _in_range(value: int | Fraction, name: str) -> int | Fraction:
    size = abs(Fraction(value))
    if size != 0 and not Fraction(1, 10**100) <= size <= 10**100:
        shown = "a number of more than 100 digits" if size > 1 else "a number below 1e-100"
        raise InvalidInput(f"{name} = {shown} is out of range; give a number between 1e-100 and 1e100")
    return value


def shortened(text: str, most: int = 40) -> str:
    """Return a text that fits into a sentence."""
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 4 :]}"


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


def text(value: object, name: str) -> str:
    """Return ``value`` as a text that can be written to a file."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} = {value!r} must be a text; put it in quotes")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidInput(f"{name} = {value!r} holds half a character (a lone surrogate); write it out")
    return value


def truth(value: object, name: str) -> bool:
    """Return ``value``, which must be true or false."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} = {value!r} must be true or false; write one of them")
    return value


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
    return shortened(str(value)) if isinstance(value, (int, Fraction)) else f"{value:.10g}"


def as_plain(value: Number) -> int | float | str:
    """Write a number for TOML or JSON, so that reading it back gives the same value."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    return value
