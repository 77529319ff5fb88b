"""What a spec file chooses by name: ``fcfs``, or ``{ name = "first-fit", window = 4 }``; or a user's own function.

A choice is a frozen dataclass whose fields are its options; policies and models are made and written this way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msj.errors import InvalidInput
from msj.model.table import plain
from msj.model.value import Value
from msj.registry import Catalogue, nearest


class Chosen(Value):
    """Base of what is chosen by name."""

    kind: ClassVar[str]  # "policy", "model"
    name: ClassVar[str]
    summary: ClassVar[str]
    citation: ClassVar[str]

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Make it from the options a spec file gives."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        known = [field.name for field in fields]
        for key in options:
            if key not in known:
                hint = nearest(key, known) if known else "it takes none"
                raise InvalidInput(f"unknown option '{key}' for {cls.kind} '{cls.name}'; {hint}")
        for field in fields:
            if field.default is dataclasses.MISSING and field.name not in options:
                raise InvalidInput(f"{cls.kind} '{cls.name}' has no {field.name}; add {field.name} = ...")
        return cls(**options)

    def to_spec(self) -> str | dict[str, Any]:
        """Return what stands behind ``policy =`` or ``model =`` in a spec file."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        options = {f.name: plain(value) for f in fields if (value := getattr(self, f.name)) != f.default}
        return {"name": self.name, **options} if options else self.name

    def label(self) -> str:
        """Return what a table calls it: its name, with the options in brackets."""
        spec = self.to_spec()
        if isinstance(spec, str):
            return spec
        return self._labelled(self.name, {key: value for key, value in spec.items() if key != "name"})

    @staticmethod
    def _labelled(name: str, options: Mapping[str, Any]) -> str:
        return f"{name} ({', '.join(f'{key} = {value}' for key, value in options.items())})" if options else name


def distinct_label(chosen: Any, taken: Mapping[str, Any]) -> str:
    """Return what to call a choice beside others, already called something: two of one name get numbers.

    The same choice twice is refused: whether it is the same, equality says and not the name.
    """
    label: str = chosen.label()
    if chosen in taken.values():
        raise InvalidInput(f"policy '{label}' is named twice; leave one out")
    found, number = label, 1
    while found in taken:
        number += 1
        found = f"{label} ({number})"
    return found


def chosen_from(catalogue: Catalogue, given: Any, example: str) -> Any:
    """Return what is meant: a name, a table ``{name = ..., option = ...}`` or something of the user's own.

    An object that is already chosen is returned as it is.
    """
    own = catalogue.users_own(given) if _may_be_own(given) else None
    if own is not None:
        return own
    if isinstance(given, str):
        given = {"name": given}
    if isinstance(given, Mapping):
        if "name" not in given:
            raise InvalidInput(f"{dict(given)} names no {catalogue.kind}; add name = '{example}' or another")
        options = {key: value for key, value in given.items() if key != "name"}
        return catalogue.get(given["name"]).from_options(options)
    if not (isinstance(given, Chosen) and given.kind == catalogue.kind):
        raise InvalidInput(f"{given!r} is not a {catalogue.kind}; give a name such as '{example}'")
    return given


def _may_be_own(given: Any) -> bool:
    """Whether it is worth asking: a function, or a text or table that names a function."""
    if isinstance(given, Mapping):
        return "function" in given or _may_be_own(given.get("name"))
    return ":" in given if isinstance(given, str) else callable(given) and not isinstance(given, Chosen)
