"""Rows of quantities as text tables for people, and as CSV.

Quantities that exist per class are shown side by side, one column per class; the others get a line each with kind,
method and citation.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msj.results.quantity import Quantity

Grid: TypeAlias = tuple[list[str], list[list[str]]]  # headings, rows
MOST_COLUMNS = 8  # with more classes, one line per class


def write_number(value: float, digits: int = 10) -> str:
    """Write a number the way people read it: significant digits, no trailing zeros.

    Examples
    --------
    >>> write_number(0.9), write_number(7.517772123456), write_number(1e-15)
    ('0.9', '7.517772123', '1e-15')
    """
    return f"{value:.{digits}g}"


def grids(quantities: Iterable[Quantity]) -> list[Grid]:
    """Return the tables that show these rows: one of single numbers, one of numbers per class."""
    rows = list(quantities)
    classes = list(dict.fromkeys(row.job_class for row in rows if row.job_class is not None))
    per_class = {(row.name, row.level) for row in rows if row.job_class is not None}
    if len(classes) > MOST_COLUMNS:
        per_class = set()
    singles = [row for row in rows if (row.name, row.level) not in per_class]
    found = [_single_grid(singles)] if singles else []
    if per_class:
        found.append(_class_grid([row for row in rows if (row.name, row.level) in per_class], classes))
    return found


def write_table(quantities: Iterable[Quantity]) -> str:
    """Return the rows as aligned text tables."""
    return "\n\n".join(write_grid(*grid) for grid in grids(quantities)) or "(no quantities)"


def write_grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return texts in aligned columns."""
    lines = [list(headings), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def write_csv(quantities: Iterable[Quantity]) -> str:
    """Return the rows as CSV with full precision."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    keys = ("name", "class", "level", "value", "kind", "low", "high", "method", "citation")
    writer.writerow(keys)
    for row in quantities:
        plain = row.to_dict()
        writer.writerow([plain[key] for key in keys])
    return buffer.getvalue()


def _single_grid(rows: list[Quantity]) -> Grid:
    lines = [[_name(row), row.job_class or "", _value(row, 10), row.kind, row.method, row.citation] for row in rows]
    headings = ["quantity", "class", "value", "kind", "method", "citation"]
    keep = [i for i in range(len(headings)) if any(line[i] for line in lines)]
    return [headings[i] for i in keep], [[line[i] for i in keep] for line in lines]


def _class_grid(rows: list[Quantity], classes: list[str]) -> Grid:
    by_name: dict[str, dict[str | None, Quantity]] = {}
    for row in rows:
        by_name.setdefault(_name(row), {})[row.job_class] = row
    lines = []
    for name, found in by_name.items():
        cells = [_value(found[c], 7) if c in found else "" for c in (None, *classes)]
        first = next(iter(found.values()))
        lines.append([name, *cells, first.kind, first.method])
    return ["quantity", "all jobs", *classes, "kind", "method"], lines


def _name(row: Quantity) -> str:
    return row.name if row.level is None else f"{row.name} {row.level:g} %"


def _value(row: Quantity, digits: int) -> str:
    if row.low is None or row.high is None:
        return write_number(row.value, digits)
    # An interval says how many digits are worth showing.
    return f"{write_number(row.value, 6)} ({write_number(row.low, 5)} to {write_number(row.high, 5)})"
