"""``msj design FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.options import input_file, options_of, read_system, speaking_of
from msj.cli.output import Output


@click.command()
@input_file
@options_of(Output, "output")
def design(file: Path, output: Output) -> None:
    """Find packings of the jobs in FILE, and how long each should last, that together take most.

    They are for the policies msr and nmsr, which let packings take turns; the last lines say how to write that.
    What they take is what any policy could.

    \b
    Examples:
      msj design examples/two_servers.toml
      msj design examples/hpc_partition.toml --json
    """
    from msj import answers

    system = read_system(file)
    with speaking_of(file):
        result = answers.design(system)
    output.show(result)
