"""Times and rates as people write them in a spec file: ``"2 h"``, ``"45 min"``, ``"12 per hour"``.

Before anything is made of a document, each becomes the plain number it is in the document's unit of time, exactly:
"45 min" is 3/4 where ``time_unit = "hours"``. Which keys are times and which are rates, the laws, policies and models
say themselves (``time_powers``). Where no ``time_unit`` is given, it is the first unit written, from the top of the
document; every other time and rate must then have a unit, too, since nobody could say in which a bare number is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msj.errors import InvalidInput, MsjError
from msj.model.numbers import Number, number, reciprocal
from msj.registry import ARRIVALS, DURATIONS, ENVIRONMENTS, MODELS, POLICIES, Catalogue
from msj.results.units import ratio, time_unit, unit_in

_NUMBER = r"[-+]?(?:\d+(?:/\d+)?|\d*\.\d+|\d+\.)(?:[eE][-+]?\d+)?"
WRITTEN = re.compile(rf"\s*({_NUMBER})\s*(per\s+|/\s*)?([^\W\d_]+)\s*")
MEANT = re.compile(r"\s*[-+]?\d[\d.,/]*\s*(?:per\s+|/\s*)?[^\W\d_]+(?:\s.*)?")  # a number with a unit, but not as above


@dataclass(frozen=True, kw_only=True)
class Written:
    """A time or a rate with its unit."""

    value: Number
    unit: str
    rate: bool

    def within(self, unit: str) -> Number:
        """Return the plain number in another unit; whole where it is whole."""
        factor = ratio(self.unit, unit)
        found = Fraction(self.value) * (1 / factor if self.rate else factor)
        return int(found) if found.denominator == 1 else found


def written(text: object, key: str, *, rate: bool) -> Written | None:
    """Return what a text says if it is a number with a unit; None if it is a bare number or something else.

    Examples
    --------
    >>> written("45 min", "mean", rate=False).within("hours")
    Fraction(3, 4)
    >>> written("12 per hour", "arrival_rate", rate=True).within("minutes")
    Fraction(1, 5)
    >>> written("2 h", "arrival_rate", rate=True)
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: arrival_rate = '2 h' is a time, and a rate is wanted; write it as '1/2 per hour'
    """
    found = WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        if isinstance(text, str) and MEANT.fullmatch(text):
            fix = "decimals take a point" if "," in text else "write one number and one unit, such as '2.5 h'"
            raise InvalidInput(f"{key} = {text!r} cannot be read; {fix}")
        return None
    value, per, word = found.groups()
    unit = unit_in(word, f"{key} = {text!r}")
    made = Written(value=number(value, key), unit=unit, rate=bool(per))
    if made.rate is not rate:
        one = unit.removesuffix("s")
        turned = "1" if not made.value else str(reciprocal(made.value))
        what, wanted, better = (
            ("a time", "a rate", f"{turned} per {one}") if rate else ("a rate", "a time", f"{turned} {unit}")
        )
        raise InvalidInput(f"{key} = {text!r} is {what}, and {wanted} is wanted; write it as '{better}'")
    return made


def plain_rate(text: str, key: str, unit: str | None) -> Any:
    """Return a rate from the command line as a plain number in the cluster's unit; what has no unit, as it is."""
    return _plain(text, key, unit, rate=True)


def plain_time(text: str, key: str, unit: str | None) -> Any:
    """Return a time from the command line as a plain number in the cluster's unit; what has no unit, as it is."""
    return _plain(text, key, unit, rate=False)


def _plain(text: str, key: str, unit: str | None, *, rate: bool) -> Any:
    found = written(text, key, rate=rate)
    if found is None:
        return text
    if unit is None:
        raise InvalidInput(f"{key} = {text!r} has a unit and the file has none; add time_unit = '{found.unit}' there")
    return found.within(unit)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a time or a rate stands in the document."""

    path: tuple[str, ...]
    key: str
    value: Any
    rate: bool
    put: Callable[[Any], None]

    def read(self) -> Written | None:
        try:
            return written(self.value, self.key, rate=self.rate)
        except MsjError as error:
            for part in reversed(self.path):
                error = error.within(part)
            raise error from None

    @property
    def words(self) -> str:
        shown = f"'{self.value}'" if isinstance(self.value, str) else str(self.value)
        return f"{'.'.join((*self.path, self.key))} = {shown}"


def in_one_unit(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with its times and rates as plain numbers in one unit.

    Examples
    --------
    >>> plain = in_one_unit({"arrival_rate": "12 per day", "classes": [{"duration": {"law": "exponential", "mean": "2 h"}}]})
    >>> plain["time_unit"], plain["arrival_rate"], plain["classes"][0]["duration"]["mean"]
    ('days', 12, Fraction(1, 12))
    """  # noqa: E501
    copy: dict[str, Any] = _copied(document)
    found = [(place, place.read()) for place in _places(copy)]
    first = next((one for _, one in found if one is not None), None)
    if copy.get("time_unit") is not None:
        copy["time_unit"] = time_unit(copy["time_unit"])
    elif first is not None:
        copy["time_unit"] = first.unit
        # Nothing is nothing in every unit.
        if bare := next((place for place, one in found if one is None and place.value != 0), None):
            raise InvalidInput(
                f"{bare.words} has no unit and others have; give it one, or say what bare numbers are by "
                f"time_unit = '{first.unit}'"
            )
    for place, one in found:
        if one is not None:
            place.put(one.within(copy["time_unit"]))
    return copy


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


#: Keys of the document whose tables name a variant: what is a time in them, the variant says.
CHOSEN = {"policy": POLICIES, "model": MODELS, "environment": ENVIRONMENTS}


def _places(document: dict[str, Any]) -> Iterator[_Place]:
    """Every time and rate, from the top of the document."""
    for key, value in document.items():
        if key == "arrival_rate":
            yield from _values(document, key, (), rate=True)
        elif key == "arrivals" and isinstance(value, dict):
            yield from _options(value, (key,), ARRIVALS)
            yield from _laws({name: law for name, law in value.items() if name != "size"}, (key,))
        elif key in CHOSEN:
            for i, table in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(table, dict):
                    path = f"{key}[{i}]" if isinstance(value, list) else key
                    yield from _options(table, (path,), CHOSEN[key])
                    yield from _laws({name: law for name, law in table.items() if isinstance(law, dict)}, (path,))
        else:
            yield from _laws(value, (key,))


def _laws(value: Any, path: tuple[str, ...]) -> Iterator[_Place]:
    """The times and rates in duration laws, wherever these stand."""
    if isinstance(value, dict):
        if "law" in value:
            yield from _options(value, path, DURATIONS)
        for key, item in value.items():
            yield from _laws(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _laws(item, (*path[:-1], f"{path[-1]}[{i}]"))


def _options(table: dict[str, Any], path: tuple[str, ...], catalogue: Catalogue) -> Iterator[_Place]:
    name = table.get("law" if catalogue in (ARRIVALS, DURATIONS) else "name")
    if not isinstance(name, str) or name not in catalogue.names():
        return  # what is wrong with it is said by who makes it
    variant = catalogue.get(name)
    for key in table:
        if power := variant.time_powers.get(key):
            yield from _values(table, key, path, rate=power < 0)


def _values(holder: Any, key: Any, path: tuple[str, ...], *, rate: bool, name: str = "") -> Iterator[_Place]:
    """One number, or each in a list or a table."""
    value, name = holder[key], name or str(key)
    if isinstance(value, dict):
        for inner in value:
            yield from _values(value, inner, path, rate=rate, name=f"{name}.{inner}")
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from _values(value, i, path, rate=rate, name=f"{name}[{i}]")
    else:

        def put(new: Any) -> None:
            holder[key] = new

        yield _Place(path=path, key=name, value=value, rate=rate, put=put)
