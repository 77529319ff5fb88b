"""``msj report FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import LOADS, ClusterOptions
from msj.cli.messages import echo_with_headings, say
from msj.cli.options import complete_policies, input_file, options_of, policies_from_text, read_system, speaking_of
from msj.cli.output import Output
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.errors import InvalidInput
from msj.options import ReadOptions, SeedOptions
from msj.store import write_text


@click.command()
@input_file
@options_of(ClusterOptions, "cluster")
@options_of(ReadOptions, "reading", without=["servers"])
@click.option("--users", is_flag=True, help="Of a log: name users, their jobs and waits.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put the page, FILE_report.html.  [default: here; with --json or --csv: no page]",
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
    help="Work to do, in seconds of a nominal machine (a million simulated jobs in a second).",
)
@options_of(SeedOptions, "seeding")
@options_of(Output, "output")
def report(
    file: Path,
    out: Path | None,
    users: bool,
    policies: str | None,
    precision: float,
    seconds: float,
    cluster: ClusterOptions,
    reading: ReadOptions,
    seeding: SeedOptions,
    output: Output,
) -> None:
    """Say everything about the cluster, or the log, in FILE: a page of text here, and one HTML page with plots.

    The page needs no network, and prints. Findings come first; each number says how sure it is. If FILE names no
    load, 0.8 of what the cluster takes is looked at. The exit code is 1 if the cluster does not take its load.

    Of a log (SWF, Slurm's sacct, CSV, Parquet) it says whether the backfilling is any good, who waits, what more
    servers or a cap on size would have brought, how near saturation is, and what a fit to it can tell.

    \b
    Examples:
      msj report examples/hpc_partition.toml
      msj report examples/gpu_training.toml --out reports --policies easy-backfilling,server-filling
      msj report examples/two_servers.toml --load 0.95 --seed 1
      msj report examples/two_servers.toml --json > report.json
      msj report examples/logs/small_cluster.swf
    """
    from msj import reports
    from msj.logs.formats import is_log
    from msj.logs.spec_or_log import require_no_reading

    page = None if output.for_programs and out is None else page_path(out if out is not None else Path(), file)
    asked = {"policies": None if policies is None else policies_from_text(policies), **seeding.given()}
    if is_log(file, reading):
        _report_log(file, page, cluster, output, users=users, **reading.given(), **asked)
        return
    require_no_reading(reading)
    system = read_system(file, **cluster.given())
    with speaking_of(file), ProgressBar() as bar:
        found = reports.report(system, precision=precision, seconds=seconds, progress=bar.show, **asked)
    if output.for_programs:
        output.show(found)
    else:
        echo_with_headings(lambda heading: reports.write_text(found, heading=heading))
    if page is not None:
        write_text(page, reports.write_page(found))
        say(f"written: {page}")
    if found.load is None:
        raise click.exceptions.Exit(2)
    leave(found)


def _report_log(file: Path, page: Path | None, cluster: ClusterOptions, output: Output, **asked: Any) -> None:
    from msj import reports

    output.require_programs(cluster.unit)
    if loads := [f"--{name.replace('_', '-')}" for name in LOADS if getattr(cluster, name) is not None]:
        raise click.UsageError(f"{' and '.join(loads)}: a log has its own load; msj replay --scale-load changes it")
    with ProgressBar() as bar:
        found = reports.report_log(file, servers=cluster.servers, progress=bar.show, **asked)
    if output.for_programs:
        output.show(found, unit=cluster.unit)
    else:
        from msj.reports.log_report_text import write_log_report_text

        echo_with_headings(lambda heading: write_log_report_text(found, heading=heading))
    if page is not None:
        from msj.reports.log_page import write_log_report

        write_text(page, write_log_report(found))
        say(f"written: {page}")
    leave(found)


def page_path(folder: Path, file: Path, kind: str = "report") -> Path:
    """Return where the page goes; the folder is made, or refused before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out '{folder}' cannot be made ({error.strerror}); give a folder") from None
    path = folder / f"{file.stem}_{kind}.html"
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise InvalidInput(f"'{path}' cannot be written ({error.strerror}); check the path") from None
    if path.stat().st_size == 0:
        path.unlink()
    return path
