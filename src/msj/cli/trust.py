"""Files that name Python code: ask before it is run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from msj.errors import InvalidInput

Command = TypeVar("Command", bound=Callable[..., Any])


def trust_option(command: Command) -> Command:
    """Add --trust."""
    option = click.option("--trust", is_flag=True, help="Run the Python files that FILE names without asking.")
    return option(command)


@contextmanager
def asking_first(named_by: Path | None, *, trust: bool) -> Iterator[None]:
    """Ask before a function file is run, once for each; without a terminal that is an error unless it is trusted.

    Parameters
    ----------
    named_by
        The file that names the code.
    trust
        Whether to run it without asking.
    """
    from msj.disciplines.function_file import confirming

    confirmed: set[Path] = set()

    def confirm(path: Path) -> None:
        if trust or path in confirmed:
            return
        if not sys.stdin.isatty():
            raise InvalidInput(
                f"'{named_by}' names the Python file '{path}', which would be run; read it first, then add --trust"
            )
        if not click.confirm(f"{named_by} names the Python file '{path}', which will be run. Run it?", err=True):
            raise InvalidInput(f"'{path}' was not run; read it first, then answer yes or add --trust")
        confirmed.add(path)

    with confirming(confirm):
        yield
