"""``msj design FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.options import output_options, read_system, speaking_of, spec_file
from msj.cli.show import show_result


@click.command()
@spec_file
@output_options
def design(file: Path, as_json: bool, as_csv: bool) -> None:
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
    show_result(result, as_json=as_json, as_csv=as_csv)
