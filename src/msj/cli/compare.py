"""``msj compare FILE --policies A,B,...``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from msj.cli.messages import explain, say
from msj.cli.options import (
    JOBS,
    PROCESSES,
    REPLICATIONS,
    complete_policies,
    load_options,
    policies_from_text,
    read_system,
    speaking_of,
    spec_file,
)
from msj.cli.show import show_grid, show_json
from msj.cli.simulate import Bar

if TYPE_CHECKING:
    from msj.simulation import Comparison

SHOWN = ("mean_response_time", "mean_waiting_time", "waiting_probability", "utilisation")


@click.command()
@spec_file
@load_options
@click.option(
    "--policies",
    required=True,
    metavar="A,B,...",
    help="Policies, by commas; differences are from the first.",
    shell_complete=complete_policies,
)
@click.option("--jobs", type=JOBS, metavar="N", help="Jobs to simulate under each.  [default: 1000000]")
@click.option("--seed", type=int, metavar="N", help="Same seed, same answer.  [default: a new one]")
@click.option("--replications", type=REPLICATIONS, default=20, show_default=True, metavar="N", help="Independent runs.")
@click.option(
    "--processes",
    type=PROCESSES,
    default=1,
    show_default=True,
    metavar="N",
    help="Run them side by side.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(
    file: Path,
    policies: str,
    jobs: int | None,
    seed: int | None,
    replications: int,
    processes: int,
    as_json: bool,
    **loads: str | None,
) -> None:
    """Serve the same jobs by several policies and say how much they differ.

    \b
    Examples:
      msj compare examples/two_servers.toml --policies fcfs,first-fit,server-filling --jobs 200000 --seed 1
      msj compare examples/two_servers.toml --policies 'fcfs,{ name = "first-fit", window = 2 }'
    """
    from msj import questions
    from msj.results import Outcome

    system = read_system(file, **loads)
    with speaking_of(file), Bar(None) as bar:
        found = questions.compare(
            system,
            policies_from_text(policies),
            jobs=jobs,
            rng=seed,
            replications=replications,
            processes=processes,
            progress=bar.show if sys.stderr.isatty() else None,
            message=say,
        )
    for name, result in found.results.items():
        explain(result.to_dict(), of=f"{name}: ")
    if as_json:
        show_json(found.to_dict())
    else:
        _show(found)
    if any(result.outcome is Outcome.INTERRUPTED for result in found.results.values()):
        raise click.exceptions.Exit(130)


def _show(found: Comparison) -> None:
    rows = []
    for name, result in found.results.items():
        values = {row.name: row for row in result if row.job_class is None and row.level is None}
        cells = [f"{values[key].value:.5g}" if key in values else "" for key in SHOWN]
        difference = found.differences.get(name, ())
        text = (
            f"{difference[0].value:+.4g} ({difference[0].low:+.4g} to {difference[0].high:+.4g})" if difference else ""
        )
        rows.append([name, result.outcome.label, *cells, text])
    show_grid(["policy", "outcome", *SHOWN, "difference of mean_response_time"], rows)
    for name, result in found.results.items():
        for note in result.notes:
            click.echo(f"\n{name}: {note}")
