"""Results on the terminal: a coloured table for people, plain text, JSON or CSV for everything else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from msj.results import Result
from msj.results.table import grids, write_csv, write_grid


def show_result(result: Result, *, as_json: bool, as_csv: bool) -> None:
    """Print a result in the form asked for."""
    if as_json:
        show_json(result.to_dict())
    elif as_csv:
        click.echo(write_csv(result.quantities), nl=False)
    else:
        click.echo(f"{result.system.get('name') or 'system'}: {result.outcome.value}")
        for headings, rows in grids(result.quantities):
            click.echo()
            show_grid(headings, rows)
        for note in result.notes:
            click.echo(f"\n{note}")


def show_json(document: Any) -> None:
    """Print a document as JSON."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def show_grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print texts in columns; on a terminal they are wrapped to its width, in a file or a pipe nothing is cut."""
    if not sys.stdout.isatty():
        click.echo(write_grid(headings, rows))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(Text(heading))
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
