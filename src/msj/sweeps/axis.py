"""One thing a sweep varies, and its values: ``load=0.5..0.98/9``, ``servers=64,128,256``, ``share:large=0.1,0.2``.

Loads, servers, the largest need, the share of a class and the seed have a coordinate of their own. Whatever else a spec
file can say is named by its place in the document, ``classes.large.need=2,4`` or ``policy.window=1,2``, and rows stand
at it as a ``change`` in words.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Number
from typing import Any

from msj.errors import InvalidInput
from msj.model import System
from msj.model.changes import with_largest_need, with_servers, with_share
from msj.model.numbers import number, whole
from msj.model.ranges import Range, parse_vary
from msj.model.spec_file import SYSTEM_KEYS, from_document
from msj.model.system import LOADS
from msj.registry import nearest
from msj.results.coordinates import Place

WHOLE = ("servers", "largest_need", "seed")
OWN = (*LOADS, *WHOLE)
HOW = "write load=0.5..0.98/9 (9 values), servers=64,128,256 or share:CLASS=0.1,0.2"


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What is varied and its values, in the order given.

    Examples
    --------
    >>> Axis.of("load=0.5..0.9/3")
    Axis(key='load', values=(0.5, 0.7, 0.9))
    >>> Axis.of("servers=64..128/3").values, Axis.of("seed=1..4").values
    ((64, 96, 128), (1, 2, 3, 4))
    """

    key: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _known(self.key))
        values = tuple(self._checked(value) for value in self.values)
        object.__setattr__(self, "values", values)
        if not values:
            raise InvalidInput(f"'{self.key}' has no values to vary over; {HOW}")
        met: set[Any] = set()
        for value in values:
            known = value if isinstance(value, (Number, str)) else repr(value)  # what a spec file says may be a list
            if known in met:
                raise InvalidInput(f"{self.key} = {value} is given twice; leave one out")
            met.add(known)

    @classmethod
    def of(cls, text: str) -> Axis:
        """Read what a command line says."""
        name, parts = parse_vary(text, HOW)
        name = _known(name)
        found: list[Any] = []
        for part in parts:
            found += part.values(whole=name in WHOLE) if isinstance(part, Range) else [_value(part)]
        return cls(key=name, values=tuple(found))

    def _checked(self, value: Any) -> Any:
        if self.key in WHOLE:
            return whole(value, self.key, least=0 if self.key == "seed" else 1)
        if self.key in LOADS:
            return float(number(value, self.key))
        if self.key.startswith("share:"):
            return number(value, self.key)
        return float(value) if hasattr(value, "dtype") else value

    def place(self, value: Any) -> dict[str, Place]:
        """Return the coordinates of a value."""
        if self.key in OWN:
            return {self.key: value}
        if self.key.startswith("share:"):
            return {"of_class": self.key.removeprefix("share:"), "class_share": float(value)}
        return {"change": f"{self.key} = {value}"}

    def applied(self, system: System, value: Any) -> System:
        """Return the cluster at a value; a seed changes nothing about it."""
        if self.key in LOADS:
            return system.replace(**{self.key: value})
        if self.key == "servers":
            return with_servers(system, value)
        if self.key == "largest_need":
            return with_largest_need(system, value)
        if self.key.startswith("share:"):
            return with_share(system, self.key.removeprefix("share:"), value)
        return system if self.key == "seed" else _with_key(system, self.key.split("."), value)


def axes_of(vary: Any) -> tuple[Axis, ...]:
    """Return the axes that texts, or a table of names and values, stand for.

    Examples
    --------
    >>> axes_of({"load": [0.5, 0.9], "servers": "2,4"}) == axes_of(["load=0.5,0.9", "servers=2,4"])
    True
    """
    if vary is None:
        return ()
    if isinstance(vary, (str, Axis)):
        vary = [vary]
    if hasattr(vary, "items"):
        found = [
            Axis.of(f"{name}={values}")
            if isinstance(values, str)
            else Axis(key=name, values=tuple(values) if isinstance(values, Iterable) else (values,))
            for name, values in vary.items()
        ]
    else:
        found = [each if isinstance(each, Axis) else Axis.of(each) for each in vary]
    names = [axis.key for axis in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"'{twice}' is varied twice; give all its values once")
    loads = [name for name in names if name in LOADS]
    if len(loads) > 1:
        raise InvalidInput(f"{' and '.join(loads)} are both varied; say how much arrives in one way only")
    return tuple(found)


def _known(name: str) -> str:
    name = name.replace("-", "_") if name.replace("-", "_") in OWN else name
    first = name.partition(".")[0]
    if name in OWN or (name.startswith("share:") and len(name) > len("share:")):
        return name
    if name == "policy":
        raise InvalidInput("policies are varied by --policies A,B,... (policies=[...] in Python)")
    if first in SYSTEM_KEYS and first not in OWN and (first not in ("classes", "policy", "model") or "." in name):
        return name
    hint = nearest(name, [*OWN, "share:CLASS", "classes.CLASS.KEY", "policy.OPTION", "model.OPTION"])
    raise InvalidInput(f"'{name}' cannot be varied; {hint}")


def _value(text: str) -> Any:
    """Return a value as a spec file would have it: a number, a fraction, or a text."""
    text = text.strip()
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    if re.fullmatch(r"\d+/\d+", text):
        return Fraction(text)
    try:
        return float(text)
    except ValueError:
        return {"true": True, "false": False}.get(text, text)


def _with_key(system: System, path: list[str], value: Any) -> System:
    """Return the cluster whose document says something else at a place."""
    spec = copy.deepcopy(system.to_spec())
    spec["policy"] = system.policy  # the object: a function of a notebook cannot be found by its name
    at: Any = spec
    for depth, key in enumerate(path[:-1]):
        if depth == 1 and path[0] == "classes":
            names = [table["name"] for table in at]
            if key not in names:
                raise InvalidInput(f"no class is called '{key}'; {nearest(key, names)}")
            at = at[names.index(key)]
            continue
        inner = at.get(key)
        inner = inner.to_spec() if hasattr(inner, "to_spec") else inner
        at[key] = {"name": inner} if isinstance(inner, str) else inner
        if not isinstance(at[key], (dict, list)):
            raise InvalidInput(f"'{'.'.join(path)}' has no place here: {'.'.join(path[: depth + 1])} is {inner!r}")
        at = at[key]
    at[path[-1]] = str(value) if isinstance(value, Fraction) else value
    return from_document(spec)
