"""Options that several commands share."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from msj.errors import InvalidInput, MsjError
from msj.model import System, read

Command = TypeVar("Command", bound=Callable[..., Any])

spec_file = click.argument("file", type=click.Path(path_type=Path), metavar="FILE")


def load_options(command: Command) -> Command:
    """Add --load, --arrival-rate and --utilisation, which replace what the file says."""
    for name, text in (
        ("--utilisation", "lambda * E[need x duration] / servers"),
        ("--arrival-rate", "jobs per unit of time (lambda)"),
        ("--load", "share of the stability threshold (lambda / lambda*)"),
    ):
        command = click.option(name, metavar="NUMBER", help=f"Replace the file's load by: {text}.")(command)
    return command


def output_options(command: Command) -> Command:
    """Add --json and --csv."""
    command = click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV.", callback=_not_both)(command)
    return click.option("--json", "as_json", is_flag=True, is_eager=True, help="Print everything as JSON.")(command)


def _not_both(context: click.Context, _: click.Parameter, as_csv: bool) -> bool:
    if as_csv and context.params.get("as_json"):
        raise click.UsageError("--json and --csv are both given; choose one")
    return as_csv


def read_system(file: Path, **loads: str | None) -> System:
    """Read the spec file and put the load from the command line in place of its own."""
    given = {key: value for key, value in loads.items() if value is not None}
    if len(given) > 1:
        flags = " and ".join("--" + key.replace("_", "-") for key in given)
        raise click.UsageError(f"{flags} are both given; say how much arrives in one way only")
    system = read(file)
    return system.replace(**given) if given else system


@contextmanager
def speaking_of(file: Path) -> Iterator[None]:
    """Name the file in whatever has to be said about it."""
    try:
        yield
    except MsjError as error:
        raise error.in_file(file) from None


def policy_from_text(text: str) -> Any:
    """Read a policy from the command line: a name, FILE.py:FUNCTION, or a table with options as in a spec file."""
    if not text.lstrip().startswith("{"):
        return text.strip()
    try:
        return tomllib.loads(f"policy = {text}")["policy"]
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(
            f"policy {text!r} is not a table ({error}); write {{ name = 'first-fit', window = 4 }}"
        ) from None


def policies_from_text(text: str) -> list[Any]:
    """Read policies separated by commas; commas inside a table's braces do not separate."""
    parts = re.split(r",(?![^{]*})", text)
    return [policy_from_text(part) for part in parts if part.strip()]
