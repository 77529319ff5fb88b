"""Rows of quantities as a plain text table and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from msj.results.quantity import Quantity

HEADINGS = ("quantity", "class", "value", "kind", "method", "citation")


def write_number(value: float) -> str:
    """Write a number the way people read it: ten significant digits, no trailing zeros.

    Examples
    --------
    >>> write_number(0.9), write_number(7.517772123456), write_number(1e-15)
    ('0.9', '7.517772123', '1e-15')
    """
    return f"{value:.10g}"


def cells(row: Quantity) -> tuple[str, ...]:
    """Return the row as the texts of a table."""
    value = write_number(row.value)
    if row.low is not None and row.high is not None:
        value = f"{value} ({write_number(row.low)} to {write_number(row.high)})"
    name = row.name if row.level is None else f"{row.name} {row.level:g} %"
    return (name, row.job_class or "", value, row.kind, row.method, row.citation)


def shown_columns(rows: Iterable[tuple[str, ...]]) -> list[int]:
    """Return the columns worth showing: those in which some row says something."""
    return [i for i in range(len(HEADINGS)) if any(row[i] for row in rows)]


def write_table(quantities: Iterable[Quantity]) -> str:
    """Return the rows as an aligned text table."""
    rows = [cells(row) for row in quantities]
    if not rows:
        return "(no quantities)"
    keep = shown_columns(rows)
    lines = [tuple(line[i] for i in keep) for line in [HEADINGS, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(keep))]
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
