"""``msj sweep FILE... --vary NAME=VALUES --policies A,B --out FOLDER``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from msj.cli.messages import say
from msj.cli.options import (
    JOBS,
    PROCESSES,
    SEED,
    SpecPath,
    complete_policies,
    dask_option,
    levels,
    output_options,
    plot_option,
)
from msj.cli.options import policies_from_text as policies_of
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import draw_to, leave, show_grid, show_json, show_result, tell_gaps
from msj.errors import Failure

SHOWN = ("mean_response_time", "waiting_probability", "stability_threshold", "queue_growth_rate")
FOLDER = click.Path(path_type=Path)


def _levels(context: click.Context, option: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    return None if text is None else levels(context, option, text)


@click.command()
@click.argument("files", type=SpecPath(), metavar="[FILE]...", nargs=-1)
@click.option(
    "--vary",
    multiple=True,
    metavar="NAME=VALUES",
    help="Vary a parameter: load=0.5..0.98/9 (9 values), servers=64,128, share:CLASS=0.1,0.2, seed=1..5, "
    "classes.CLASS.need=2,4. Repeat it for a grid.",
)
@click.option(
    "--policies",
    metavar="A,B,...",
    help="Answer each cell under these policies.  [default: the file's own]",
    shell_complete=complete_policies,
)
@click.option(
    "--grid",
    type=click.Path(path_type=Path),
    metavar="TOML",
    help="Read files, parameters, policies and options from a TOML file; what is given here counts more.",
)
@click.option(
    "--precision",
    type=float,
    metavar="SHARE",
    help="Simulate each cell to this half-width of its mean response time, as a share of the mean.  [default: 0.01]",
)
@click.option("--jobs", type=JOBS, metavar="N", help="Simulate at most N jobs in a cell.  [default: 1e9]")
@click.option(
    "--levels",
    callback=_levels,
    metavar="P,P,...",
    help="Report these percentiles of simulated cells.  [default: 50,90,95,99,99.9]",
)
@click.option("--seed", type=SEED, metavar="N", help="Seed of the random numbers.  [default: 1]")
@click.option("--simulate", is_flag=True, default=None, help="Simulate even what has an exact answer.")
@click.option(
    "--no-controls", "controls", flag_value=False, default=None, help="Report sample means without control variates."
)
@click.option("--out", type=FOLDER, metavar="FOLDER", help="Write answers to FOLDER; continue the sweep that is there.")
@click.option("--processes", type=PROCESSES, metavar="N", help="Compute in N processes.  [default: all cores]")
@click.option("--threads", type=PROCESSES, metavar="N", help="Compute in N threads instead of processes.")
@dask_option
@click.option("--shard", metavar="I/N", help="Answer the I-th of N parts of the grid, for job arrays.")
@click.option("--seconds", type=float, metavar="S", help="Stop after S seconds and write the answers there are.")
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
@plot_option
@output_options
def sweep(
    files: Sequence[Path],
    vary: Sequence[str],
    policies: str | None,
    processes: int | None,
    threads: int | None,
    dask: str | None,
    status_of: Path | None,
    prune_in: Path | None,
    plot: Path | None,
    as_json: bool,
    as_csv: bool,
    **options: Any,
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
        _show_status(status_of, as_json=as_json)
        return
    if prune_in is not None:
        from msj.sweeps.upkeep import prune

        rows, size = prune(prune_in)
        say(f"removed {rows:,} rows; {max(size, 0) / 1e6:.1f} MB less")
        return
    if processes is not None and (threads is not None or dask is not None):
        raise click.UsageError("--processes, --threads and --dask are several ways to compute; give one of them")
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
    show_result(result, as_json=as_json, as_csv=as_csv, names=SHOWN)
    tell_gaps(result, as_csv=as_csv)
    if result.outcome.exit_code != 130:
        draw_to(plot, picture.draw, result)
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
