"""What arrival laws and orders of jobs have in common: a table ``{ law = "...", key = ... }`` of a spec file.

A law is a frozen dataclass whose fields are the keys of its table. It is found by its name in its catalogue, so a new
law is one new file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msj.errors import InvalidInput
from msj.model.table import plain
from msj.model.value import Value
from msj.registry import Catalogue, nearest


class Law(Value):
    """Base of what a spec file describes by a table with ``law``."""

    law: ClassVar[str]
    summary: ClassVar[str]

    def to_spec(self) -> dict[str, Any]:
        """Return the table that describes this law."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        given = {f.name: getattr(self, f.name) for f in fields if getattr(self, f.name) != f.default}
        return {"law": self.law, **{name: plain(value) for name, value in given.items()}}

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Make the law from its table (without ``law``)."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        known = [f.name for f in fields]
        for key in table:
            if key not in known:
                hint = nearest(key, known) if known else "it takes none"
                raise InvalidInput(f"unknown key '{key}' for law '{cls.law}'; {hint}")
        for f in fields:
            if f.default is dataclasses.MISSING and f.name not in table:
                raise InvalidInput(f"law '{cls.law}' has no {f.name}; add {f.name} = ...")
        return cls(**table)


def law_from(catalogue: Catalogue, given: Any, base: type[Law], example: str) -> Any:
    """Return the law that is meant: a law itself, its name, or a table ``{ law = ..., key = ... }``."""
    if isinstance(given, base):
        return given
    if isinstance(given, str):
        given = {"law": given}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{given!r} is not a table; write {example}")
    if "law" not in given:
        known = ", ".join(catalogue.names())
        raise InvalidInput(f"{dict(given)} names no law; add law = ... (known: {known})")
    return catalogue.get(given["law"]).from_table({key: value for key, value in given.items() if key != "law"})
