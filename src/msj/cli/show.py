"""Results on the terminal: a table for people, JSON or CSV for programs; and the exit code that goes with them."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from msj.cli.messages import CONTROL, colour_is_welcome, echo, explain, printable, say
from msj.results import KINDS, Result
from msj.results.grid import WIDTH, write_grid

# How sure a number is shows at a glance; the word is always there as well.
STYLES = {"exact": "green", "simulated": "yellow", "asymptotic": "yellow", "bound": "cyan", "unstable": "red"}
_FIRST_WORD = re.compile(rf"^({'|'.join(KINDS)}|.*: unstable)(?=[,:;])", re.MULTILINE)


def show_result(result: Result, *, as_json: bool, as_csv: bool = False, names: Collection[str] | None = None) -> None:
    """Print a result in the form asked for; ``names`` are the quantities that a table for people shows."""
    if as_json:
        show_json(result.to_dict())
        return
    explain(result.to_dict())
    if as_csv:
        echo(result.to_csv(), nl=False)
        return
    shown = result
    if names is not None:
        rows = tuple(row for row in result if row.name in names and row.job_class is None)
        shown = replace(result, quantities=rows)
    click.echo(_coloured(printable(shown.to_text(width=screen_width()))))
    if len(shown) < len(result):
        left_out = len(result) - len(shown)
        click.echo(f"\n({left_out} more rows, per class and percentiles among them: --json or --csv)")


def leave(result: Result) -> None:
    """Leave with the exit code that goes with the outcome, if it is not 0."""
    if result.outcome.exit_code:
        raise click.exceptions.Exit(result.outcome.exit_code)


def draw_to(plot: Path | None, draw: Callable[[Any], Any], result: Result) -> None:
    """Draw a result into a file, if one is asked for."""
    if plot is not None:
        from msj.plots.figure import save

        save(draw(result), plot)
        say(f"drawn: {plot}")


def show_json(document: Any) -> None:
    """Print a document as JSON."""
    if isinstance(document, dict):
        explain(document)
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    click.echo(CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text))  # as JSON writes them


def show_grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print texts in columns that fit the screen."""
    emphasise = partial(click.style, bold=True) if colours() else str
    headings, rows = [printable(text) for text in headings], [[printable(cell) for cell in row] for row in rows]
    click.echo(write_grid(headings, rows, width=screen_width(), emphasise=emphasise))


def screen_width() -> int:
    """Return the width of the terminal; 80 in a file or a pipe."""
    return max(shutil.get_terminal_size().columns, 40) if sys.stdout.isatty() else WIDTH


def colours() -> bool:
    """Whether what is printed may be coloured."""
    return sys.stdout.isatty() and colour_is_welcome()


def _coloured(text: str) -> str:
    if not colours():
        return text
    return _FIRST_WORD.sub(lambda found: click.style(found[0], fg=STYLES.get(found[0].split()[-1])), text)
