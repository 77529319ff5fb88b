"""Texts in the cells of a table as numbers, spans of time and moments, a whole column at once.

A cell that says nothing (empty, ``Unknown``, ``None``, ``-1`` where only something positive makes sense) is nan. A cell
that cannot be read is marked, so that its row can be counted as bad. What a whole column does not take at once goes
through Python, each distinct text once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOTHING = frozenset({"", "unknown", "none", "null", "nan", "na", "n/a", "none assigned", "invalid"})
NO_LIMIT = frozenset({"unlimited", "partition_limit", "infinite"})
PEEK = 50  # cells
Column = tuple[NDArray[np.float64], NDArray[np.bool_]]
_SPAN = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(?:(\d+):)?(\d+(?:\.\d+)?)$")


def number(text: str) -> float | None:
    """Return the number a text says, nan if it says nothing, None if it is none."""
    if text.strip().lower() in NOTHING:
        return math.nan
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def span(text: str) -> float | None:
    """Return how many seconds ``MM:SS``, ``HH:MM:SS``, ``D-HH:MM:SS``, ``D-HH`` or ``MM:SS.mmm`` is; nan for no limit.

    Examples
    --------
    >>> span("1-02:00:10"), span("02:30.5"), span("3600"), span("2-12"), span("UNLIMITED"), span("x")
    (93610.0, 150.5, 3600.0, 216000.0, nan, None)
    """
    word = text.strip().lower()
    if word in NOTHING or word in NO_LIMIT:
        return math.nan
    match = _SPAN.match(word)
    if match is None:
        return number(word)
    days, *clock = match.groups()
    parts = [float(part) for part in clock if part is not None]
    if days is None:
        return math.fsum(part * 60.0**power for power, part in enumerate(reversed(parts)))
    # After days come hours, then minutes, then seconds.
    return 86400.0 * float(days) + math.fsum(part * 3600.0 / 60.0**power for power, part in enumerate(parts))


def moment(text: str) -> float | None:
    """Return the seconds since 1970 of an ISO time, read as local time without a zone, or of a plain number.

    Examples
    --------
    >>> moment("1970-01-02T00:00:01"), moment("2024-03-01 10:00:00+01:00"), moment("12.5"), moment("Unknown")
    (86401.0, 1709283600.0, 12.5, nan)
    """
    plain = number(text)
    if plain is not None:
        return plain
    try:
        found = datetime.fromisoformat(text.strip().replace(" UTC", "+00:00"))
    except ValueError:
        return None
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


def numbers(column: Any) -> Column:
    """Read a column of numbers."""
    return _read(column, number, _as_numbers)


def spans(column: Any) -> Column:
    """Read a column of spans of time, in seconds."""
    return _read(column, span, _as_numbers)


def moments(column: Any) -> Column:
    """Read a column of moments, in seconds since 1970, or of plain numbers."""
    return _read(column, moment, _as_numbers, _as_moments)


def texts(column: Any) -> Any:
    """Return a column of texts as a pandas categorical."""
    import pandas

    values, codes = _distinct(column)
    if not (codes == len(values) - 1).any():
        values.pop()  # the empty text that stands for cells without any
    labels = [value.strip() for value in values]
    known = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    places = np.array([known[label] for label in labels], dtype=np.int64)
    return pandas.Categorical.from_codes(
        places[codes] if len(codes) else codes, categories=pandas.Index(list(known), dtype=str)
    )


def labels(column: Any) -> NDArray[Any]:
    """Return what jobs are called: whole numbers where all are, else texts."""
    import pyarrow

    values = _as_numbers(column)
    if values is not None and (np.abs(values) < 2**53).all() and (values == np.floor(values)).all():  # nan is not
        return np.asarray(values, dtype=np.int64)
    names = column.to_pylist()
    if pyarrow.types.is_binary(column.type):
        names = [name.decode("utf-8", "replace") for name in names]
    return np.array(["" if name is None else str(name) for name in names], dtype=object)


def are_numbers(column: Any) -> bool:
    """Whether a column of times is plain numbers, to which a unit belongs."""
    return _as_numbers(column) is not None


def each(column: Any, read: Callable[[str], Any], kind: Any = np.float64) -> NDArray[Any]:
    """Return what ``read`` makes of each cell; it sees each distinct text once."""
    values, codes = _distinct(column)
    return np.array([read(value) for value in values] or [0], dtype=kind)[codes]


def _read(column: Any, one: Callable[[str], float | None], *quickly: Callable[[Any], Any]) -> Column:
    for whole_column in quickly:
        found = whole_column(column)
        if found is not None:
            return found, np.zeros(len(found), dtype=bool)
    values, codes = _distinct(column)
    read = [one(value) for value in values] or [None]
    known = np.array([math.nan if value is None else value for value in read])
    unread = np.array([value is None for value in read])
    return known[codes], unread[codes]


def _distinct(column: Any) -> tuple[list[str], NDArray[np.int64]]:
    import pyarrow

    kind = column.type
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    encoded = array.dictionary_encode()
    if isinstance(encoded, pyarrow.ChunkedArray):  # no chunk at all, or more than fit into one
        encoded = encoded.unify_dictionaries().combine_chunks()
    values = encoded.dictionary.to_pylist()
    if pyarrow.types.is_binary(kind) or pyarrow.types.is_large_binary(kind):
        values = [value.decode("utf-8", "replace") for value in values]
    codes = np.asarray(encoded.indices.fill_null(len(values)), dtype=np.int64)
    return [*(str(value) for value in values), ""], codes


def _as_numbers(column: Any) -> Any:
    import pyarrow
    import pyarrow.compute

    if not _begins_with(column, number):
        return None
    try:
        found = pyarrow.compute.cast(_texts(column), pyarrow.float64()).fill_null(math.nan)
        values = np.asarray(found, dtype=np.float64)
        return None if np.isinf(values).any() else values
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        return None


def _as_moments(column: Any) -> Any:
    import pyarrow
    import pyarrow.compute

    if not _begins_with(column, moment):
        return None
    try:
        text = _texts(column)
        said = pyarrow.compute.is_in(text, value_set=pyarrow.array(["Unknown", "None", ""]))
        found = pyarrow.compute.cast(pyarrow.compute.if_else(said, None, text), pyarrow.timestamp("us"))
        whole = np.asarray(found.cast(pyarrow.int64()).fill_null(np.iinfo(np.int64).min))
        return np.where(whole == np.iinfo(np.int64).min, np.nan, whole / 1e6)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        return None


def _begins_with(column: Any, one: Callable[[str], float | None]) -> bool:
    """Whether the first cell that says something can be read so: a whole column that cannot takes long to refuse."""
    import pyarrow

    kind = column.type
    if not (pyarrow.types.is_binary(kind) or pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
        return True
    for cell in column[:PEEK].to_pylist():
        text = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell
        if text is not None and text.strip().lower() not in NOTHING:
            return one(text) is not None
    return False


def _texts(column: Any) -> Any:
    import pyarrow

    return column.cast(pyarrow.string()) if pyarrow.types.is_binary(column.type) else column
