"""Rows as flat records, for CSV and for pandas; both can be read back.

A record has the columns of a quantity and one column ``at.NAME`` for each coordinate in use.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TextIO

from msj.errors import InvalidInput
from msj.results.coordinates import COORDINATES
from msj.results.quantity import Quantity

COLUMNS = ("value", "low", "high", "unit", "kind", "method", "citation", "formula", "bracket")
NUMBERS = ("value", "low", "high", "level")
#: Texts that a spreadsheet takes for a formula, also behind apostrophes that were there before.
FORMULA = re.compile(r"'*[=+\-@\t\r]")


def records_of(quantities: Iterable[Quantity], time_unit: str | None = None) -> list[dict[str, Any]]:
    """Return one flat record per row, all with the same keys; None where there is nothing."""
    rows = list(quantities)
    return list(_records(rows, _coordinates(rows), time_unit))


def _coordinates(rows: Iterable[Quantity]) -> list[str]:
    """Return the coordinates in use."""
    found: set[str] = set()
    for row in rows:
        found.update(row.at)
    return [name for name in COORDINATES if name in found]


def _records(rows: Iterable[Quantity], used: list[str], time_unit: str | None) -> Iterator[dict[str, Any]]:
    for row in rows:
        plain = row.to_dict(time_unit)
        record = {"name": row.name, "class": row.job_class, "level": row.level}
        record |= {f"at.{name}": row.at.get(name) for name in used}
        yield record | {key: plain.get(key) for key in COLUMNS}


def quantities_from(records: Iterable[Mapping[str, Any]]) -> tuple[Quantity, ...]:
    """Return the rows that records stand for; texts are read as the columns they are in."""
    found = []
    for record in records:
        row: dict[str, Any] = {}
        at: dict[str, Any] = {}
        for key, value in record.items():
            if _nothing(value):
                continue
            if key.startswith("at."):
                at[key.removeprefix("at.")] = _place(key.removeprefix("at."), value)
            else:
                row[key] = float(value) if key in NUMBERS else value
        missing = [key for key in ("name", "kind") if key not in row]
        if missing:
            raise InvalidInput(f"a row has no {' and no '.join(missing)}; give the columns that to_csv writes")
        found.append(Quantity.from_dict({"value": None, "method": "", **row, "at": at}))
    return tuple(found)


def write_csv(quantities: Iterable[Quantity], time_unit: str | None = None) -> str:
    """Return the rows as CSV with full precision; texts that look like formulas get an apostrophe in front."""
    buffer = io.StringIO()
    write_csv_to(buffer, tuple(quantities), time_unit)
    return buffer.getvalue()


def write_csv_to(file: TextIO, quantities: Collection[Quantity], time_unit: str | None = None) -> None:
    """Write the rows as CSV, one after the other; they are gone through twice and never held together."""
    quick = getattr(quantities, "flat_records", None)  # rows that are kept as columns
    used, rows = quick(time_unit) if quick is not None else (_coordinates(quantities), None)
    columns = ["name", "class", "level", *(f"at.{name}" for name in used), *COLUMNS]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    if rows is None:
        rows = (tuple(record.values()) for record in _records(quantities, used, time_unit))
    writer.writerows(map(_cell, row) for row in rows)


def read_csv(text: str) -> tuple[Quantity, ...]:
    """Return the rows that :func:`write_csv` wrote.

    Examples
    --------
    >>> row = Quantity(name="mean_response_time", value=1 / 3, kind="exact", method="QBD", at={"load": 0.8})
    >>> read_csv(write_csv([row])) == (row,)
    True
    """
    records = csv.DictReader(io.StringIO(text))
    return quantities_from({key: _text(value) for key, value in record.items()} for record in records)


def _cell(value: Any) -> Any:
    """Return a value as a cell: a text that a spreadsheet would take for a formula gets an apostrophe in front.

    Numbers stay as they are, negative ones too.
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def _text(cell: Any) -> Any:
    """Return the text that :func:`_cell` made a cell of."""
    return cell[1:] if isinstance(cell, str) and cell.startswith("'") and FORMULA.match(cell) else cell


def _nothing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _place(name: str, value: Any) -> Any:
    if name not in COORDINATES or COORDINATES[name].unit is None:
        return value
    number = float(value)
    whole = COORDINATES[name].unit in ("servers", "jobs") and number.is_integer()
    return int(number) if whole else number
