"""Units: which there are of time, and what a number's unit is, given its dimension and the cluster's unit of time.

msj computes in whatever unit of time the durations are in; the unit is a word that goes along
(``time_unit = "hours"``). A number's dimension follows from its name (``results.glossary``, ``results.coordinates``),
and with it the power of time in it: 1 for a time, −1 for a rate, 0 for a share. Changing the unit multiplies by
(old unit / new unit)^power.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from msj.errors import InvalidInput
from msj.registry import nearest


@dataclass(frozen=True, kw_only=True)
class TimeUnit:
    """A unit of time: how many seconds it is, one of it, and how people abbreviate it."""

    seconds: Fraction
    one: str
    short: tuple[str, ...]


#: Every unit of time that spec files, logs and --unit know, by its name.
TIME_UNITS: dict[str, TimeUnit] = {
    "milliseconds": TimeUnit(seconds=Fraction(1, 1000), one="millisecond", short=("ms", "msec")),
    "seconds": TimeUnit(seconds=Fraction(1), one="second", short=("s", "sec", "secs")),
    "minutes": TimeUnit(seconds=Fraction(60), one="minute", short=("min", "mins")),
    "hours": TimeUnit(seconds=Fraction(3600), one="hour", short=("h", "hr", "hrs")),
    "days": TimeUnit(seconds=Fraction(86400), one="day", short=("d",)),
    "weeks": TimeUnit(seconds=Fraction(604800), one="week", short=("w", "wk")),
}
_NAMES = {word: name for name, unit in TIME_UNITS.items() for word in (name, unit.one, *unit.short)}

#: Dimension: the power of time in it. ``share`` is of 1, ``1`` a plain ratio; ``power`` and ``cost`` are in the unit
#: they are given in.
DIMENSIONS: dict[str, int] = {
    "time": 1,
    "1/time": -1,
    "servers x time": 1,
    "servers": 0,
    "jobs": 0,
    "share": 0,
    "power": 0,
    "cost": 0,
    "1": 0,
}


def named_unit(text: str) -> str | None:
    """Return the unit of time that a word stands for, None if it is none.

    Examples
    --------
    >>> named_unit("h"), named_unit("minute"), named_unit("fortnight")
    ('hours', 'minutes', None)
    """
    return _NAMES.get(text.strip().lower())


def time_unit(given: object, key: str = "time_unit") -> str:
    """Return the name of the unit of time that is meant, or refuse.

    Examples
    --------
    >>> time_unit("min")
    'minutes'
    """
    found = named_unit(given) if isinstance(given, str) else None
    if found is None:
        raise InvalidInput(f"{key} = {given!r} is no unit of time that msj knows; {_nearest_unit(given)}")
    return found


def unit_in(word: str, text: str) -> str:
    """Return the unit of time that stands in a text behind a number, or refuse.

    Examples
    --------
    >>> unit_in("minuts", "mean = '90 minuts'")
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: mean = '90 minuts': 'minuts' is no unit of time that msj knows; did you mean 'minutes'?
    """
    found = named_unit(word)
    if found is None:
        raise InvalidInput(f"{text}: {word!r} is no unit of time that msj knows; {_nearest_unit(word)}")
    return found


def _nearest_unit(given: object) -> str:
    hint = nearest(str(given), [*TIME_UNITS, *(word for word in _NAMES if word not in TIME_UNITS)])
    return hint if hint.startswith("did") else f"use {', '.join(TIME_UNITS)}"


def seconds_in(unit: str | None) -> float:
    """Return the seconds in a unit of time; 1 where none is given.

    Examples
    --------
    >>> seconds_in("h"), seconds_in(None)
    (3600.0, 1.0)
    """
    return 1.0 if unit is None else float(TIME_UNITS[time_unit(unit)].seconds)


def ratio(old: str, new: str) -> Fraction:
    """Return how many of the new unit one of the old unit is.

    Examples
    --------
    >>> ratio("hours", "minutes")
    Fraction(60, 1)
    """
    return TIME_UNITS[old].seconds / TIME_UNITS[new].seconds


def unit_of(dimension: str, time: str | None) -> str:
    """Return the unit of a number in words; where no unit of time is known, the dimension itself.

    Examples
    --------
    >>> unit_of("time", "hours"), unit_of("1/time", "hours"), unit_of("1/time", None), unit_of("servers", "hours")
    ('hours', 'jobs per hour', '1/time', 'servers')
    """
    if time is None or not DIMENSIONS[dimension]:
        return dimension
    return {
        "time": time,
        "1/time": f"jobs per {TIME_UNITS[time].one}",
        "servers x time": f"server-{time}",
    }[dimension]


def rate_words(time: str | None) -> str:
    """Return the unit of an arrival rate as a sentence says it.

    Examples
    --------
    >>> rate_words("hours"), rate_words(None)
    ('jobs per hour', 'jobs per unit of time')
    """
    return f"jobs per {'unit of time' if time is None else TIME_UNITS[time].one}"


def said(value: float, dimension: str, time: str | None) -> str:
    """Return a number as a note says it, with its unit of time where that is known.

    Examples
    --------
    >>> said(0.25, "time", "hours"), said(0.25, "1/time", None)
    ('0.25 hours', '0.25')
    """
    return f"{value:.6g}" + ("" if time is None or not DIMENSIONS[dimension] else f" {unit_of(dimension, time)}")


def beside(words: str, dimension: str, time: str | None) -> str:
    """Return words for a number with its unit of time behind, where it has one that is known.

    Examples
    --------
    >>> beside("mean wait", "time", "hours"), beside("mean wait", "time", None), beside("servers", "servers", "hours")
    ('mean wait (hours)', 'mean wait', 'servers')
    """
    return f"{words} ({unit_of(dimension, time)})" if time is not None and DIMENSIONS[dimension] else words
