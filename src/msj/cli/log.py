"""``msj log FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.messages import echo, say
from msj.cli.options import input_file, options_of
from msj.cli.output import Output
from msj.cli.report import page_path
from msj.cli.show import leave
from msj.options import ReadOptions, SeedOptions
from msj.store import write_text


@click.command()
@input_file
@options_of(ReadOptions, "reading")
@click.option("--users", is_flag=True, help="Name users: their jobs and waits.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put the page, FILE_log.html.  [default: here; with --json or --csv: no page]",
)
@options_of(SeedOptions, "seeding")
@click.option("--unit", metavar="UNIT", help="Unit of times in --json and --csv.  [default: seconds]")
@options_of(Output, "output")
def log(
    file: Path,
    users: bool,
    out: Path | None,
    unit: str | None,
    reading: ReadOptions,
    seeding: SeedOptions,
    output: Output,
) -> None:
    """Look at the log in FILE: what was read, how full the machine was, how long jobs waited; as text and as a page.

    FILE is in the Standard Workload Format, what Slurm's sacct -P prints, CSV or Parquet; .gz, .xz and .zst are read as
    they are. Lines that are no jobs are counted by reason, and the rest is used.

    \b
    Examples:
      msj log examples/logs/small_cluster.swf
      sacct -P -a -X -S 2024-01-01 -o JobID,Submit,Eligible,Start,End,Elapsed,Timelimit,State,AllocCPUS > jobs.txt
      msj log jobs.txt --servers 4096
      msj log jobs.csv --columns submit=queued_at,need=gpus,run=seconds --servers 64
    """
    from msj import answers

    output.require_programs(unit)
    page = None if output.for_programs and out is None else page_path(out if out is not None else Path(), file, "log")
    found = answers.log(file, users=users, **seeding.given(), **reading.given())
    if output.for_programs:
        output.show(found, unit=unit)
    else:
        from msj.reports.log_text import write_log_text

        echo(write_log_text(found))
    if page is not None:
        from msj.reports.log_page import write_log_page

        write_text(page, write_log_page(found))
        say(f"written: {page}")
    leave(found)
