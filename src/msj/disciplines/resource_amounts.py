"""Amounts of resources as files write them: ``{ gpus = 1, memory = 2 }``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msj.errors import InvalidInput
from msj.model.numbers import whole
from msj.model.table import Table, frozen

SERVERS = "servers"


def amounts(value: Any, key: str, *, least: int = 0) -> Table:
    """Return a table of amounts by name, checked.

    Examples
    --------
    >>> amounts({"gpus": 1}, "resources")
    {'gpus': 1}
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{key} = {value!r} must be a table of amounts; write {{ gpus = 1 }}")
    if SERVERS in value:
        raise InvalidInput(f"{key} names '{SERVERS}', whose number the system gives; take it out")
    found: Table = frozen({name: whole(amount, f"{key}.{name}", least=least) for name, amount in value.items()}, key)
    return found
