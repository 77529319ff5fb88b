"""``msj curve FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.cluster_options import LOADS, ClusterOptions
from msj.cli.options import JOBS, input_file, options_of, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.options import SeedOptions


@click.command()
@input_file
@options_of(ClusterOptions, "cluster", without=LOADS)
@click.option("--loads", metavar="LIST", help="Loads, e.g. 0.5,0.9,0.99; by default from 0 to 0.999 (simulated 0.95).")
@click.option("--jobs", type=JOBS, metavar="N", help="Jobs of each simulation, where no exact answer exists.")
@options_of(SeedOptions, "seeding")
@options_of(DrawnOutput, "output")
def curve(
    file: Path,
    loads: str | None,
    jobs: int | None,
    seeding: SeedOptions,
    output: DrawnOutput,
    cluster: ClusterOptions,
) -> None:
    """Give the mean response time of FILE against load: exact beside the RESET prediction, else simulated.

    Any policy and any durations will do. Where no exact method applies, each load is simulated, with 95 % intervals.

    \b
    Examples:
      msj curve examples/two_servers.toml
      msj curve examples/two_servers.toml --loads 0.5,0.9,0.99 --csv
      msj curve examples/two_servers.toml --plot curve.png
    """
    from msj import answers
    from msj.model.numbers import number
    from msj.plots import response_curve

    system = read_system(file, any_load=True, **cluster.given())
    wanted = None if loads is None else [float(number(text.strip(), "load")) for text in loads.split(",")]
    with speaking_of(file), ProgressBar() as bar:
        result = answers.curve(system, loads=wanted, jobs=jobs, **seeding.given(), progress=bar.show)
    output.show(result)
    output.draw(response_curve.draw, result)
