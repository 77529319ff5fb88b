"""Results on the terminal: a table for people, JSON or CSV for programs; and the exit code that goes with them."""

from __future__ import annotations

import io
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

from msj.cli.messages import CONTROL, colour_is_welcome, echo, explain, manners, printable, say
from msj.results import KINDS, Result
from msj.results.grid import WIDTH, write_grid

# How sure a number is shows at a glance; the word is always there as well.
STYLES = {"exact": "green", "simulated": "yellow", "asymptotic": "yellow", "bound": "cyan", "unstable": "red"}
_FIRST_WORD = re.compile(rf"^({'|'.join(KINDS)}|.*: unstable)(?=[,:;])", re.MULTILINE)


def show_result(result: Result, *, as_json: bool, as_csv: bool = False, names: Collection[str] | None = None) -> None:
    """Print a result in the form asked for; ``names`` are the quantities that a table for people shows."""
    if (as_json or as_csv) and isinstance(result.quantities, Sequence) and not isinstance(result.quantities, tuple):
        _stream(result, as_json=as_json)
        return
    if as_json:
        show_json(result.to_dict())
        return
    if manners().verbose:
        explain(result.to_dict())
    if as_csv:
        echo(result.to_csv(), nl=False)
        return
    shown = result if names is None else result.named(names)
    click.echo(_coloured(printable(shown.to_text(width=screen_width()))))
    if len(shown) < len(result):
        left_out = len(result) - len(shown)
        click.echo(f"\n({left_out} more rows, per class and percentiles among them: --json or --csv)")


class _Echo(io.TextIOBase):
    """Prints what is written to it, some thousand characters at a time."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self.size = 0

    def write(self, text: str) -> int:
        self.held.append(text)
        self.size += len(text)
        if self.size > 1 << 16:
            self.flush()
        return len(text)

    def flush(self) -> None:
        text, self.held, self.size = "".join(self.held), [], 0
        if text:
            click.echo(text, nl=False)


def _stream(result: Result, *, as_json: bool) -> None:
    """Print a result row by row: a sweep may have millions of rows, kept as columns."""
    if manners().verbose:
        explain(replace(result, quantities=()).to_dict())
    out = _Echo()
    if as_json:
        _write_json(result, out)
    else:
        result.write_csv(out)  # type: ignore[arg-type]
    out.flush()


def _write_json(result: Result, out: io.TextIOBase) -> None:
    """Write what :func:`show_json` would."""
    text = json.dumps(replace(result, quantities=()).to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    before, empty, after = text.partition('"quantities": []')
    assert empty
    out.write(f'{before}"quantities": [')
    comma = ""
    for row in result:
        written = json.dumps(row.to_dict(result.time_unit), indent=2, ensure_ascii=False, allow_nan=False)
        out.write(f"{comma}\n    {written.replace(chr(10), chr(10) + '    ')}")
        comma = ","
    out.write(f"{chr(10) + '  ' if comma else ''}]{after}\n")


def tell_gaps(result: Result, *, as_csv: bool) -> None:
    """Say on stderr what has no answer and why, where CSV has no room for sentences."""
    for sentence in (*result.notes, *map(str, result.missing)) if as_csv else ():
        say(sentence)


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
