"""``msj symbolic FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.cluster_options import LOADS, ClusterOptions
from msj.cli.messages import echo
from msj.cli.options import input_file, options_of, read_system, speaking_of
from msj.cli.show import show_result


@click.command()
@input_file
@click.option(
    "--parameters", metavar="LIST", default="", help="What stays a symbol, e.g. p1,p2,mu1,mu2; none: fractions."
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "latex", "python"]),
    default="text",
    show_default=True,
    help="How to write the formulas.",
)
@options_of(ClusterOptions, "cluster", without=(*LOADS, "servers"))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def symbolic(file: Path, parameters: str, style: str, cluster: ClusterOptions, as_json: bool) -> None:
    """Solve the saturated system of FILE without rounding: threshold, laws, relative completions, RESET.

    Shares are p1, p2, ... and rates of exponential durations mu1, mu2, ..., numbered like the classes in FILE. Any
    policy or model that looks at finitely many jobs; under others than FCFS durations must be exponential.

    \b
    Examples:
      msj symbolic examples/two_servers.toml
      msj symbolic examples/two_servers.toml --parameters p1,p2,mu1,mu2
      msj symbolic examples/two_servers.toml --parameters mu1,mu2 --format latex
      msj symbolic examples/models/red_and_blue.toml
      msj symbolic examples/two_servers.toml --json
    """
    from msj import answers

    names = [name.strip() for name in parameters.split(",") if name.strip()]
    with speaking_of(file):
        result = answers.in_symbols(read_system(file, **cluster.given()), names)
    if as_json:
        show_result(result, as_json=True)
    else:
        echo(result.write(style))
