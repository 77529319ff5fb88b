"""Growth and prices: "20 %/year", "1.2/server hour"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from msj.errors import InvalidInput

#: How many of each there are in a year.
A_YEAR = {"hour": 8766.0, "day": 365.25, "week": 365.25 / 7.0, "month": 12.0, "quarter": 4.0, "year": 1.0}
_SHORT = {"h": "hour", "hr": "hour", "d": "day", "w": "week", "mo": "month", "q": "quarter", "y": "year", "yr": "year"}
_GROWTH = re.compile(r"\s*([\d.]+)\s*%\s*(?:/|per|a)\s*([a-z]+)\s*", re.IGNORECASE)
_PRICE = re.compile(r"\s*([^\d\s.]*)\s*([\d.]+)\s*([^\d\s/]*)\s*(?:/|per)\s*server[\s-]*([a-z]+)\s*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Growth:
    """By which factor the arrival rate grows in a year."""

    yearly: float
    words: str

    def years_until(self, factor: float) -> float:
        """Return how long it takes until so many times as much arrives."""
        return math.log(factor) / math.log(self.yearly)


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a server costs in a year."""

    yearly: float
    currency: str
    words: str

    def said(self, servers: float) -> str:
        """Return what so many servers cost in a year, in words."""
        amount = f"{self.yearly * servers:,.0f}" if self.yearly * servers >= 100 else f"{self.yearly * servers:.4g}"
        return f"{amount}{' ' + self.currency if self.currency else ''} a year"


def read_growth(text: str | None) -> Growth | None:
    """Read how fast the load grows.

    Examples
    --------
    >>> round(read_growth("20 %/year").years_until(1.44), 9)
    2.0
    """
    if text is None:
        return None
    found = _GROWTH.fullmatch(text)
    unit = None if found is None else _unit(found[2])
    if found is None or unit is None or float(found[1]) <= 0:
        raise InvalidInput(f"growth = {text!r} cannot be read; write it like '20 %/year' or '3 % per month'")
    return Growth(yearly=(1.0 + float(found[1]) / 100.0) ** A_YEAR[unit], words=text.strip())


def read_price(text: str | None) -> Price | None:
    """Read what a server costs.

    Examples
    --------
    >>> read_price("1.2 EUR/server hour").said(10)
    '105,192 EUR a year'
    """
    if text is None:
        return None
    found = _PRICE.fullmatch(text)
    unit = None if found is None else _unit(found[4])
    if found is None or unit is None or float(found[2]) <= 0:
        raise InvalidInput(f"price = {text!r} cannot be read; write it like '1.2/server hour' or '900 EUR/server year'")
    return Price(yearly=float(found[2]) * A_YEAR[unit], currency=found[1] or found[3], words=text.strip())


def _unit(word: str) -> str | None:
    word = word.lower()
    word = _SHORT.get(word, word)
    return next((name for name in (word, word.removesuffix("s")) if name in A_YEAR), None)
