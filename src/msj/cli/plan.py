"""``msj plan FILE --target "p95 wait <= 2 h"``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.cluster_options import ClusterOptions
from msj.cli.options import input_file, options_of, read_system, speaking_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.errors import InvalidInput
from msj.options import PlanOptions, ReadOptions


def _writable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a page that cannot be written, before anything is computed for it."""
    if path is not None and not path.parent.is_dir():
        raise InvalidInput(f"'{path}' cannot be written (no folder '{path.parent}'); check the path")
    return path


@click.command()
@input_file
@options_of(PlanOptions, "asked", required=["targets"])
@options_of(ClusterOptions, "cluster", without=["servers"])
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="PAGE",
    help="Also write one HTML page with the picture.",
    callback=_writable,
)
@options_of(DrawnOutput, "output")
def plan(file: Path, asked: PlanOptions, cluster: ClusterOptions, html: Path | None, output: DrawnOutput) -> None:
    """Say which size, load, cap or policy meets the targets. FILE describes a cluster, or is a log.

    The answer is one sentence, then the points tried. Leaves with 1 if nothing tried meets the targets.

    \b
    Examples:
      msj plan examples/hpc_partition.toml --target "p95 wait <= 2 h"
      msj plan examples/two_servers.toml --target "mean wait <= 1" --vary load
      msj plan examples/two_servers.toml --target "p95 wait <= 3" --policies fcfs,first-fit --plot trade_off.png
      msj plan examples/logs/small_cluster.swf --target "mean wait <= 1 h" --policies easy-backfilling
    """
    from msj.logs.formats import is_log
    from msj.planning import plan as ask
    from msj.plots import plan as picture

    with ProgressBar() as bar, speaking_of(file):
        if is_log(file, ReadOptions(**asked.part(ReadOptions))):
            if cluster.given():
                flag = f"--{next(iter(cluster.given())).replace('_', '-')}"
                raise click.UsageError(f"{flag} is for clusters; a log has its own load, and its times are seconds")
            result = ask(file=file, **asked.given(), progress=bar.show)
        else:
            result = ask(read_system(file, **cluster.given()), **asked.given(), progress=bar.show)
    output.show(result)
    output.draw(picture.draw, result)
    if html is not None:
        from msj.reports.plan_page import write_plan_page

        write_plan_page(result, html)
    leave(result)
