"""``msj new [FILE] [--example NAME]``."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from msj.cli.examples import example, examples
from msj.cli.messages import echo
from msj.errors import InvalidInput

START = "cluster"


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in examples() if name.startswith(incomplete)]


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="[FILE]", required=False)
@click.option(
    "--example",
    "name",
    default=START,
    metavar="NAME",
    help="Start from this example: gpu, hpc, two_servers, ... (Tab completes them).",
    shell_complete=_complete,
)
def new(file: Path | None, name: str) -> None:
    """Write a commented spec file to start from, cluster.toml if no FILE is named; nothing is overwritten.

    \b
    Examples:
      msj new
      msj new mine.toml
      msj new --example gpu
      msj new --example small_cluster.swf
    """
    source = example(name)
    target = Path(source.name) if file is None else file
    if target.suffix.lower() != source.suffix:
        raise InvalidInput(
            f"'{target}' must end in {source.suffix}, as the example does; write {target.stem}{source.suffix}"
        )
    text = source.read_text(encoding="utf-8")
    try:
        with target.open("x", encoding="utf-8") as handle:
            handle.write(text.replace(source.name, target.name))  # its comments name the file
    except FileExistsError:
        raise InvalidInput(f"'{target}' is there already and is not overwritten; name another FILE") from None
    question = "report" if source.suffix == ".toml" else "log"
    echo(f"{target} is written. Change it to your own, and ask: msj {question} {target}")
