"""Results on the terminal: a coloured table for people, plain text, JSON or CSV for everything else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from msj.cli.messages import explain
from msj.results import Result
from msj.results.table import grids, write_csv, write_grid


def show_result(result: Result, *, as_json: bool, as_csv: bool) -> None:
    """Print a result in the form asked for."""
    if as_json:
        show_json(result.to_dict())
        return
    explain(result.to_dict())
    if as_csv:
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
    if isinstance(document, dict):
        explain(document)
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def show_grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print texts in columns; on a terminal they are fitted to its width, in a file or a pipe nothing is cut."""
    if not sys.stdout.isatty():
        click.echo(write_grid(headings, rows))
        return
    from msj.cli.terminal_table import print_table

    print_table(headings, [list(row) for row in rows])
