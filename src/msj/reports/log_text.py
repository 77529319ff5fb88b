"""A log, and replays of it, as a page of text: what stands out, then small tables."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from msj.answers.log import LogResult
from msj.reports import log_contents as contents
from msj.reports.replay_text import needs_table, policies_table
from msj.reports.tables import Table
from msj.results import Result
from msj.results.grid import write_grid


def write_log_text(found: LogResult, *, width: int = 96, heading: Callable[[str], str] = str.upper) -> str:
    """Return the page of text; ``heading`` says how a section's title is written."""
    lines = [f"{found.title}: {contents.summary(found)}"]
    for finding in contents.findings(found):
        lines += wrapped(f"{finding.sentence} ({finding.kind})", "  * ", width)
    sections: list[tuple[str, Table]] = [
        ("what was read", contents.left_out_table(found)),
        ("jobs by need", contents.needs_table(found)),
        ("waits: so many per cent of the jobs waited at most so long", contents.waits_table(found)),
        *((f"waits by {name}", contents.waits_table(found, name)) for name in ("class", "queue", "partition", "user")),
    ]
    for title, table in sections:
        if table.rows:
            lines += ["", heading(title), table_lines(table, width)]
    notes = [*found.trace.notes, *map(str, found.missing)]
    if notes:
        lines += ["", heading("notes")]
        for note in notes:
            lines += wrapped(note, "  - ", width)
    return "\n".join(lines)


def write_replay_text(found: Result, *, width: int = 96, heading: Callable[[str], str] = str.upper) -> str:
    """Return replays as a page of text."""
    lines = [f"{found.provenance['jobs']:,} jobs on {found.system['servers']:,} servers"]
    for title, table in (
        ("waits: so many per cent of the jobs waited at most so long; bounded slowdown", policies_table(found)),
        ("mean wait by need", needs_table(found)),
    ):
        if table.rows:
            lines += ["", heading(title), table_lines(table, width)]
    if found.notes:
        lines += ["", heading("notes")]
        for note in found.notes:
            lines += wrapped(note, "  - ", width)
    return "\n".join(lines)


def table_lines(table: Table, width: int) -> str:
    """Return a table as text, indented."""
    lines = (table.headings, *table.rows)
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.headings))]
    headings, *rows = (
        [cell.rjust(size) if right else cell for cell, size, right in zip(line, widths, table.numbers, strict=True)]
        for line in lines
    )
    return textwrap.indent(write_grid(headings, rows, width=width - 2), "  ")


def wrapped(sentence: str, bullet: str, width: int) -> list[str]:
    """Return a sentence in lines behind a bullet; a number stays beside its per cent sign."""
    kept = sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(kept, width, initial_indent=bullet, subsequent_indent="    ", break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
