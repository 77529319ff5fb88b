"""``msj compare FILE --policies A,B,...``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import complete_policies, input_file, options_of, policies_from_text, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.options import CompareOptions

SHOWN = (
    "mean_response_time",
    "mean_waiting_time",
    "waiting_probability",
    "utilisation",
    "queue_growth_rate",
    "mean_response_time_difference",
)


@click.command()
@input_file
@options_of(ClusterOptions, "cluster")
@click.option(
    "--policies",
    required=True,
    metavar="A,B,...",
    help="Policies, by commas; differences are from the first.",
    shell_complete=complete_policies,
)
@options_of(CompareOptions, "asked")
@options_of(DrawnOutput, "output")
def compare(
    file: Path,
    policies: str,
    asked: CompareOptions,
    output: DrawnOutput,
    cluster: ClusterOptions,
) -> None:
    """Serve the same jobs by several policies and say how much they differ.

    The exit code is 1 if the queue keeps growing under all of them.

    \b
    Examples:
      msj compare examples/two_servers.toml --policies fcfs,first-fit,server-filling --jobs 200000 --seed 1
      msj compare examples/two_servers.toml --policies 'fcfs,{ name = "first-fit", window = 2 }'
      msj compare examples/hpc_partition.toml --policies fcfs,easy-backfilling --plot policies.png
    """
    from msj import answers
    from msj.plots import comparison

    system = read_system(file, **cluster.given())
    with speaking_of(file), ProgressBar() as bar:
        result = answers.compare(system, policies_from_text(policies), **asked.given(), progress=bar.show)
    output.show(result, SHOWN)
    output.draw(comparison.draw, result)
    leave(result)
