"""Where a number stands: the closed list of coordinates a quantity may carry, each with its unit.

A curve, a comparison, a scaling or a plan is one Result whose rows differ in what they were asked at: a load, a
policy, a number of servers. Because the list is closed, tables, CSV, plots and programs know every coordinate there is,
and a misspelt one is refused instead of becoming a column of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

from msj.errors import InvalidInput
from msj.registry import nearest

Place: TypeAlias = float | int | str


@dataclass(frozen=True, kw_only=True)
class Coordinate:
    """One way in which rows of a result may differ.

    ``unit`` is the unit of a number (``time``, ``1/time``, ``servers``, ``jobs``, ``share``, or ``1`` for a plain
    ratio); None says that the coordinate is a text.
    """

    unit: str | None
    words: str


#: In the order in which tables and CSV show them.
COORDINATES: dict[str, Coordinate] = {
    "paper": Coordinate(unit=None, words="the paper a figure is from"),
    "figure": Coordinate(unit=None, words="the figure of the paper"),
    "section": Coordinate(unit=None, words="the section of a report"),
    "cluster": Coordinate(unit=None, words="the cluster, by its name or file"),
    "policy": Coordinate(unit=None, words="the policy that serves"),
    "baseline": Coordinate(unit=None, words="the policy a difference is from"),
    "quantity": Coordinate(unit=None, words="the quantity a row is about"),
    "change": Coordinate(unit=None, words="a change of the cluster, in words"),
    "form": Coordinate(unit=None, words="which form of an asymptotic: paper, corrected or refined"),
    "extremum": Coordinate(unit=None, words="optimum or pessimum of a curve"),
    "reason": Coordinate(unit=None, words="why something was left out"),
    "order": Coordinate(unit=None, words="order of the jobs: as recorded, shuffled"),
    "workload": Coordinate(unit=None, words="which jobs: those of a log, or drawn from a fit to it"),
    "state": Coordinate(unit=None, words="jobs in service, by class"),
    "of_class": Coordinate(unit=None, words="the class whose share is meant"),
    "servers": Coordinate(unit="servers", words="number of servers"),
    "largest_need": Coordinate(unit="servers", words="largest need of any job"),
    "jobs": Coordinate(unit="jobs", words="number of jobs in the system"),
    "path": Coordinate(unit="1", words="number of a simulated path"),
    "load": Coordinate(unit="share", words="arrival rate over stability threshold"),
    "arrival_rate": Coordinate(unit="1/time", words="jobs per unit of time"),
    "utilisation": Coordinate(unit="share", words="arrival rate x E[need x duration] / servers"),
    "class_share": Coordinate(unit="share", words="share of arrivals that are of a class"),
    "rate_ratio": Coordinate(unit="1", words="rate of the second class over that of the first"),
    "seed": Coordinate(unit="1", words="seed of what is simulated"),
    "time": Coordinate(unit="time", words="time since the beginning"),
    "time_of_day": Coordinate(
        unit="time", words="time since the beginning of a cycle of arrivals, where a step begins"
    ),
}


class At(Mapping[str, Place]):
    """Coordinates of one row: an immutable mapping that can be hashed, in the order of the list.

    Examples
    --------
    >>> At({"load": 0.9, "policy": "fcfs"})
    At(policy='fcfs', load=0.9)
    >>> At({"lode": 0.9})
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: unknown coordinate 'lode'; did you mean 'load'?
    """

    __slots__ = ("_places",)

    def __init__(self, places: Mapping[str, Any] = {}) -> None:
        checked = {name: _checked(name, value) for name, value in places.items()}
        self._places = {name: checked[name] for name in COORDINATES if name in checked}

    def __getitem__(self, name: str) -> Place:
        return self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __hash__(self) -> int:
        return hash(tuple(self._places.items()))

    def __repr__(self) -> str:
        return f"At({', '.join(f'{name}={value!r}' for name, value in self._places.items())})"

    def __str__(self) -> str:
        return ", ".join(f"{name} = {write_place(value)}" for name, value in self._places.items())

    def matches(self, wanted: Mapping[str, Place]) -> bool:
        """Return whether these coordinates are among those of the row; numbers may differ by rounding."""
        return all(name in self._places and same_place(self._places[name], value) for name, value in wanted.items())


def _checked(name: str, value: Any) -> Place:
    if name not in COORDINATES:
        raise InvalidInput(f"unknown coordinate '{name}'; {nearest(name, COORDINATES)}")
    if COORDINATES[name].unit is None:
        if not isinstance(value, str):
            raise InvalidInput(f"coordinate {name} = {value!r} must be a text")
        return value
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidInput(f"coordinate {name} = {value!r} must be a finite number")
    return int(value) if isinstance(value, Integral) else float(value)


def same_place(one: Place, other: Place) -> bool:
    """Return whether two values of a coordinate are the same but for rounding."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-15)


def write_place(value: Place) -> str:
    """Write the value of a coordinate for people."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) else f"{value:.6g}"
