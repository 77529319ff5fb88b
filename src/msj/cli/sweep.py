"""``msj sweep FILE... --vary NAME=VALUES --policies A,B --out FOLDER``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from msj.cli.messages import say
from msj.cli.options import InputPath, options_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, show_grid, show_json, tell_gaps
from msj.errors import Failure
from msj.options import SweepOptions

SHOWN = ("mean_response_time", "waiting_probability", "stability_threshold", "queue_growth_rate")
FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("files", type=InputPath(), metavar="[FILE]...", nargs=-1)
@options_of(SweepOptions, "asked")
@click.option(
    "--status",
    "status_of",
    type=FOLDER,
    metavar="FOLDER",
    help="Print how much of a folder's grid is answered, and exit.",
)
@click.option(
    "--prune",
    "prune_in",
    type=FOLDER,
    metavar="FOLDER",
    help="Remove duplicates, older answers and answers of other code from a folder, and exit.",
)
@options_of(DrawnOutput, "output")
def sweep(
    files: Sequence[Path], asked: SweepOptions, status_of: Path | None, prune_in: Path | None, output: DrawnOutput
) -> None:
    """Answer every combination of clusters, values and policies.

    Cells with an exact answer get it; the others are simulated to --precision. Answers in --out are never computed
    again: after Ctrl-C or a kill the same command continues. Many machines: --shard in a job array, or --dask.

    \b
    Examples:
      msj sweep examples/two_servers.toml --vary load=0.5..0.98/9 --vary servers=2,4 --out runs
      msj sweep examples/two_servers.toml --vary load=0.5,0.9 --policies fcfs,first-fit --precision 0.05
      msj sweep --grid grid.toml --out runs --shard 3/200
      msj sweep --status runs
      msj results runs --csv
    """
    if status_of is not None:
        _show_status(status_of, as_json=output.as_json)
        return
    if prune_in is not None:
        from msj.sweeps.upkeep import prune

        rows, size = prune(prune_in)
        say(f"removed {rows:,} rows; {max(size, 0) / 1e6:.1f} MB less")
        return
    if asked.processes is not None and (asked.threads is not None or asked.dask is not None):
        raise click.UsageError("--processes, --threads and --dask are several ways to compute; give one of them")
    if not files and asked.grid is None:
        raise click.UsageError("no FILE is given; name a cluster's file, or a grid with --grid")
    from msj.executors.workers import cores
    from msj.plots import sweep as picture
    from msj.sweeps import sweep as ask

    given = asked.given()
    if not given.keys() & {"processes", "threads", "dask"}:
        given["processes"] = cores()
    with ProgressBar() as bar:
        result = ask(list(files) or None, **given, progress=bar.show)
    output.show(result, SHOWN)
    tell_gaps(result, as_csv=output.as_csv)
    if result.outcome.exit_code != 130:
        output.draw(picture.draw, result)
    leave(result)
    if any(gap.failure is Failure.BAD_FUNCTION for gap in result.missing):
        raise click.exceptions.Exit(2)


def _show_status(folder: Path, *, as_json: bool) -> None:
    from msj.sweeps.upkeep import status

    found = status(folder)
    if as_json:
        show_json(asdict(found))
        return
    widest = "" if found.widest is None else f", the widest interval ± {found.widest:.2%}"
    rows = [
        ("cells asked for", f"{found.asked:,}" + (f" of {found.grid:,} in the grid" if found.grid else "")),
        ("answered exactly", f"{found.exact:,}"),
        ("simulated", f"{found.simulated:,}{widest}"),
        ("unstable", f"{found.unstable:,}"),
        ("without an answer", f"{found.without:,}"),
        ("waiting", f"{found.waiting:,}"),
        ("blocks", f"{found.blocks:,}"),
        ("jobs behind answers", f"{found.jobs:,}"),
        ("seconds of work", f"{found.seconds:,.1f}"),
        ("files", f"{found.pieces:,}, {found.size / 1e6:.1f} MB"),
    ]
    rows += [("not finished", found.unfinished)] if found.unfinished else []
    rows += [("of other code", f"{found.stale:,} cells: --prune removes them")] if found.stale else []
    show_grid(("", str(folder)), rows)
