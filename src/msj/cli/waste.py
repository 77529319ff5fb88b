"""``msj waste FILE --vary WHAT=LOW..HIGH``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import LOADS, ClusterOptions
from msj.cli.options import complete_vary, input_file, options_of, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar


@click.command()
@input_file
@click.option(
    "--vary",
    required=True,
    metavar="NAME=VALUES",
    help="What the curve runs over: share:CLASS=0..1, rate-ratio=0.01..100 (second class / first) or servers=10..400. "
    "Or its values: 0.1,0.2; 0.01..100/9 (9 values); 10..400..10 (by tens).",
    shell_complete=complete_vary,
)
@click.option("--points", type=click.IntRange(min=3), metavar="N", help="About how many points to take.")
@click.option(
    "--method",
    type=click.Choice(["auto", "chain", "closed-form"]),
    default="auto",
    show_default=True,
    help="Use a closed form where one applies, or force either.",
)
@options_of(ClusterOptions, "cluster", without=(*LOADS, "servers"))
@options_of(DrawnOutput, "output")
def waste(
    file: Path,
    vary: str,
    points: int | None,
    method: Any,
    cluster: ClusterOptions,
    output: DrawnOutput,
) -> None:
    """Say how many servers the cluster in FILE wastes, and how that changes with one of its parameters.

    Waste rises and falls: the local optima to seek and the pessima to avoid are listed.

    \b
    Examples:
      msj waste examples/two_servers.toml --vary share:large=0..1
      msj waste examples/two_servers.toml --vary rate-ratio=0.01..100 --plot ratio.png
      msj waste examples/two_servers.toml --vary servers=2..40 --csv
    """
    from msj import answers
    from msj.plots import waste_curve

    system = read_system(file, **cluster.given())
    with speaking_of(file), ProgressBar() as bar:
        result = answers.waste(system, vary, points=points, method=method, progress=bar.show)
    output.show(result)
    output.draw(waste_curve.draw, result)
