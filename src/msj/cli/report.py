"""``msj report FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import cluster_options
from msj.cli.log_options import format_options, is_log, require_programs
from msj.cli.messages import echo_with_headings, say
from msj.cli.options import (
    SEED,
    complete_policies,
    load_options,
    output_options,
    policies_from_text,
    read_system,
    speaking_of,
    spec_file,
)
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, show_result
from msj.errors import InvalidInput
from msj.store import write_text

READING = ("users", "format", "servers_are", "columns", "time_unit", "wait_from", "strict")


@click.command()
@spec_file
@load_options
@cluster_options
@format_options
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
@click.option("--seed", type=SEED, metavar="N", help="Same seed, same answer.  [default: a new one]")
@output_options
def report(
    file: Path,
    out: Path | None,
    policies: str | None,
    precision: float,
    seconds: float,
    seed: int | None,
    as_json: bool,
    as_csv: bool,
    **given: Any,
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

    reading = {name: given.pop(name) for name in READING}
    page = None if (as_json or as_csv) and out is None else page_path(out if out is not None else Path(), file)
    if is_log(file) or reading["format"] is not None:
        _report_log(file, page, policies, seed, as_json, as_csv, given, reading)
        return
    system = read_system(file, **given)
    with speaking_of(file), ProgressBar() as bar:
        found = reports.report(
            system,
            policies=None if policies is None else policies_from_text(policies),
            precision=precision,
            seconds=seconds,
            seed=seed,
            progress=bar.show,
        )
    if as_json or as_csv:
        show_result(found, as_json=as_json, as_csv=as_csv)
    else:
        echo_with_headings(lambda heading: reports.write_text(found, heading=heading))
    if page is not None:
        write_text(page, reports.write_page(found))
        say(f"written: {page}")
    if found.load is None:
        raise click.exceptions.Exit(2)
    leave(found)


def _report_log(
    file: Path,
    page: Path | None,
    policies: str | None,
    seed: int | None,
    as_json: bool,
    as_csv: bool,
    given: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    from msj import reports

    unit, servers = given.pop("unit"), given.pop("servers")
    require_programs(unit, as_json or as_csv)
    loads = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if loads:
        raise click.UsageError(f"{' and '.join(loads)}: a log has its own load; msj replay --scale-load changes it")
    with ProgressBar() as bar:
        found = reports.report_log(
            file,
            servers=servers,
            policies=None if policies is None else policies_from_text(policies),
            seed=seed,
            progress=bar.show,
            **reading,
        )
    if as_json or as_csv:
        show_result(found if unit is None else found.in_unit(unit), as_json=as_json, as_csv=as_csv)
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
