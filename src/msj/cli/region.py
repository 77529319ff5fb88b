"""``msj region FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import cluster_options
from msj.cli.options import JOBS, SEED, output_options, plot_option, read_system, speaking_of, spec_file
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import draw_to, show_result


@click.command()
@spec_file
@cluster_options
@click.option("--classes", metavar="A,B", help="Two classes, by a comma; the others do not arrive.")
@click.option("--points", type=click.IntRange(min=2), metavar="N", help="How many mixes.  [default: 41, simulated 11]")
@click.option("--jobs", type=JOBS, metavar="N", help="Jobs of each simulation, where there is one.")
@click.option("--seed", type=SEED, metavar="N", help="Same seed, same simulated answer.  [default: a new one]")
@plot_option
@output_options
def region(
    file: Path,
    classes: str | None,
    points: int | None,
    jobs: int | None,
    seed: int | None,
    plot: Path | None,
    as_json: bool,
    as_csv: bool,
    **cluster: Any,
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

    system = read_system(file, any_load=True, **cluster)
    names = None if classes is None else [name.strip() for name in classes.split(",")]
    with speaking_of(file), ProgressBar() as bar:
        result = answers.region(system, classes=names, points=points, jobs=jobs, seed=seed, progress=bar.show)
    show_result(result, as_json=as_json, as_csv=as_csv)
    draw_to(plot, picture.draw, result)
