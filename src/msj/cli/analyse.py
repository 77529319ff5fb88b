"""``msj analyse FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.messages import say
from msj.cli.options import load_options, output_options, read_system, speaking_of, spec_file
from msj.cli.show import show_grid, show_json, show_result
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
    if (states is not None or law is not None) and as_csv:
        raise click.UsageError("--states and --law do not fit into the rows of --csv; use --json")
    if exact is False and percentiles:
        raise click.UsageError("--no-exact and --percentiles contradict each other; leave one out")
    with speaking_of(file):
        if system.policy.name == "fcfs" and system.model is None:
            _warn_of_waiting(system)
        result = analysis.analyse(system, method=method, exact=exact, percentiles=percentiles)
        listed = _states(system, states) if states is not None else None
        masses = analysis.open_system(system).law.level_masses(last=law).tolist() if law is not None else None
    if as_json:
        more = {"states": listed, "law_of_jobs_in_system": masses}
        show_json(result.to_dict() | {key: value for key, value in more.items() if value is not None})
        return
    show_result(result, as_json=False, as_csv=as_csv)
    if listed is not None:
        click.echo(f"\nsaturated states, the {len(listed)} likeliest")
        show_grid(list(listed[0]), [[write_number(value) for value in row.values()] for row in listed])
    if masses is not None:
        click.echo("\nlaw of the number of jobs in system")
        show_grid(["jobs", "probability"], [[str(n), write_number(p)] for n, p in enumerate(masses)])


def _states(system: System, most: int) -> list[dict[str, float]]:
    """Return the likeliest states of the saturated system as rows."""
    from msj import analysis

    solved = analysis.saturate(system)
    return [
        {
            **{label: int(count) for label, count in zip(solved.labels, solved.counts[s], strict=True)},
            "time average": float(solved.time_average[s]),
            "departure average": float(solved.departure_average[s]),
            "relative completions": float(solved.relative_completions[s]),
        }
        for s in solved.time_average.argsort()[::-1][:most]
    ]


def _warn_of_waiting(system: System) -> None:
    """Say so on stderr before a chain that takes a while."""
    from msj.finite_skip.fcfs_counts import MOST_STATES, number_of_states
    from msj.finite_skip.job_types import why_not_phase_type

    if why_not_phase_type(system) is None and 50_000 < (states := number_of_states(system)) <= MOST_STATES:
        say(f"a chain of {states:,.0f} states: this may take a minute")
