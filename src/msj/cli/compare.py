"""``msj compare FILE --policies A,B,...``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import cluster_options
from msj.cli.options import (
    complete_policies,
    load_options,
    options_of,
    output_options,
    plot_option,
    policies_from_text,
    read_system,
    speaking_of,
    spec_file,
)
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import draw_to, leave, show_result
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
@spec_file
@load_options
@cluster_options
@click.option(
    "--policies",
    required=True,
    metavar="A,B,...",
    help="Policies, by commas; differences are from the first.",
    shell_complete=complete_policies,
)
@options_of(CompareOptions, "asked")
@plot_option
@output_options
def compare(
    file: Path,
    policies: str,
    asked: CompareOptions,
    plot: Path | None,
    as_json: bool,
    as_csv: bool,
    **cluster: Any,
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

    system = read_system(file, **cluster)
    with speaking_of(file), ProgressBar() as bar:
        result = answers.compare(system, policies_from_text(policies), **asked.given(), progress=bar.show)
    show_result(result, as_json=as_json, as_csv=as_csv, names=SHOWN)
    draw_to(plot, comparison.draw, result)
    leave(result)
