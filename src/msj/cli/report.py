"""``msj report FILE``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from msj.cli.messages import colour_is_welcome, say
from msj.cli.options import complete_policies, load_options, policies_from_text, read_system, speaking_of, spec_file
from msj.cli.show import show_json
from msj.errors import InvalidInput


@click.command()
@spec_file
@load_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put the page, FILE_report.html.  [default: here; with --json: no page]",
)
@click.option(
    "--policies",
    metavar="A,B,...",
    help="Policies to compare with the file's own.  [default: the usual ones that can run it]",
    shell_complete=complete_policies,
)
@click.option(
    "--precision",
    type=float,
    default=0.02,
    show_default=True,
    metavar="P",
    help="How well simulated means should be known: 0.02 is 2 %.",
)
@click.option(
    "--seconds",
    type=float,
    default=60.0,
    show_default=True,
    metavar="S",
    help="About how long it may take; what would take longer is cut, with a note.",
)
@click.option("--seed", type=int, metavar="N", help="Same seed, same answer.  [default: a new one]")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def report(
    file: Path,
    out: Path | None,
    policies: str | None,
    precision: float,
    seconds: float,
    seed: int | None,
    as_json: bool,
    **loads: str | None,
) -> None:
    """Say everything about the cluster in FILE: a page of text here, and one HTML page with plots.

    The page needs no network, and prints. Findings come first; each number says how sure it is. If FILE names no
    load, 0.8 of what the cluster takes is looked at. The exit code is 1 if the cluster does not take its load.

    \b
    Examples:
      msj report examples/hpc_partition.toml
      msj report examples/gpu_training.toml --out reports --policies easy-backfilling,server-filling
      msj report examples/two_servers.toml --load 0.95 --seed 1
      msj report examples/two_servers.toml --json > report.json
    """
    from msj.report import gather
    from msj.report.text import write_text

    system = read_system(file, **loads)
    page = None if as_json and out is None else page_path(out if out is not None else Path(), file)
    with speaking_of(file), Bar() as bar:
        found = gather(
            system,
            policies=None if policies is None else policies_from_text(policies),
            precision=precision,
            seconds=seconds,
            rng=seed,
            progress=bar.show if sys.stderr.isatty() else None,
        )
    if as_json:
        show_json(found.to_dict())
    else:
        click.echo(write_text(found, heading=lambda title: click.style(title.upper(), bold=True)))
    if page is not None:
        from msj.report.page import write_page

        page.write_text(write_page(found), encoding="utf-8")
        say(f"written: {page}")
    if not found.stable:
        raise click.exceptions.Exit(2 if found.load is None else 1)


def page_path(folder: Path, file: Path) -> Path:
    """Return where the page goes; the folder is made, or refused before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out '{folder}' cannot be made ({error.strerror}); give a folder") from None
    path = folder / f"{file.stem}_report.html"
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise InvalidInput(f"'{path}' cannot be written ({error.strerror}); check the path") from None
    if path.stat().st_size == 0:
        path.unlink()
    return path


class Bar:
    """A progress bar on the terminal: what is being done, how much is done, time left."""

    def __init__(self) -> None:
        self.progress: Any = None
        self.task: Any = None

    def __enter__(self) -> Bar:
        return self

    def show(self, words: str, done: float) -> None:
        """Move the bar."""
        if self.progress is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description:<28}"), BarColumn(), TimeElapsedColumn())
            console = Console(stderr=True, color_system="auto" if colour_is_welcome() else None)
            self.progress = Progress(*columns, console=console, transient=True)
            self.progress.start()
            self.task = self.progress.add_task("", total=1.0)
        self.progress.update(self.task, completed=done, description=words)

    def __exit__(self, *_: object) -> None:
        if self.progress is not None:
            self.progress.stop()
