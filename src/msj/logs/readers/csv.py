"""A table with one job per line and a header: commas, semicolons, tabs or bars between the columns, texts in quotes.

Which column is what, ``tables`` finds out. A line break inside quotes is not understood: such lines are bad.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from msj.errors import InvalidInput
from msj.logs.delimited import SHOWN, Layout, parts_of
from msj.logs.opening import head_of, opened
from msj.logs.reader import LogReader
from msj.logs.reason import Reason
from msj.logs.rows import Rows
from msj.logs.stacking import begun, in_turn, stacked, unlikely
from msj.logs.tables import columns_of, rows_of
from msj.options import ReadOptions

DELIMITERS = ",;\t|"


class Csv(LogReader):
    """Comma-separated values."""

    name: ClassVar[str] = "csv"
    summary: ClassVar[str] = "a table with a header; --columns says which column is what"

    def likeness(self, head: bytes) -> float:
        if b"\0" in head:
            return 0.0
        lines = [line for line in head.splitlines()[:20] if line.strip()]
        delimiter = _delimiter(lines[0].decode("utf-8", "replace")) if lines else None
        if delimiter is None or lines[0].startswith(delimiter.encode()):
            return 0.0
        counts = [line.count(delimiter.encode()) for line in lines[: max(len(lines) - 1, 1)]]
        return 0.5 if counts.count(counts[0]) > len(counts) // 2 else 0.1

    def read(self, path: Path, options: ReadOptions) -> Rows:
        layout = _layout(head_of(path), options)
        chosen, unit, notes = columns_of(layout.names, options)
        wanted = list(dict.fromkeys(chosen.values()))
        parts: list[tuple[dict[str, Any], list[int]]] = []
        bad: list[tuple[int, str]] = []
        with opened(path) as stream:
            for part in parts_of(stream, layout, wanted):
                parts.append((rows_of(part.table, part.line, chosen, unit), [line for line, _ in part.bad]))
                bad += part.bad[: max(SHOWN - len(bad), 0)]
                bad += _unread(parts[-1][0], SHOWN - len(bad))
        together, said = in_turn(stacked(parts))
        columns, begins = begun(together)
        notes += [*said, *unlikely(begins)]
        return Rows(columns=columns, notes=tuple(notes), bad=tuple(bad), begins=begins)


def _unread(columns: dict[str, Any], most: int) -> list[tuple[int, str]]:
    lines = columns["line"][columns["reason"] == Reason.BAD_LINE.code]
    return [(int(line), "has something that cannot be read as a time or a number") for line in lines[: max(most, 0)]]


def _delimiter(header: str) -> str | None:
    found = max(DELIMITERS, key=header.count)
    return found if header.count(found) else None


def _layout(head: bytes, options: ReadOptions) -> Layout:
    import csv

    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = _delimiter(first)
    if delimiter is None or first.startswith(delimiter):
        raise InvalidInput(f"is no table: its first line is '{first[:40]}'; give one with a header and commas")
    names = tuple(cell.strip() for cell in next(csv.reader([first], delimiter=delimiter)))
    has_header = not all(_is_number(name) for name in names if name)
    numbered = bool(options.columns) and all(column.isdigit() for column in options.column_of.values())
    if not has_header and not numbered:
        raise InvalidInput("has no header; number its columns: --columns submit=1,need=2,run=3")
    if not has_header:
        names = tuple(str(i + 1) for i in range(len(names)))
    if doubled := [name for name in names if names.count(name) > 1 and name]:
        raise InvalidInput(f"has two columns '{doubled[0]}'; rename one of them")
    return Layout(delimiter=delimiter, names=names, has_header=has_header, quoted=True)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


VARIANT = Csv
