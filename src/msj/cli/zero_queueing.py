"""``msj scaling zero-queueing``: one cluster, or clusters that grow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import LOADS, ClusterOptions
from msj.cli.options import options_of, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.server_counts import SERVER_COUNTS_HELP, server_counts
from msj.cli.show import leave
from msj.model.numbers import number, whole
from msj.options import SeedOptions

SIZES = "64,256,1024,4096,16384,65536"


@click.command("zero-queueing")
@click.argument("file", type=click.Path(path_type=Path), metavar="[FILE]", required=False)
@options_of(ClusterOptions, "cluster", without=["servers"])
@click.option(
    "--needs", metavar="LIST", help="Instead of FILE: the classes' needs, expressions in n: 3,log2(n),sqrt(n)."
)
@click.option("--alpha", default="0", metavar="NUMBER", show_default=True, help="The load is 1-beta*n^-alpha.")
@click.option("--beta", default="0.25", metavar="NUMBER", show_default=True, help="The load is 1-beta*n^-alpha.")
@click.option("--means", metavar="LIST", help="Mean durations (exponential), one per need; 1 if not given.")
@click.option("--shares", metavar="LIST", help="Shares of the load, one per need (or of arrivals); equal if not given.")
@click.option(
    "--shares-of",
    type=click.Choice(["load", "arrivals"]),
    default="load",
    show_default=True,
    help="What --shares (or equal shares) are shares of.",
)
@click.option("--servers", metavar="LIST", help=f"With --needs. {SERVER_COUNTS_HELP}  [default: {SIZES}]")
@click.option("--jobs", metavar="N", help="Jobs to simulate (at each n); by default enough to outlast the beginning.")
@options_of(SeedOptions, "seeding")
@click.option("--simulate/--no-simulate", "simulation", default=True, show_default=True, help="Whether to simulate.")
@click.option(
    "--exact-seconds", default="5", metavar="NUMBER", show_default=True, help="Leave out exact values that take longer."
)
@options_of(DrawnOutput, "output")
def zero_queueing(
    file: Path | None,
    cluster: ClusterOptions,
    needs: str | None,
    servers: str | None,
    jobs: str | None,
    seeding: SeedOptions,
    simulation: bool,
    exact_seconds: str,
    output: DrawnOutput,
    **family: Any,
) -> None:
    """Say how likely an arriving job is to wait: bounds, exact, simulated.

    With FILE, for that cluster. With --needs, for clusters that grow, with load 1-beta*n^-alpha, and whether
    waiting vanishes as they do; only that has a picture.

    \b
    Examples:
      msj scaling zero-queueing examples/hpc_partition.toml --utilisation 0.3
      msj scaling zero-queueing --needs "3,log2(n),sqrt(n)" --means 4,2,1 --alpha 0.1 --beta 0.25
      msj scaling zero-queueing --needs "1,sqrt(n)" --alpha 0.3 --servers 64,1024 --no-simulate --csv
    """
    if (file is None) == (needs is None):
        raise click.UsageError("give FILE or --needs: a cluster, or a family of clusters")
    if file is not None and (output.plot is not None or servers is not None):
        raise click.UsageError("--plot and --servers go with --needs, not with FILE")
    if needs is not None and any(getattr(cluster, name) for name in LOADS):
        raise click.UsageError("with --needs the load is 1 - beta*n^-alpha; give --alpha and --beta")
    options: dict[str, Any] = {
        "simulation": simulation,
        "jobs": None if jobs is None else whole(jobs, "--jobs"),
        **seeding.given(),
        "exact_seconds": float(number(exact_seconds, "--exact-seconds")),
    }
    from msj import growth
    from msj.plots import zero_queueing as picture

    if file is not None:
        system = read_system(file, **cluster.given())
        with speaking_of(file), ProgressBar() as bar:
            result = growth.zero_queueing(system, **options, progress=bar.show)
    else:
        family |= {name: number(family[name], f"--{name}") for name in ("alpha", "beta")}
        family |= {name: _numbers(family[name], f"--{name}") for name in ("means", "shares")}
        with ProgressBar() as bar:
            result = growth.zero_queueing_family(
                _parts(needs or ""), server_counts(servers or SIZES), **family, **options, progress=bar.show
            )
    output.show(result)
    output.draw(picture.draw, result)
    leave(result)


def _parts(text: str) -> list[str]:
    """Split a list at the commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _numbers(text: str | None, name: str) -> tuple[Any, ...]:
    return () if text is None else tuple(number(part, name) for part in _parts(text))
