"""``msj plan FILE --target "p95 wait <= 2 h"``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.options import (
    JOBS,
    SEED,
    WORKERS,
    WholeNumber,
    complete_policies,
    dask_option,
    load_options,
    output_options,
    plot_option,
    policies_from_text,
    read_system,
    speaking_of,
    spec_file,
)
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import draw_to, leave, show_result
from msj.errors import InvalidInput


def _writable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a page that cannot be written, before anything is computed for it."""
    if path is not None and not path.parent.is_dir():
        raise InvalidInput(f"'{path}' cannot be written (no folder '{path.parent}'); check the path")
    return path


@click.command()
@spec_file
@click.option(
    "--target",
    "targets",
    multiple=True,
    required=True,
    metavar="TEXT",
    help='What is to be met: "p95 wait <= 2 h", "mean response[class=large] <= 8 h". Several times for several.',
)
@click.option(
    "--vary",
    default="servers",
    show_default=True,
    metavar="servers|load|cap|policy|share:CLASS|partition",
    help="What is looked for.",
)
@click.option("--policies", metavar="A,B,...", help="Plan for each of these.", shell_complete=complete_policies)
@click.option("--growth", metavar="TEXT", help='How fast the load grows: "20 %/year".')
@click.option("--price", metavar="TEXT", help='What a server costs: "1.2 EUR/server hour".')
@click.option("--efficiency", metavar="linear|amdahl:F", help="With --vary cap: how jobs run on fewer servers.")
@click.option("--odds", type=float, default=0.05, show_default=True, metavar="P", help="Most odds of a wrong verdict.")
@click.option("--jobs", type=JOBS, default=4_000_000, show_default=True, metavar="N", help="Most jobs of one point.")
@click.option("--seconds", type=float, metavar="S", help="Stop after this time with what there is.")
@click.option("--workers", type=WORKERS, default=1, show_default=True, metavar="N", help="Cores for simulations.")
@dask_option
@click.option("--seed", type=SEED, metavar="N", help="Same seed, same answer.  [default: a new one]")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Keep points there, or go on there.")
@click.option("--servers", type=WholeNumber(min=1), metavar="N", help="Of a log: the machine's size.")
@click.option("--estimates", metavar="exact|requested|factor:F", help="Of a log: what backfilling is told.")
@click.option("--unit", metavar="UNIT", help="Of a cluster: say times in this unit: s, min, h, days, ...")
@load_options
@plot_option
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="PAGE",
    help="Also write one HTML page with the picture.",
    callback=_writable,
)
@output_options
def plan(
    file: Path,
    targets: tuple[str, ...],
    policies: str | None,
    unit: str | None,
    servers: int | None,
    estimates: str | None,
    plot: Path | None,
    html: Path | None,
    as_json: bool,
    as_csv: bool,
    load: str | None,
    arrival_rate: str | None,
    utilisation: str | None,
    **asked: Any,
) -> None:
    """Say which size, load, cap or policy meets the targets. FILE describes a cluster, or is a log.

    The answer is one sentence, then the points tried. Leaves with 1 if nothing tried meets the targets.

    \b
    Examples:
      msj plan examples/hpc_partition.toml --target "p95 wait <= 2 h"
      msj plan examples/two_servers.toml --target "mean wait <= 1" --vary load
      msj plan examples/two_servers.toml --target "p95 wait <= 3" --policies fcfs,first-fit --plot trade_off.png
      msj plan examples/logs/small_cluster.swf --target "mean wait <= 1 h" --policies easy-backfilling
    """
    from msj.logs.reading import format_of
    from msj.planning import plan as ask

    chosen = None if policies is None else policies_from_text(policies)
    is_log = file.suffix.lower() not in (".toml", ".json") and format_of(file) is not None
    with ProgressBar() as bar, speaking_of(file):
        if is_log:
            given: dict[str, Any] = {"file": file, "servers": servers, "estimates": estimates}
        else:
            loads: dict[str, Any] = {"load": load, "arrival_rate": arrival_rate, "utilisation": utilisation}
            given = {"system": read_system(file, unit=unit, **loads)}
            given |= {
                key: value for key, value in (("servers", servers), ("estimates", estimates)) if value is not None
            }
        result = ask(**given, targets=list(targets), policies=chosen, progress=bar.show, **asked)
    show_result(result, as_json=as_json, as_csv=as_csv)
    if plot is not None:
        from msj.plots import plan as picture

        draw_to(plot, picture.draw, result)
    if html is not None:
        from msj.reports.plan_page import write_plan_page

        write_plan_page(result, html)
    leave(result)
