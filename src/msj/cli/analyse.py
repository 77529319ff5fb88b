"""``msj analyse FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import input_file, options_of, read_system, speaking_of
from msj.cli.output import Output
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.model.numbers import positive
from msj.model.written_units import plain_time
from msj.options import SeedOptions


@click.command()
@input_file
@options_of(ClusterOptions, "cluster")
@click.option(
    "--method",
    type=click.Choice(["auto", "chain", "closed-form"]),
    default="auto",
    show_default=True,
    help="Use a closed form where one applies, or force either.",
)
@click.option(
    "--exact/--no-exact", default=None, help="Solve the open system exactly; by default where it takes seconds."
)
@click.option(
    "--percentiles/--no-percentiles", default=None, help="Percentiles too; by default where it takes seconds."
)
@click.option("--states", metavar="N", type=click.IntRange(min=1), help="Also list the N likeliest saturated states.")
@click.option(
    "--until", metavar="T", help="With --states: completions ahead of the usual number up to T: 20, or '2 h'."
)
@click.option("--law", metavar="N", type=click.IntRange(min=0), help="Also list P(0), ..., P(N jobs in system).")
@click.option("--bounds", is_flag=True, help="Also list what bounds and limits are made of, term by term.")
@click.option("--or-simulate", is_flag=True, help="Simulate what has no exact answer.")
@options_of(SeedOptions, "seeding")
@options_of(Output, "output")
def analyse(
    file: Path,
    method: Any,
    exact: bool | None,
    percentiles: bool | None,
    states: int | None,
    until: str | None,
    law: int | None,
    bounds: bool,
    or_simulate: bool,
    seeding: SeedOptions,
    output: Output,
    cluster: ClusterOptions,
) -> None:
    """Say how much the cluster in FILE can take, what it wastes and how long jobs stay.

    Where no exact method applies, it says what is known (what counting server-time promises, what any policy could
    take, bounds) and how to simulate the rest; --or-simulate does it. The exit code is 1 if the cluster does not take
    its load.

    \b
    Examples:
      msj analyse examples/two_servers.toml
      msj analyse examples/two_servers.toml --load 0.95 --json
      msj analyse examples/two_servers.toml --states 10
      msj analyse examples/models/red_and_blue.toml --bounds
      msj analyse examples/gpu_training.toml --or-simulate --seed 1
    """
    from msj import answers

    system = read_system(file, **cluster.given())
    if exact is False and percentiles:
        raise click.UsageError("--no-exact and --percentiles contradict each other; leave one out")
    with speaking_of(file), ProgressBar() as bar:
        result = answers.analyse(
            system,
            method=method,
            exact=exact,
            percentiles=percentiles,
            states=states or 0,
            until=None if until is None else float(positive(plain_time(until, "--until", system.time_unit), "--until")),
            law=law,
            bounds=bounds,
            or_simulate=or_simulate,
            **seeding.given(),
            progress=bar.show,
        )
    output.show(result)
    leave(result)
