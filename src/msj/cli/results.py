"""``msj results FOLDER``: what a sweep has found so far."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from msj.cli.options import options_of
from msj.cli.output import DrawnOutput
from msj.cli.show import tell_gaps
from msj.cli.sweep import FOLDER, SHOWN


@click.command()
@click.argument("folder", type=FOLDER, metavar="FOLDER")
@click.option(
    "--where",
    multiple=True,
    metavar="CONDITION",
    help="Show rows that fulfil a condition: policy=fcfs, 'load>=0.9', name=mean_response_time. Repeat it for several.",
)
@options_of(DrawnOutput, "output")
def results(folder: Path, where: Sequence[str], output: DrawnOutput) -> None:
    """Show the answers in a sweep's folder, also while the sweep runs.

    \b
    Examples:
      msj results runs
      msj results runs --csv --where policy=fcfs --where 'load>=0.9'
      msj results runs --where name=waiting_probability --plot waiting.png
    """
    from msj.plots import sweep as picture
    from msj.sweeps import read_sweep

    result = read_sweep(folder, where=where)
    named = any(text.replace(" ", "").startswith("name") for text in where)
    output.show(result, None if named else SHOWN)
    tell_gaps(result, as_csv=output.as_csv)
    output.draw(picture.draw, result)
