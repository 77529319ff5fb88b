"""``msj results FOLDER``: what a sweep has found so far."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from msj.cli.options import output_options, plot_option
from msj.cli.show import draw_to, show_result, tell_gaps
from msj.cli.sweep import FOLDER, SHOWN


@click.command()
@click.argument("folder", type=FOLDER, metavar="FOLDER")
@click.option(
    "--where",
    multiple=True,
    metavar="CONDITION",
    help="Show rows that fulfil a condition: policy=fcfs, 'load>=0.9', name=mean_response_time. Repeat it for several.",
)
@plot_option
@output_options
def results(folder: Path, where: Sequence[str], plot: Path | None, as_json: bool, as_csv: bool) -> None:
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
    show_result(result, as_json=as_json, as_csv=as_csv, names=None if named else SHOWN)
    tell_gaps(result, as_csv=as_csv)
    draw_to(plot, picture.draw, result)
