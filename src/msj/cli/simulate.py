"""``msj simulate FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import input_file, options_of, read_system, speaking_of
from msj.cli.output import Output
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, screen_width, show_json
from msj.options import SimulateOptions

if TYPE_CHECKING:
    from msj.model import System


@click.command()
@input_file
@options_of(ClusterOptions, "cluster")
@options_of(SimulateOptions, "asked")
@click.option(
    "--decisions",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="List the first N decisions of the policy instead: which jobs it serves and preempts.",
)
@options_of(Output, "output")
def simulate(
    file: Path,
    decisions: int | None,
    asked: SimulateOptions,
    output: Output,
    cluster: ClusterOptions,
) -> None:
    """Simulate the cluster in FILE and say how long jobs stay, with 95 % intervals.

    \b
    Examples:
      msj simulate examples/two_servers.toml --jobs 100000 --seed 1
      msj simulate examples/two_servers.toml --policy first-fit --precision 0.01
      msj simulate examples/two_servers.toml --policy '{ name = "first-fit", window = 4 }'
      msj simulate examples/two_servers.toml --policy my_policy.py:pick --json
      msj simulate examples/two_servers.toml --policy first-fit --decisions 20 --seed 1
    """
    from msj import answers
    from msj.model.numbers import number
    from msj.model.written_units import plain_time

    system = read_system(file, **cluster.given())
    if decisions is not None:
        _list_decisions(system, decisions, asked, output)
        return
    given = asked.given()
    if asked.time is not None:
        given["time"] = float(number(plain_time(str(asked.time), "--time", system.time_unit), "--time"))
    with speaking_of(file), ProgressBar() as bar:
        result = answers.simulate(system, **given, progress=bar.show)
    output.show(result)
    leave(result)


def _list_decisions(system: System, count: int, asked: SimulateOptions, output: Output) -> None:
    """Print the first decisions of a policy."""
    from msj import answers

    found = answers.decisions(system, count, policy=asked.policy, seed=asked.seed)
    if output.as_json:
        show_json(found.to_dicts())
    else:
        click.echo(found.to_csv() if output.as_csv else found.to_text(width=screen_width()), nl=not output.as_csv)
