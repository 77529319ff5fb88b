"""``msj replay FILE --policies A,B,...``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.log_options import log_file, reading_options, require_programs
from msj.cli.messages import echo
from msj.cli.options import SEED, complete_policies, output_options, policies_from_text
from msj.cli.options import levels as read_levels
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, show_result


@click.command()
@log_file
@reading_options
@click.option(
    "--policies",
    default="fcfs,easy-backfilling",
    show_default=True,
    metavar="A,B,...",
    help="Policies, by commas.",
    shell_complete=complete_policies,
)
@click.option(
    "--estimates",
    metavar="exact|requested|factor:F",
    help="What backfilling is told.  [default: requested where the log has it, else exact]",
)
@click.option(
    "--overruns",
    metavar="keep|cut|stretch",
    default="keep",
    show_default=True,
    help="Of jobs that ran longer than requested: keep both times, cut the run, stretch the estimate.",
)
@click.option("--largest-need", type=int, metavar="N", help="Jobs get at most N servers, and run longer.")
@click.option("--scale-load", type=float, default=1.0, metavar="F", help="So many times as much load.")
@click.option("--from-log-state", is_flag=True, help="Begin with what was running and waiting in the log.")
@click.option("--from", "from_time", type=float, metavar="S", help="Only jobs submitted from second S of the log on.")
@click.option("--until", "until_time", type=float, metavar="S", help="Only jobs submitted before second S of the log.")
@click.option(
    "--shakes",
    type=click.IntRange(0, 10_000),
    metavar="N",
    help="Replays with submissions moved by up to a minute, to see how sensitive the numbers are.  [default: 20]",
)
@click.option(
    "--levels", callback=read_levels, default="50,90,95,99", show_default=True, metavar="P,P,...", help="Percentiles."
)
@click.option("--seed", type=SEED, metavar="N", help="Same seed, same answer.  [default: a new one]")
@click.option(
    "--jobs-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every job: .parquet, .csv (as Batsim and evalys have it) or .swf.",
)
@click.option("--unit", metavar="UNIT", help="Unit of times in --json and --csv.  [default: seconds]")
@output_options
def replay(file: Path, policies: str, unit: str | None, as_json: bool, as_csv: bool, **options: Any) -> None:
    """Serve the jobs of the log in FILE by other policies, and say how long they would have waited.

    What the log recorded stands beside it. Brackets show how much the numbers move if submissions move a little: how
    sensitive they are, not how sure.

    \b
    Examples:
      msj replay examples/logs/small_cluster.swf --policies fcfs,easy-backfilling,conservative-backfilling
      msj replay examples/logs/small_cluster.swf --servers 48 --scale-load 1.2 --json
      msj replay jobs.txt --servers 4096 --estimates factor:2 --jobs-file replayed.swf
    """
    from msj import answers

    require_programs(unit, as_json or as_csv)
    with ProgressBar() as bar:
        result = answers.replay(file, policies=policies_from_text(policies), progress=bar.show, **options)
    if as_json or as_csv:
        show_result(result if unit is None else result.in_unit(unit), as_json=as_json, as_csv=as_csv)
    else:
        from msj.reports.log_text import write_replay_text

        echo(write_replay_text(result))
    leave(result)
