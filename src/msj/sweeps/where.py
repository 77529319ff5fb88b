"""Rows by conditions, as a command line writes them: ``policy=fcfs``, ``load>=0.9``, ``name=mean_response_time``."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from msj.errors import InvalidInput
from msj.registry import nearest
from msj.results import Quantity, Result
from msj.results.coordinates import COORDINATES, same_place

OPERATIONS = {"=": same_place, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
OF_ROWS = ("name", "class", "level", "kind", "value", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition on one column."""

    column: str
    operation: str
    value: Any

    def holds(self, found: Any) -> bool:
        """Return whether a value of the column fulfils it."""
        return _holds(found, self.operation, self.value)


def conditions_of(texts: Iterable[str]) -> list[Condition]:
    """Return the conditions that texts stand for.

    Examples
    --------
    >>> conditions_of(["load>=0.9"])
    [Condition(column='load', operation='>=', value=0.9)]
    """
    return [
        Condition(column=column, operation=operation, value=value) for column, operation, value in map(_read, texts)
    ]


def only(result: Result, conditions: Iterable[str]) -> Result:
    """Return the rows for which all conditions hold, and the gaps for which those about places do.

    Examples
    --------
    >>> import msj
    >>> found = msj.sweep("examples/two_servers.toml", vary="load=0.5,0.8,0.9")
    >>> chosen = only(found, ["load>=0.8", "name=mean_response_time", "class="])
    >>> [row.at["load"] for row in chosen]
    [0.8, 0.9]
    """
    for text in conditions:
        key, operation, value = _read(text)
        rows = tuple(row for row in result if _holds(_of(row, key), operation, value))
        about = key in COORDINATES
        gaps = tuple(gap for gap in result.missing if about and _holds(gap.at.get(key), operation, value))
        result = replace(result, quantities=rows, missing=gaps)
    return result


def _read(text: str) -> tuple[str, str, Any]:
    found = re.fullmatch(r"\s*([A-Za-z_]+)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*", text)
    if found is None:
        raise InvalidInput(f"'{text}' is no condition; write policy=fcfs, 'load>=0.9' or name=mean_response_time")
    key, operation, value = found.groups()
    if key not in COORDINATES and key not in OF_ROWS:
        raise InvalidInput(f"unknown column '{key}' in '{text}'; {nearest(key, [*OF_ROWS, *COORDINATES])}")
    text_column = COORDINATES[key].unit is None if key in COORDINATES else key in ("name", "class", "kind")
    if text_column and operation not in ("=", "!="):
        raise InvalidInput(f"'{text}' compares texts by size; write {key}={value} or {key}!={value}")
    if text_column or value == "":
        return key, operation, value or None
    try:
        return key, operation, float(value)
    except ValueError:
        raise InvalidInput(f"'{value}' in '{text}' is no number, and {key} is one; write {key}>=0.9") from None


def _of(row: Quantity, key: str) -> Any:
    if key in COORDINATES:
        return row.at.get(key)
    return row.job_class if key == "class" else getattr(row, key)


def _holds(found: Any, operation: str, value: Any) -> bool:
    if operation == "!=":
        return not _holds(found, "=", value)
    if found is None or value is None:
        return operation == "=" and found is value
    return bool(OPERATIONS[operation](found, value))
