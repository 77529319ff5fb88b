"""``msj check FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.options import options_of, read_system
from msj.cli.show import show_json
from msj.options import ReadOptions


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--on", type=click.Path(path_type=Path), metavar="SPEC", help="Try functions on the needs of the cluster in SPEC."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@options_of(ReadOptions, "reading")
def check(file: str, on: Path | None, as_json: bool, reading: ReadOptions) -> None:
    """Say what FILE is and whether it is valid: a spec file, a log, or a Python file with policies.

    A Python file (FILE.py or FILE.py:FUNCTION) is run, and its decision functions are tried. What is wrong is printed
    with the rule and the fix, and the exit code is 2.

    \b
    Examples:
      msj check examples/two_servers.toml
      msj check examples/logs/small_cluster.swf
      msj check my_policy.py:pick --on examples/two_servers.toml
    """
    from msj.answers.check import check as check_file

    found = check_file(file, system=None if on is None else read_system(on), **reading.given())
    if as_json:
        show_json(found.to_dict())
    else:
        click.echo(f"{file}: {found.to_text()}")
