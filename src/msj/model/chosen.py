"""What a spec file chooses by name: ``fcfs``, or ``{ name = "first-fit", window = 4 }``.

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


def chosen_from(catalogue: Catalogue, given: Any, example: str) -> Any:
    """Return what a name or a table ``{name = ..., option = ...}`` stands for; an object is returned as it is."""
    if isinstance(given, str):
        given = {"name": given}
    if isinstance(given, Mapping):
        if "name" not in given:
            raise InvalidInput(f"{dict(given)} names no {catalogue.kind}; add name = '{example}' or another")
        options = {key: value for key, value in given.items() if key != "name"}
        return catalogue.get(given["name"]).from_options(options)
    if not (hasattr(given, "name") and hasattr(given, "to_spec")):
        raise InvalidInput(f"{given!r} is not a {catalogue.kind}; give a name such as '{example}'")
    return given
