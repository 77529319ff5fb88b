"""Who serves a discipline: the engine that simulates it and the front that solves it.

Engines and fronts stand above the disciplines and know none of them, so a discipline names the class that serves it and
says, in plain values, what that class is told::

    ServedBy("msj.engines.by_need:ByNeedEngine", rule="most-first", preemptive=True)

A discipline in a file of a user's own may give a class of that file itself instead of a name.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


class ServedBy:
    """A class, by its place ``module:Class`` or itself, and the options it is made with.

    Examples
    --------
    >>> ServedBy("fractions:Fraction", denominator=4).made(3)
    Fraction(3, 4)
    """

    def __init__(self, by: str | Callable[..., Any], /, **options: Any) -> None:
        self.by = by
        self.options = options

    def made(self, *given: Any) -> Any:
        """Make an object of the class for what is given: an engine for a cluster, a front for a system."""
        if not isinstance(self.by, str):
            return self.by(*given, **self.options)
        module, _, name = self.by.partition(":")
        return getattr(import_module(module), name)(*given, **self.options)

    def __repr__(self) -> str:
        return f"ServedBy({self.by!r}{''.join(f', {key}={value!r}' for key, value in self.options.items())})"
