"""Frozen values: validated when made, changed with ``replace``, compared from one run to the next by their identity."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any, Self

from msj.store import NoIdentity, class_identity, digest


class Value:
    """Mixin for the model's frozen, keyword-only dataclasses."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; the copy is validated like any other."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def identity(self) -> str | None:
        """Return a hash of all that this value stands for; None where something in it cannot be compared.

        Two values of the same identity have the same answers, in this run and in any other of the same code.

        Examples
        --------
        >>> from msj import Exponential
        >>> Exponential(mean=2).identity() == Exponential(mean=3).identity()
        False
        """
        try:
            return digest(self.depends_on())
        except NoIdentity:
            return None

    def why_no_identity(self) -> str | None:
        """Return the reason if this value has no identity."""
        try:
            self.depends_on()
        except NoIdentity as reason:
            return str(reason)
        return None

    def depends_on(self) -> Any:
        """Return what the identity is a hash of, as plain data; raise ``NoIdentity`` where that is not possible."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return [written_class(type(self)), {f.name: written(getattr(self, f.name), f.name) for f in fields}]


def written_class(kind: type) -> str:
    """Return a class of msj by its name (its code is another part of the question), any other with all it does."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name if kind.__module__.partition(".")[0] == "msj" else f"{name} {class_identity(kind)}"


def written(value: Any, name: str) -> Any:
    """Return what a field holds as plain data to be compared; tables in their order, which may mean something."""
    if isinstance(value, Value):
        return value.depends_on()
    if isinstance(value, Enum):
        return [written_class(type(value)), value.name]
    if isinstance(value, Mapping):
        return ["table", *([key, written(item, name)] for key, item in value.items())]
    if isinstance(value, (list, tuple)):
        return [written(item, name) for item in value]
    if value is None or isinstance(value, (bool, int, float, Fraction, str)):
        return value
    raise NoIdentity(f"its {name} is a {type(value).__name__}, which cannot be compared")
