"""Rows of quantities as tables for people.

Rows without coordinates are grouped by where they come from (kind, method, citation), which is said once above each
group; single numbers are listed below it, what exists per class stands side by side. Rows with coordinates become one
table for each set of coordinates (loads down, quantities across, or the other way round where there are more
quantities), followed by where its columns come from. The same blocks are written as text and as HTML.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msj.results.coordinates import COORDINATES, At, Place, write_place
from msj.results.grid import WIDTH, write_grid
from msj.results.quantity import Quantity
from msj.results.units import beside

Source: TypeAlias = tuple[str, str, str]  # kind, method, citation
Column: TypeAlias = tuple[str, str | None]  # label, class
MOST_LINES = 25  # of a table for people; of a longer one evenly spaced lines are shown


@dataclass(frozen=True, kw_only=True)
class Block:
    """A table: what it is about, headings and cells, and remarks below; ``labels`` columns say what a line is.

    A list of single numbers has no headings.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    remarks: tuple[str, ...] = ()


def blocks_of(
    quantities: Iterable[Quantity], *, most_lines: int = MOST_LINES, time_unit: str | None = None
) -> list[Block]:
    """Return the tables that show these rows; what has time in it says the unit, if that is known."""
    plain: dict[Source, list[Quantity]] = {}
    placed: dict[tuple[str, ...], list[Quantity]] = {}
    for row in quantities:
        if row.at:
            placed.setdefault(tuple(row.at), []).append(row)
        else:
            plain.setdefault(_source(row), []).append(row)
    found = [_plain_block(rows, time_unit) for rows in plain.values()]
    return found + [_placed_block(rows, most_lines, time_unit) for rows in placed.values()]


def write_table(
    quantities: Iterable[Quantity],
    *,
    width: int = WIDTH,
    most_lines: int = MOST_LINES,
    time_unit: str | None = None,
) -> str:
    """Return the rows as text at most ``width`` columns wide.

    Examples
    --------
    >>> rows = [Quantity(name="mean_response_time", value=value, kind="exact", method="QBD", at={"load": load})
    ...         for load, value in ((0.5, 2.8154), (0.8, 7.5178))]
    >>> print(write_table(rows))
    exact, by QBD
    load  mean_response_time
    0.5   2.8154
    0.8   7.5178
    """
    blocks = blocks_of(quantities, most_lines=most_lines, time_unit=time_unit)
    longest = max((len(line[0]) for block in blocks if not block.headings for line in block.rows), default=0)
    text = ""
    for before, block in zip([None, *blocks], blocks, strict=False):
        if before is not None:  # lists follow each other closely
            text += "\n" if not (before.headings or block.headings) else "\n\n"
        text += "\n".join([*_wrapped(block.title, width), _body(block, width, longest)])
        text += "".join(f"\n{line}" for line in _wrapped("\n".join(block.remarks), width))
    return text or "(no quantities)"


def _body(block: Block, width: int, longest: int) -> str:
    if block.headings:
        return write_grid(block.headings, block.rows, width=width, labels=block.labels)
    return "\n".join(f"  {label.ljust(longest)}  {value}".rstrip() for label, value in block.rows)


def write_number(value: float, digits: int = 10) -> str:
    """Write a number the way people read it: significant digits, no trailing zeros.

    Examples
    --------
    >>> write_number(0.9), write_number(7.517772123456), write_number(1e-15)
    ('0.9', '7.517772123', '1e-15')
    """
    return f"{value:.{digits}g}"


def write_value(row: Quantity, digits: int = 10) -> str:
    """Write a value with its interval, no more digits than the interval is worth.

    Examples
    --------
    >>> found = Quantity(name="x", value=7.5178, kind="simulated", method="", low=7.41, high=7.6256)
    >>> write_value(found), write_value(found.replace(low=7.5)), write_value(found.replace(low=None, high=None))
    ('7.52 ± 0.11', '7.518 (7.5 to 7.626)', '7.5178')
    """
    if row.formula is not None and (math.isnan(row.value) or len(row.formula) <= 24):
        return row.formula if math.isnan(row.value) else f"{row.formula} = {write_number(row.value, digits)}"
    if row.interval is None:
        return "" if math.isnan(row.value) else write_number(row.value, digits)
    low, high = row.interval
    half = (high - low) / 2.0
    if half == 0:
        return write_number(row.value, digits)
    centred = abs(low + half - row.value) <= 0.05 * half
    if half > 0 and math.isfinite(half) and centred and row.kind != "replayed":  # there it is no error, but a bracket
        places = 1 - math.floor(math.log10(half))
        if 0 <= places <= 8 and abs(row.value) < 1e6:
            return f"{row.value:.{places}f} ± {half:.{places}f}"
        return f"{write_number(row.value, 6)} ± {write_number(half, 2)}"
    return f"{write_number(row.value, 4)} ({write_number(low, 4)} to {write_number(high, 4)})"


def _source(row: Quantity) -> Source:
    return row.kind, row.method, row.citation


def _in_words(source: Source) -> str:
    kind, method, citation = source
    return kind + (f", by {method}" if method else "") + (f" ({citation})" if citation else "")


def _plain_block(rows: list[Quantity], time_unit: str | None) -> Block:
    classes = list(dict.fromkeys(row.job_class for row in rows if row.job_class is not None))
    lines: dict[str, dict[str | None, Quantity]] = {}
    for row in rows:
        lines.setdefault(row.label_in(time_unit), {})[row.job_class] = row
    digits = 7 if classes else 10
    across: list[str | None] = [*([None] if any(None in found for found in lines.values()) else []), *classes]
    return Block(
        title=_in_words(_source(rows[0])),
        headings=("quantity", *("all jobs" if c is None else c for c in across)) if classes else (),
        rows=tuple(
            (label, *(write_value(found[c], digits) if c in found else "" for c in across))
            for label, found in lines.items()
        ),
    )


def _placed_block(rows: list[Quantity], most_lines: int, time_unit: str | None) -> Block:
    """One table for rows with the same coordinates; what does not vary is said above it."""
    fixed = {k: v for k, v in rows[0].at.items() if len({row.at[k] for row in rows}) == 1 and len(set_of(rows)) > 1}
    varying = [name for name in rows[0].at if name not in fixed]
    places = list(dict.fromkeys(tuple(row.at[name] for name in varying) for row in rows))
    columns = list(dict.fromkeys((row.label_in(time_unit), row.job_class) for row in rows))
    cells = {(tuple(row.at[name] for name in varying), (row.label_in(time_unit), row.job_class)): row for row in rows}
    sources = list(dict.fromkeys(_source(row) for row in rows))
    title = [f"at {_said_at(fixed, time_unit)}"] if fixed else []
    remarks: list[str] = []
    if len(sources) == 1:
        title.insert(0, _in_words(sources[0]))
    else:
        remarks = [_said_of(source, rows, varying, len(columns)) for source in sources]
    if len(columns) > max(len(places), 3) and len(varying) == 1 and len(places) <= 12:
        headings = (_axis(varying[0], time_unit), *(write_place(place[0]) for place in places))
        lines = [(_heading(c), *(_cell(cells.get((place, c))) for place in places)) for c in columns]
        labels = 1
    else:
        headings = (*(_axis(name, time_unit) for name in varying), *map(_heading, columns))
        lines = [
            (*map(write_place, place), *(_cell(cells.get((place, c))) for c in columns))
            for place in _thinned(places, most_lines)
        ]
        labels = len(varying)
        if len(lines) < len(places):
            remarks.insert(0, f"({len(lines)} of {len(places)} lines; --csv and --json have all)")
    return Block(
        title="; ".join(title), headings=headings, rows=tuple(lines), labels=max(labels, 1), remarks=tuple(remarks)
    )


def set_of(rows: Sequence[Quantity]) -> set[At]:
    """Return the different places the rows stand at."""
    return {At(row.at) for row in rows}


def _said_of(source: Source, rows: list[Quantity], varying: list[str], columns: int) -> str:
    """Say which rows come from a source: by quantity, or by place where the source depends on it."""
    mine = [row for row in rows if _source(row) == source]
    others = [row for row in rows if _source(row) != source]
    names = list(dict.fromkeys(row.name for row in mine))
    words = ", ".join(names) if len(names) < columns or columns == 1 else "all"
    if {row.name for row in others} & set(names):  # the same quantity has another source elsewhere
        apart = (name for name in varying if not {row.at[name] for row in mine} & {row.at[name] for row in others})
        told_by = next(apart, varying[-1])
        where = list(dict.fromkeys(write_place(row.at[told_by]) for row in mine))
        listed = ", ".join(where) if len(where) <= 4 else f"{where[0]} to {where[-1]}"
        words = f"{words} at {told_by} {listed}"
    return f"{words}: {_in_words(source)}"


def _heading(column: Column) -> str:
    label, job_class = column
    return label if job_class is None else f"{label} {job_class}"


def _axis(coordinate: str, time_unit: str | None) -> str:
    return beside(coordinate, COORDINATES[coordinate].unit or "1", time_unit)


def _said_at(fixed: Mapping[str, Place], time_unit: str | None) -> str:
    return ", ".join(f"{_axis(name, time_unit)} = {write_place(value)}" for name, value in fixed.items())


def _cell(row: Quantity | None) -> str:
    return "" if row is None else write_value(row, 7)


def _thinned(places: list[tuple[Place, ...]], most: int) -> list[tuple[Place, ...]]:
    if len(places) <= 2 * most:
        return places
    return [places[round(k * (len(places) - 1) / (most - 1))] for k in range(most)]


def _wrapped(text: str, width: int) -> list[str]:
    return [line for part in text.split("\n") if part for line in textwrap.wrap(part, width, subsequent_indent="  ")]
