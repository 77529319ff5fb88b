"""Tables inside frozen values: what a spec file writes as ``{ old = 8, new = 4 }``, hashable and in order.

The order counts, as it may mean something (groups of servers in order of preference).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msj.errors import InvalidInput
from msj.model.numbers import as_plain, text


@dataclass(frozen=True, repr=False)
class Table(Mapping[str, Any]):
    """A mapping that does not change.

    Examples
    --------
    >>> table = frozen({"old": 8, "new": 4}, "groups")
    >>> table["new"], dict(table), table == frozen({"new": 4, "old": 8}, "groups")
    (4, {'old': 8, 'new': 4}, False)
    """

    pairs: tuple[tuple[str, Any], ...] = ()

    def __getitem__(self, key: str) -> Any:
        for name, value in self.pairs:
            if name == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return repr(dict(self.pairs))


def frozen(value: Any, name: str) -> Any:
    """Return what a spec file can hold as a value that does not change: tables, lists, texts, numbers."""
    if isinstance(value, Mapping):
        pairs = ((text(key, f"a key of {name}"), frozen(item, f"{name}.{key}")) for key, item in value.items())
        return Table(tuple(pairs))
    if isinstance(value, (list, tuple)):
        return tuple(frozen(item, f"{name}[{i}]") for i, item in enumerate(value))
    if isinstance(value, str):
        return text(value, name)
    if isinstance(value, (bool, int, float, Fraction)) or hasattr(value, "to_spec"):
        return value
    raise InvalidInput(f"{name} = {value!r} is no text, number, list or table; write it as one")


def plain(value: Any) -> Any:
    """Return a frozen value as TOML or JSON write it; :func:`frozen` of that is the value again.

    Examples
    --------
    >>> plain(frozen({"groups": ["new", "old"], "weight": Fraction(1, 3)}, "extra"))
    {'groups': ['new', 'old'], 'weight': '1/3'}
    """
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "to_spec"):
        return value.to_spec()
    return as_plain(value) if isinstance(value, Fraction) else value
