"""``msj analyse FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.options import load_options, output_options, read_system, spec_file
from msj.cli.show import show_grid, show_result
from msj.model import System
from msj.results.table import write_number


@click.command()
@spec_file
@load_options
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
@click.option("--law", metavar="N", type=click.IntRange(min=0), help="Also list P(0), ..., P(N jobs in system).")
@output_options
def analyse(
    file: Path,
    method: Any,
    exact: bool | None,
    percentiles: bool | None,
    states: int | None,
    law: int | None,
    as_json: bool,
    as_csv: bool,
    **loads: str | None,
) -> None:
    """Say how much load the cluster in FILE takes, what it wastes and how long jobs stay.

    \b
    Examples:
      msj analyse examples/two_servers.toml
      msj analyse examples/two_servers.toml --load 0.95 --json
      msj analyse examples/two_servers.toml --states 10
    """
    from msj import analysis

    system = read_system(file, **loads)
    if (states is not None or law is not None) and (as_json or as_csv):
        raise click.UsageError("--states and --law are for reading; leave out --json and --csv")
    result = analysis.analyse(system, method=method, exact=exact, percentiles=percentiles)
    show_result(result, as_json=as_json, as_csv=as_csv)
    if states is not None:
        _show_states(system, states)
    if law is not None:
        masses = analysis.open_system(system).law.level_masses(last=law)
        click.echo("\nlaw of the number of jobs in system")
        show_grid(["jobs", "probability"], [[str(n), write_number(p)] for n, p in enumerate(masses)])


def _show_states(system: System, most: int) -> None:
    from msj import analysis

    solved = analysis.saturate(system)
    order = solved.time_average.argsort()[::-1][:most]
    click.echo(f"\nsaturated states, {len(order)} of {len(solved.time_average):,}, likeliest first")
    rows = [
        [
            *(str(count) for count in solved.counts[s]),
            write_number(solved.time_average[s]),
            write_number(solved.departure_average[s]),
            write_number(solved.relative_completions[s]),
        ]
        for s in order
    ]
    show_grid([*solved.labels, "time average", "departure average", "relative completions"], rows)
