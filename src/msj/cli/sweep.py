"""``msj sweep FILE... --vary NAME=VALUES --policies A,B --out FOLDER``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from msj.cli.messages import say
from msj.cli.options import JOBS, PROCESSES, SEED, InputPath, complete_policies, dask_option, levels, options_of
from msj.cli.options import policies_from_text as policies_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, show_grid, show_json, tell_gaps
from msj.errors import Failure

SHOWN = ("mean_response_time", "waiting_probability", "stability_threshold", "queue_growth_rate")
FOLDER = click.Path(path_type=Path)


def _levels(context: click.Context, option: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    return None if text is None else levels(context, option, text)


@click.command()
@click.argument("files", type=InputPath(), metavar="[FILE]...", nargs=-1)
@click.option(
    "--vary",
    multiple=True,
    metavar="NAME=VALUES",
    help="load=0.5..0.98/9 (9 values), servers=64,128 or 10..400..10 (by tens), share:CLASS=0.1,0.2, seed=1..5, "
    "classes.CLASS.need=2,4; may be given several times.",
)
@click.option("--policies", metavar="A,B,...", help="Policies, by commas.", shell_complete=complete_policies)
@click.option("--grid", type=click.Path(path_type=Path), metavar="TOML", help="A file that says all this.")
@click.option("--precision", type=float, metavar="SHARE", help="Relative half-width to reach.  [default: 0.01]")
@click.option("--jobs", type=JOBS, metavar="N", help="Most jobs of a cell.  [default: 1e9]")
@click.option("--levels", callback=_levels, metavar="P,P,...", help="Percentiles to give.  [default: 50,90,95,99,99.9]")
@click.option("--seed", type=SEED, metavar="N", help="Of what is simulated.  [default: 1]")
@click.option("--simulate", is_flag=True, default=None, help="Simulate even what has an exact answer.")
@click.option("--no-controls", "controls", flag_value=False, default=None, help="Plain means.")
@click.option("--out", type=FOLDER, metavar="FOLDER", help="Keep answers there; a sweep goes on where it was.")
@click.option("--processes", type=PROCESSES, metavar="N", help="Work side by side.  [default: all cores]")
@click.option("--threads", type=PROCESSES, metavar="N", help="Threads in place of processes.")
@dask_option
@click.option("--shard", metavar="I/N", help="The I-th of N parts of the grid, for job arrays.")
@click.option("--seconds", type=float, metavar="S", help="Stop after so long, with what there is.")
@click.option("--status", "status_of", type=FOLDER, metavar="FOLDER", help="Only say how far a folder is.")
@click.option("--prune", "prune_in", type=FOLDER, metavar="FOLDER", help="Only remove what is of no use any more.")
@options_of(DrawnOutput, "output")
def sweep(
    files: Sequence[Path],
    vary: Sequence[str],
    policies: str | None,
    processes: int | None,
    threads: int | None,
    dask: str | None,
    status_of: Path | None,
    prune_in: Path | None,
    output: DrawnOutput,
    **options: Any,
) -> None:
    """Answer every combination of clusters, values and policies.

    Exactly where possible, else simulated until each interval is narrow enough. What is kept in --out is never computed
    again; Ctrl-C or a kill loses the last half second.

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
    if not files and options["grid"] is None:
        raise click.UsageError("no FILE is given; name a cluster's file, or a grid with --grid")
    from msj.executors.workers import cores
    from msj.plots import sweep as picture
    from msj.sweeps import sweep as ask

    with ProgressBar() as bar:
        result = ask(
            list(files) or None,
            vary=list(vary) or None,
            policies=None if policies is None else policies_of(policies),
            processes=cores() if processes is None and threads is None and dask is None else processes or 1,
            threads=threads,
            dask=dask,
            progress=bar.show,
            **options,
        )
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
