"""Frozen values: validated when made, changed with ``replace``, compared from one run to the next by their identity."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Self

from msj.store import NoIdentity, class_identity, digest


class Value:
    """Mixin for the model's frozen, keyword-only dataclasses.

    ``time_powers`` says which fields another unit of time changes, and which spec files may write with a unit: 1 for a
    time, −1 for a rate. What it does not name has no time in it.
    """

    time_powers: ClassVar[Mapping[str, int]] = {}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; the copy is validated like any other."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def retimed(self, factor: Fraction) -> Self:
        """Return the same with every time in it multiplied by ``factor`` and every rate divided by it."""
        changes = {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            before = getattr(self, field.name)
            after = _retimed(before, factor, self.time_powers.get(field.name, 0))
            if after is not before:
                changes[field.name] = after
        return self.replace(**changes) if changes else self

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


def _retimed(value: Any, factor: Fraction, power: int) -> Any:
    """Return a field in another unit of time; the field itself where there is no time in it."""
    if isinstance(value, Value):
        return value.retimed(factor)
    if isinstance(value, (list, tuple)):
        found = tuple(_retimed(item, factor, power) for item in value)
        return value if all(new is old for new, old in zip(found, value, strict=True)) else found
    if isinstance(value, Mapping):
        table = {key: _retimed(item, factor, power) for key, item in value.items()}
        return value if all(table[key] is value[key] for key in table) else table
    if not power or value is None or isinstance(value, str):
        return value
    return value * (factor if power > 0 else 1 / factor)


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
