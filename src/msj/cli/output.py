"""How a result leaves a command: as a table for people, as JSON or CSV for programs, as a picture."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from msj.cli.show import draw_to, show_result
from msj.options import Options, option
from msj.results import Result
from msj.results.units import time_unit


@dataclass(frozen=True, kw_only=True)
class Output(Options):
    """How a result is printed."""

    as_json: bool = option(False, "Print everything as JSON.", kind="flag", flags=("--json",))
    as_csv: bool = option(False, "Print the rows as CSV.", kind="flag", flags=("--csv",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.as_json and self.as_csv:
            raise click.UsageError("--json and --csv are both given; choose one")

    @property
    def for_programs(self) -> bool:
        """Whether programs read it."""
        return self.as_json or self.as_csv

    def require_programs(self, unit: str | None, *, also: bool = False) -> None:
        """Refuse a unit that is no unit, before a log is read, and one for text, which chooses a unit for each time.

        ``also`` is whether something else that is written has one unit.
        """
        if unit is None:
            return
        time_unit(unit, "--unit")
        if not (self.for_programs or also):
            raise click.UsageError(
                "--unit goes with --json or --csv; text and page give each time in the unit that fits it"
            )

    def show(self, result: Result, names: Collection[str] | None = None, *, unit: str | None = None) -> None:
        """Print a result; ``names`` are the quantities that a table for people shows."""
        result = result if unit is None else result.in_unit(unit)
        show_result(result, as_json=self.as_json, as_csv=self.as_csv, names=names)


@dataclass(frozen=True, kw_only=True)
class DrawnOutput(Output):
    """How a result is printed and drawn."""

    plot: Path | None = option(None, "Also draw it (.png, .svg or .pdf).", metavar="PICTURE", kind="picture")

    def draw(self, draw: Callable[[Any], Any], result: Result) -> None:
        """Draw a result, if a picture is asked for."""
        draw_to(self.plot, draw, result)
