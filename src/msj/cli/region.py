"""``msj region FILE``."""

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
@click.option("--classes", metavar="A,B", help="Two classes, by a comma; the others do not arrive.")
@click.option("--points", type=click.IntRange(min=2), metavar="N", help="How many mixes.  [default: 41, simulated 11]")
@click.option("--jobs", type=JOBS, metavar="N", help="Jobs of each simulation, where there is one.")
@options_of(SeedOptions, "seeding")
@options_of(DrawnOutput, "output")
def region(
    file: Path,
    classes: str | None,
    points: int | None,
    jobs: int | None,
    seeding: SeedOptions,
    output: DrawnOutput,
    cluster: ClusterOptions,
) -> None:
    """Say which pairs of arrival rates of two classes the cluster in FILE takes.

    Three borders: what counting server-time promises, what any policy could take, and what the file's policy takes.
    Each row is a mix of the two classes and the threshold at that mix.

    \b
    Examples:
      msj region examples/two_servers.toml
      msj region examples/two_servers.toml --plot region.png
      msj region examples/hpc_partition.toml --classes full,quarter --csv
    """
    from msj import answers
    from msj.plots import region as picture

    system = read_system(file, any_load=True, **cluster.given())
    names = None if classes is None else [name.strip() for name in classes.split(",")]
    with speaking_of(file), ProgressBar() as bar:
        result = answers.region(system, classes=names, points=points, jobs=jobs, **seeding.given(), progress=bar.show)
    output.show(result)
    output.draw(picture.draw, result)
