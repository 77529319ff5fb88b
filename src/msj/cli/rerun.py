"""``msj rerun RESULT.json``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.options import WORKERS, options_of, speaking_of
from msj.cli.output import Output
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.cli.trust import asking_first, trust_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="RESULT.json")
@click.option(
    "--workers",
    "--processes",
    "workers",
    type=WORKERS,
    metavar="N",
    help="Number of replications of a simulation that run side by side.",
)
@trust_option
@options_of(Output, "output")
def rerun(file: Path, workers: int | None, trust: bool, output: Output) -> None:
    """Ask again what RESULT.json, printed by any command with --json, was the answer to.

    The same version gives equal numbers: the system, the options and the seed are in the result. A result may name a
    Python file with a policy; it is run only after a confirmation, or with --trust.

    \b
    Examples:
      msj simulate examples/two_servers.toml --jobs 100000 --json > result.json
      msj rerun result.json
    """
    from msj.ask_again import rerun as ask_again

    with speaking_of(file), asking_first(file, trust=trust), ProgressBar() as bar:
        result = ask_again(file, workers=workers, progress=bar.show)
    output.show(result)
    leave(result)
