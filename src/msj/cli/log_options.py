"""Options of the commands that read a log."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from msj.errors import InvalidInput, MsjError
from msj.results.units import time_unit

TABLES = (".csv", ".tsv", ".parquet")
Command = TypeVar("Command", bound=Callable[..., Any])


class LogPath(click.Path):
    """The path of a log; one that does not exist is answered with the nearest that does."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = Path(value)
        if not path.exists() and path.parent.is_dir():
            beside = sorted(p.name for p in path.parent.iterdir() if p.is_file())
            near = difflib.get_close_matches(path.name, beside, n=1, cutoff=0.5)
            fix = f"did you mean '{path.parent / near[0]}'?" if near else "check the path"
            raise InvalidInput(f"cannot be read (No such file or directory); {fix}").in_file(path)
        return super().convert(value, param, ctx)


log_file = click.argument("file", type=LogPath(), metavar="FILE")


def is_log(file: Path) -> bool:
    """Return whether a file is surely a log, and no description of a cluster."""
    from msj.logs.reading import format_of

    if file.suffix.lower() in (".toml", ".json") or not file.is_file():
        return False
    if file.suffix.lower() in TABLES:  # a table may have any columns, so that nothing in it makes sure
        return True
    try:
        return format_of(file) is not None
    except MsjError:
        return False


def require_programs(unit: str | None, for_programs: bool) -> None:
    """Refuse a unit that is no unit, before the log is read, and one for text, which chooses a unit for each time."""
    if unit is None:
        return
    time_unit(unit, "--unit")
    if not for_programs:
        raise click.UsageError(
            "--unit goes with --json or --csv; text and page give each time in the unit that fits it"
        )


def reading_options(command: Command) -> Command:
    """Add --servers and the options of :func:`format_options`."""
    size = click.option("--servers", type=int, metavar="N", help="The machine's size.  [default: as the log says]")
    return size(format_options(command))


def format_options(command: Command) -> Command:
    """Add --servers-are, --columns, --time-unit, --wait-from, --format and --strict."""
    for option in (
        click.option("--strict", is_flag=True, help="Refuse a log with a line that is no job."),
        click.option(
            "--format",
            "format",
            metavar="swf|sacct|csv|parquet",
            help="What the file is.  [default: found out]",
        ),
        click.option(
            "--wait-from",
            metavar="eligible|submit",
            default="eligible",
            show_default=True,
            help="Where a log has both: from when a job waits.",
        ),
        click.option("--time-unit", metavar="s|ms|min|h|...", help="Unit of times that are plain numbers in a table."),
        click.option(
            "--columns",
            metavar="submit=A,need=B,run=C[,estimate=D,wait=E]",
            default="",
            help="Which column has what; by name, or by number where there is no header.",
        ),
        click.option("--servers-are", metavar="cpus|nodes|gpus", help="What a server is.  [default: cpus, else nodes]"),
    ):
        command = option(command)
    return command
