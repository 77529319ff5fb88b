"""``msj scaling cluster FILE --servers 64,128,...``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import WholeNumber, input_file, options_of, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.server_counts import server_counts
from msj.cli.show import leave
from msj.errors import InvalidInput
from msj.model.numbers import whole
from msj.options import SeedOptions


@click.command("cluster")
@input_file
@click.option(
    "--servers", metavar="LIST", help="Numbers of servers: 64,128,256 or 64..65536 (doubling).  [default: FILE's]"
)
@click.option(
    "--keep",
    type=click.Choice(["load", "rate", "utilisation"]),
    default="load",
    show_default=True,
    help="What stays as the cluster changes: the share of its threshold, the arrival rate, the share of busy servers.",
)
@click.option(
    "--largest-need",
    "largest_need",
    metavar="CAP,...",
    help="Also answer with needs above CAP cut to it, durations stretched to keep the work.",
)
@options_of(ClusterOptions, "cluster", without=["servers"])
@click.option("--jobs", type=WholeNumber(min=1000), metavar="N", help="Jobs of each simulation.  [default: by size]")
@options_of(SeedOptions, "seeding")
@options_of(DrawnOutput, "output")
def cluster(
    file: Path,
    servers: str | None,
    keep: Any,
    largest_need: str | None,
    jobs: int | None,
    seeding: SeedOptions,
    output: DrawnOutput,
    cluster: ClusterOptions,
) -> None:
    """Say how waiting, response time and waste of FILE change with the servers or a cap on the largest need.

    The jobs stay as they are. Answers are exact where that takes seconds and simulated with 95 % intervals elsewhere. A
    size that cannot take its arrivals says so; if no size can, the exit code is 1.

    \b
    Examples:
      msj scaling cluster examples/hpc_partition.toml --servers 32..512
      msj scaling cluster examples/hpc_partition.toml --servers 32,64,128 --keep rate --plot sizes.png
      msj scaling cluster examples/hpc_partition.toml --largest-need 16,8 --keep rate
    """
    from msj.growth import cluster_scaling
    from msj.plots import cluster_scaling as picture

    system = read_system(file, **cluster.given())
    sizes = None if servers is None else server_counts(servers)
    caps = [] if largest_need is None else _caps(largest_need)
    with speaking_of(file), ProgressBar() as bar:
        result = cluster_scaling(
            system, sizes, keep=keep, largest_needs=caps, jobs=jobs, **seeding.given(), progress=bar.show
        )
    output.show(result)
    output.draw(picture.draw, result)
    leave(result)


def _caps(text: str) -> list[int]:
    caps = [whole(part.strip(), "largest need") for part in text.split(",") if part.strip()]
    if not caps:
        raise InvalidInput(f"'{text}' gives no largest need; write --largest-need 16,8")
    return caps
