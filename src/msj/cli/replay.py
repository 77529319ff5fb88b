"""``msj replay FILE --policies A,B,...``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.messages import echo
from msj.cli.options import input_file, options_of
from msj.cli.output import Output
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.options import ReplayOptions

POLICIES, LEVELS = ("fcfs", "easy-backfilling"), (50.0, 90.0, 95.0, 99.0)  # of the command, if none are named


@click.command()
@input_file
@options_of(ReplayOptions, "asked")
@click.option("--unit", metavar="UNIT", help="Unit of times in --json and --csv.  [default: seconds]")
@options_of(Output, "output")
def replay(file: Path, asked: ReplayOptions, unit: str | None, output: Output) -> None:
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

    output.require_programs(unit)
    given = {"policies": POLICIES, "levels": LEVELS} | asked.given()
    with ProgressBar() as bar:
        result = answers.replay(file, **given, progress=bar.show)
    if output.for_programs:
        output.show(result, unit=unit)
    else:
        from msj.reports.log_text import write_replay_text

        echo(write_replay_text(result))
    leave(result)
