"""Texts in columns that fit a width: numbers stay whole, sentences wrap, headings break, wide grids are cut up.

If the columns do not fit side by side, the first ones (which say what a line is about) are repeated in front of the
next lot of columns; lines of which a lot has nothing are left out there. No cell is left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence

WIDTH = 80
GAP = 2
SENTENCE = 18  # a column of sentences may wrap, down to this width
LABEL = 38  # what a line is about may wrap, down to this width
_NUMBER = re.compile(r"^[+−-]?[\d.(]")  # also how intervals begin


def write_grid(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    width: int = WIDTH,
    labels: int = 1,
    emphasise: Callable[[str], str] = str,
) -> str:
    """Return texts in aligned columns, at most ``width`` wide where no single word or number is wider.

    ``emphasise`` is applied to the lines of the headings.

    Examples
    --------
    >>> print(write_grid(["policy", "mean_response_time"], [["fcfs", "7.5"], ["first-fit", "4.25"]], width=24))
    policy     mean_
               response_time
    fcfs       7.5
    first-fit  4.25
    """
    lines = [list(row) for row in rows]
    columns = [_Column(heading, [row[i] for row in lines]) for i, heading in enumerate(headings)]
    for column in columns[:labels]:  # a label wraps only if that is what it takes
        column.wraps = column.wraps and column.widest > LABEL
    parts = _parts(columns, width, labels)
    lots = [_with_content(part, labels) for part in parts] if len(parts) > 1 else parts
    return "\n\n".join(_write(lot, width, emphasise) for lot in lots)


def wrap_sentences(text: str, width: int = WIDTH) -> str:
    """Return sentences broken at spaces only, so that names and numbers stay whole; lines of their own stay so."""
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n")
    )


class _Column:
    def __init__(self, heading: str, cells: list[str]) -> None:
        self.heading, self.cells = heading, cells
        self.wraps = any(" " in cell and len(cell) > SENTENCE and not _NUMBER.match(cell) for cell in cells)
        self.widest = max(map(len, cells), default=0)
        self.longest_word = max((len(word) for cell in cells for word in cell.split()), default=0)
        self.width = 0

    @property
    def least(self) -> int:
        body = max(SENTENCE, self.longest_word) if self.wraps else self.widest
        return max(body, max(map(len, _broken(self.heading, max(body, 12)))))

    @property
    def natural(self) -> int:
        return max(self.widest, len(self.heading))


def _parts(columns: list[_Column], width: int, labels: int) -> list[list[_Column]]:
    """Cut the columns into lots that fit, each with the labels in front."""
    if _sum(c.least for c in columns) <= width:
        return [columns]
    first, rest = columns[:labels], columns[labels:]
    lots: list[list[_Column]] = []
    for column in rest:
        if lots and _sum(c.least for c in (*first, *lots[-1], column)) <= width:
            lots[-1].append(column)
        else:
            lots.append([column])
    return [[*first, *lot] for lot in lots] or [first]


def _with_content(columns: list[_Column], labels: int) -> list[_Column]:
    """Return the columns without the lines in which only the labels say something."""
    kept = [i for i in range(len(columns[0].cells)) if any(column.cells[i] for column in columns[labels:])]
    found = []
    for column in columns:
        fewer = _Column(column.heading, [column.cells[i] for i in kept])
        fewer.wraps = column.wraps
        found.append(fewer)
    return found


def _sum(widths: Iterable[int]) -> int:
    found = list(widths)
    return sum(found) + GAP * (len(found) - 1)


def _write(columns: list[_Column], width: int, emphasise: Callable[[str], str]) -> str:
    _share_out(columns, width)
    heads = [_broken(c.heading, c.width) for c in columns]
    lines = [emphasise(line) for line in _beside(heads, columns)]
    for i in range(len(columns[0].cells)):
        cells = [wrap_sentences(c.cells[i], c.width).split("\n") if c.wraps else [c.cells[i]] for c in columns]
        lines += _beside(cells, columns)
    return "\n".join(lines)


def _share_out(columns: list[_Column], width: int) -> None:
    """Give every column its least width, then what is left: to headings first, then to the longest sentences."""
    for column in columns:
        column.width = column.least
    for column in columns:
        if not column.wraps:
            spare = width - _sum(c.width for c in columns)
            column.width += max(min(spare, column.natural - column.width), 0)
    for _ in range(width - _sum(c.width for c in columns)):
        cramped = [c for c in columns if c.wraps and c.width < c.natural]
        if cramped:
            max(cramped, key=lambda c: c.natural / c.width).width += 1


def _beside(cells: list[list[str]], columns: list[_Column]) -> list[str]:
    height = max(map(len, cells))
    padded = [cell + [""] * (height - len(cell)) for cell in cells]
    return [
        (" " * GAP).join(cell[k].ljust(c.width) for cell, c in zip(padded, columns, strict=True)).rstrip()
        for k in range(height)
    ]


def _broken(heading: str, room: int) -> list[str]:
    """Break a heading after underscores, hyphens and spaces; a word that is still too long, anywhere."""
    lines = [""]
    for part in re.findall(r"[^_ -]+[_ -]?|[_ -]", heading):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > room:
            lines.append("")
        lines[-1] += part
    return [piece.rstrip() for line in lines for piece in textwrap.wrap(line, max(room, 8)) or [""]]
