"""A table that fits a terminal.

Numbers and names stay whole, sentences wrap, headings break. If that is not enough, the columns that say how a number
was found are left out; if that is not enough either, rows become columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msj.cli.messages import colour_is_welcome

GAP = 2
SENTENCE = 18  # a column of longer texts with spaces may wrap, down to this width
CAN_BE_LEFT_OUT = ("citation", "method")
# How sure a number is shows at a glance; the word is always there as well.
STYLES = {"exact": "green", "simulated": "yellow", "asymptotic": "yellow", "bound": "cyan", "unstable": "red"}


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print texts in columns on the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(color_system="auto" if colour_is_welcome() else None)
    kept, shown = fitted(headings, rows, console.width)
    if _least(shown, [[row[i] for row in rows] for i in kept], range(len(kept))) > console.width:
        turned = [[heading, *(row[i] for row in rows)] for i, heading in enumerate(headings)]
        columns = [list(column) for column in zip(*turned[1:], strict=True)]
        if _least(turned[0], columns, range(len(columns))) <= console.width:
            headings, rows = turned[0], turned[1:]
            kept, shown = list(range(len(headings))), list(headings)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for i, heading in zip(kept, shown, strict=True):
        cells = [row[i] for row in rows]
        table.add_column(Text(heading, style="bold"), overflow="fold", no_wrap=not _wraps(heading, cells))
    for row in rows:
        table.add_row(*(Text(row[i], style=STYLES.get(row[i], "")) for i in kept))
    console.print(table)
    left_out = [heading for i, heading in enumerate(headings) if i not in kept]
    if left_out:
        console.print(f"(no room for {' and '.join(left_out)}; --json has all)", highlight=False)


def fitted(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> tuple[list[int], list[str]]:
    """Return which columns fit, and their headings with line breaks where they need them.

    Examples
    --------
    >>> fitted(["quantity", "value", "method"], [["mean_waiting_time", "6.18", "a rather long text about it"]], 30)
    ([0, 1], ['quantity', 'value'])
    >>> fitted(["mean_response_time", "outcome"], [["6.18", "solved"]], 20)
    ([0, 1], ['mean_response_\\ntime', 'outcome'])
    """
    columns = [[row[i] for row in rows] for i in range(len(headings))]
    shown = list(headings)
    if _least(shown, columns, range(len(shown))) > width:
        shown = [_broken(heading, cells) for heading, cells in zip(headings, columns, strict=True)]
    kept = list(range(len(headings)))
    for name in CAN_BE_LEFT_OUT:
        if _least(shown, columns, kept) > width and name in headings:
            kept.remove(list(headings).index(name))
    return kept, [shown[i] for i in kept]


def _least(headings: list[str], columns: list[list[str]], kept: Sequence[int]) -> int:
    return sum(_least_width(headings[i], columns[i]) + GAP for i in kept) - GAP


def _least_width(heading: str, cells: list[str]) -> int:
    longest = max(map(len, cells), default=0)
    return max(SENTENCE if _wraps(heading, cells) else longest, max(map(len, heading.split("\n"))))


def _wraps(heading: str, cells: list[str]) -> bool:
    return heading != "quantity" and any(len(cell) > SENTENCE and " " in cell for cell in cells)


def _broken(heading: str, cells: list[str]) -> str:
    """Break a heading that is wider than what stands below it, after underscores and spaces."""
    room = max([14, *map(len, cells)]) if not _wraps(heading, cells) else SENTENCE
    lines = [""]
    for part in re.findall(r"[^_ ]+[_ ]?", heading):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)
