"""Rows of texts separated by one character, block by block: lines with too many or too few columns are set apart.

Delimiters are counted line by line on the bytes; only what has the right number goes to pyarrow, which splits it
without making a single Python object. So every line is either a row of the table or known as bad, with its number.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from msj.logs.opening import blocks_of

Repair: TypeAlias = Callable[[list[str]], "list[str] | None"]  # from too many columns to the right ones, if it can
SHOWN = 5  # bad lines that are described
QUOTE = ord('"')


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The delimiter, the columns' names, whether the first line is the header, and whether texts may be quoted."""

    delimiter: str
    names: tuple[str, ...]
    has_header: bool
    quoted: bool


@dataclass(frozen=True, kw_only=True)
class Part:
    """Rows of one block: a pyarrow table of binary columns, the line of each row, and the lines that are bad."""

    table: Any
    line: NDArray[np.int64]
    bad: list[tuple[int, str]]


def parts_of(stream: IO[bytes], layout: Layout, wanted: list[str], repair: Repair | None = None) -> Iterator[Part]:
    """Return the rows with the ``wanted`` columns; ``repair`` may mend a line of too many columns."""
    first = 1
    for block in blocks_of(stream):
        text = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block
        part, lines = _part(text, layout, wanted, first, repair)
        first += lines
        yield part


def _part(text: bytes, layout: Layout, wanted: list[str], first: int, repair: Repair | None) -> tuple[Part, int]:
    """Return the rows of a block, whose first line has this number, and how many lines it has."""
    starts, ends, good, doubtful = _judged(text, layout, header=layout.has_header and first == 1)
    bad: list[tuple[int, str]] = []
    mended: dict[int, bytes] = {}
    for i in np.flatnonzero(doubtful):
        line = text[starts[i] : ends[i]]
        cells = _split(line, layout)
        if len(cells) != len(layout.names) and repair is not None:
            cells = repair(cells) or cells
        if len(cells) == len(layout.names):
            mended[int(i)] = _joined(cells, layout)
        else:
            said = f"has {len(cells)} columns, not {len(layout.names)}: '{line[:40].decode('utf-8', 'replace')}'"
            bad.append((first + int(i), said))
    rows = np.sort(np.append(np.flatnonzero(good), list(mended)).astype(np.int64))
    # Good lines that follow each other are taken in one piece; a mended one is a piece of its own.
    runs = np.split(rows, np.flatnonzero((np.diff(rows) != 1) | ~good[rows[1:]] | ~good[rows[:-1]]) + 1)
    pieces = [mended.get(int(run[0]), text[starts[run[0]] : ends[run[-1]]]) for run in runs if len(run)]
    table = _table(b"\n".join(pieces), layout, wanted, len(rows))
    return Part(table=table, line=rows + first, bad=bad), len(ends)


def _judged(text: bytes, layout: Layout, *, header: bool) -> tuple[Any, Any, Any, Any]:
    """Return where lines begin and end, which surely have the right columns, and which must be looked at one by one."""
    data = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    if not len(data) or data[-1] != ord("\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate([[0], ends[:-1] + 1])
    count = _inside(data == ord(layout.delimiter), starts, ends)
    quotes = _inside(data == QUOTE, starts, ends) > 0 if layout.quoted else np.zeros(len(ends), dtype=bool)
    nothing = starts == ends
    for i in np.flatnonzero((count == 0) & ~nothing):
        nothing[i] = not text[starts[i] : ends[i]].strip()
    if header:
        nothing[np.argmin(nothing)] = True
    good = ~nothing & ~quotes & (count == len(layout.names) - 1)
    return starts, ends, good, ~good & ~nothing


def _inside(marked: Any, starts: Any, ends: Any) -> Any:
    """Return how many bytes of each line are marked."""
    before = np.searchsorted(np.flatnonzero(marked), np.stack([starts, ends]))
    return before[1] - before[0]


def _split(line: bytes, layout: Layout) -> list[str]:
    text = line.decode("utf-8", "replace")
    if not layout.quoted:
        return text.split(layout.delimiter)
    try:
        return next(csv.reader([text], delimiter=layout.delimiter), [])
    except csv.Error:
        return []


def _joined(cells: list[str], layout: Layout) -> bytes:
    # What was inside quotes may hold the delimiter; nobody computes with such texts, so it is replaced.
    return layout.delimiter.join(cell.replace(layout.delimiter, " ").replace('"', " ") for cell in cells).encode()


def _table(body: bytes, layout: Layout, wanted: list[str], rows: int) -> Any:
    import pyarrow
    import pyarrow.csv

    places = [layout.names.index(name) for name in wanted]
    if not rows:
        return pyarrow.table({name: pyarrow.array([], type=pyarrow.binary()) for name in wanted})
    numbered = [str(i) for i in range(len(layout.names))]
    table = pyarrow.csv.read_csv(
        pyarrow.BufferReader(body),
        read_options=pyarrow.csv.ReadOptions(column_names=numbered, use_threads=False, block_size=1 << 24),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=layout.delimiter, quote_char=False, double_quote=False, ignore_empty_lines=True
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(numbered, pyarrow.binary()),
            include_columns=[str(place) for place in places],
            strings_can_be_null=False,
        ),
    )
    assert len(table) == rows, f"{len(table)} rows of {rows} lines"
    return table.rename_columns(wanted)
