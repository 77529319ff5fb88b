"""Results on the terminal: a coloured table for people, plain text, JSON or CSV for everything else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from msj.results import Result
from msj.results.table import HEADINGS, cells, shown_columns, write_csv, write_table


def show_result(result: Result, *, as_json: bool, as_csv: bool) -> None:
    """Print a result in the form asked for."""
    if as_json:
        show_json(result.to_dict())
    elif as_csv:
        click.echo(write_csv(result.quantities), nl=False)
    else:
        click.echo(f"{result.system.get('name') or 'system'}: {result.outcome.value}\n")
        rows = [cells(row) for row in result.quantities]
        keep = shown_columns(rows)
        if sys.stdout.isatty():
            show_grid([HEADINGS[i] for i in keep], [[row[i] for i in keep] for row in rows])
        else:  # a file or a pipe has no width: nothing is wrapped or cut
            click.echo(write_table(result.quantities))
        for note in result.notes:
            click.echo(f"\n{note}")


def show_json(document: Any) -> None:
    """Print a document as JSON."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def show_grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print texts in columns; numbers (the column 'value') to the right on a terminal."""
    rows = [list(row) for row in rows]
    if not sys.stdout.isatty():
        lines = [list(headings), *rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]
        for line in lines:
            click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, style="bold" if heading == "value" else "")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
