"""``msj log FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.log_options import log_file, reading_options, require_programs
from msj.cli.messages import echo, say
from msj.cli.options import SEED, output_options
from msj.cli.report import page_path
from msj.cli.show import leave, show_result
from msj.store import write_text


@click.command()
@log_file
@reading_options
@click.option("--users", is_flag=True, help="Name users: their jobs and waits.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put the page, FILE_log.html.  [default: here; with --json or --csv: no page]",
)
@click.option("--seed", type=SEED, metavar="N", help="For shuffled jobs: same seed, same answer.  [default: a new one]")
@click.option("--unit", metavar="UNIT", help="Unit of times in --json and --csv.  [default: seconds]")
@output_options
def log(
    file: Path,
    users: bool,
    out: Path | None,
    seed: int | None,
    unit: str | None,
    as_json: bool,
    as_csv: bool,
    **reading: Any,
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

    require_programs(unit, as_json or as_csv)
    page = None if (as_json or as_csv) and out is None else page_path(out if out is not None else Path(), file, "log")
    found = answers.log(file, users=users, seed=seed, **reading)
    if as_json or as_csv:
        show_result(found if unit is None else found.in_unit(unit), as_json=as_json, as_csv=as_csv)
    else:
        from msj.reports.log_text import write_log_text

        echo(write_log_text(found))
    if page is not None:
        from msj.reports.log_page import write_log_page

        write_text(page, write_log_page(found))
        say(f"written: {page}")
    leave(found)
