"""``msj fluid FILE --until T``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import input_file, options_of, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.server_counts import SERVER_COUNTS_HELP, server_counts
from msj.model.numbers import number, positive, whole
from msj.model.written_units import plain_time
from msj.options import SeedOptions


@click.command()
@input_file
@options_of(ClusterOptions, "cluster", without=["servers"])
@click.option("--until", required=True, metavar="T", help="The time up to which it is followed: 20, or '2 h'.")
@click.option(
    "--start",
    default="empty",
    show_default=True,
    help="empty, equilibrium, or jobs present / arrival rate for each class: 0.5,2.",
)
@click.option(
    "--tolerance",
    default="0.01",
    metavar="NUMBER",
    show_default=True,
    help="Share of the equilibrium that counts as there.",
)
@click.option(
    "--servers", metavar="LIST", help=f"Also simulate this mix of work on each of these. {SERVER_COUNTS_HELP}"
)
@click.option("--paths", metavar="N", help="Simulated paths for each size.  [default: 10 with --servers, else none]")
@options_of(SeedOptions, "seeding")
@options_of(DrawnOutput, "output")
def fluid(
    file: Path,
    cluster: ClusterOptions,
    until: str,
    start: str,
    tolerance: str,
    servers: str | None,
    paths: str | None,
    seeding: SeedOptions,
    output: DrawnOutput,
) -> None:
    """Follow the number of jobs of each class in FILE over time, as in a very large cluster.

    What is followed is X(t)/lambda, jobs present over arrival rate; it settles at the mean duration. With --servers,
    simulated paths of clusters of these sizes, and how far they are from the limit.

    \b
    Examples:
      msj fluid examples/two_servers.toml --until 20
      msj fluid examples/two_servers.toml --until 20 --start 0.5,2 --servers 64,1024,16384 --plot fluid.png
      msj fluid examples/two_servers.toml --until 20 --csv
    """
    from msj.growth import fluid as follow
    from msj.plots import fluid as picture

    system = read_system(file, **cluster.given())
    sizes = [] if servers is None else server_counts(servers)
    with speaking_of(file), ProgressBar() as bar:
        result = follow(
            system,
            float(positive(plain_time(until, "--until", system.time_unit), "--until")),
            start=_start(start),
            servers=sizes,
            paths=whole(paths, "--paths", least=0) if paths is not None else 10 if sizes else 0,
            tolerance=float(positive(tolerance, "--tolerance")),
            **seeding.given(),
            progress=bar.show,
        )
    output.show(result)
    output.draw(picture.draw, result)


def _start(text: str) -> Any:
    if text.strip().replace("-", "").isalpha():
        return text.strip()
    return [float(number(part.strip(), "--start")) for part in text.split(",")]
