"""``msj fluid FILE --until T``."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from msj.cli.options import load_options, output_options, read_system, speaking_of, spec_file
from msj.cli.rows import show_csv
from msj.cli.server_counts import SERVER_COUNTS_HELP, server_counts
from msj.cli.show import show_grid, show_json
from msj.model.numbers import number, positive, whole
from msj.plots.figure import check_path

if TYPE_CHECKING:
    from msj.scaling.fluid_paths import FluidAnswer

SHOWN_TIMES = 11


@click.command()
@spec_file
@load_options
@click.option("--until", required=True, metavar="T", help="The time up to which it is followed.")
@click.option(
    "--start",
    default="empty",
    show_default=True,
    help="empty, equilibrium, or jobs present / arrival rate for each class: 0.5,2.",
)
@click.option(
    "--tolerance",
    default="0.01",
    metavar="NUMBER",
    show_default=True,
    help="Share of the equilibrium that counts as there.",
)
@click.option(
    "--servers", metavar="LIST", help=f"Also simulate this mix of work on each of these. {SERVER_COUNTS_HELP}"
)
@click.option("--paths", metavar="N", help="Simulated paths for each size.  [default: 10 with --servers, else none]")
@click.option("--seed", metavar="N", help="Seed of the simulation; a fresh one if not given.")
@output_options
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE", help="Also draw it (.png, .svg or .pdf).")
def fluid(
    file: Path,
    load: str | None,
    arrival_rate: str | None,
    utilisation: str | None,
    until: str,
    start: str,
    tolerance: str,
    servers: str | None,
    paths: str | None,
    seed: str | None,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
) -> None:
    """Follow the number of jobs of each class in FILE over time, as in a very large cluster.

    What is followed is X(t)/lambda, jobs present over arrival rate; it settles at the mean duration. With --servers,
    simulated paths of clusters of these sizes, and how far they are from the limit.

    \b
    Examples:
      msj fluid examples/two_servers.toml --until 20
      msj fluid examples/two_servers.toml --until 20 --start 0.5,2 --servers 64,1024,16384 --plot fluid.png
      msj fluid examples/two_servers.toml --until 20 --csv
    """
    from msj.scaling.fluid_paths import fluid as follow

    if plot is not None:
        check_path(plot)
    system = read_system(file, load=load, arrival_rate=arrival_rate, utilisation=utilisation)
    sizes = [] if servers is None else server_counts(servers)
    with speaking_of(file):
        answer = follow(
            system,
            float(positive(until, "--until")),
            start=_start(start),
            servers=sizes,
            paths=whole(paths, "--paths", least=0) if paths is not None else 10 if sizes else 0,
            rng=None if seed is None else whole(seed, "--seed", least=0),
            progress=_progress if sys.stderr.isatty() else None,
        )
        settled = answer.model.time_to_equilibrium(float(positive(tolerance, "--tolerance")))
    if as_json:
        show_json(_document(answer, settled))
    elif as_csv:
        show_csv(answer.rows())
    else:
        _show(answer, settled, tolerance)
    if plot is not None:
        from msj.plots.figure import save
        from msj.plots.fluid import draw_fluid

        save(draw_fluid(answer), plot)
        click.echo(f"drawn: {plot}", err=True)


def _start(text: str) -> Any:
    if text.strip().replace("-", "").isalpha():
        return text.strip()
    return [float(number(part.strip(), "--start")) for part in text.split(",")]


def _document(answer: FluidAnswer, settled: float) -> dict[str, Any]:
    return {
        "system": answer.system.to_spec(),
        "until": answer.until,
        "time_to_equilibrium": settled,
        "equilibrium": dict(zip(answer.model.classes, answer.model.equilibrium.tolist(), strict=True)),
        "distances": [
            {
                "servers": cluster.servers,
                "paths": len(cluster.distances),
                "mean_distance": cluster.mean_distance,
                "half_width": None if math.isnan(cluster.half_width) else cluster.half_width,
            }
            for cluster in answer.clusters
        ],
        "slope": answer.slope,
        "rows": answer.rows(),
    }


def _show(answer: FluidAnswer, settled: float, tolerance: str) -> None:
    model = answer.model
    click.echo(f"{answer.system.name or 'system'}: jobs present / arrival rate in a very large cluster\n")
    step = (len(answer.times) - 1) / (SHOWN_TIMES - 1)
    shown = [round(step * k) for k in range(SHOWN_TIMES)]
    rows = [[f"{answer.times[k]:.6g}", *(f"{y:.6g}" for y in answer.fluid[k])] for k in shown]
    show_grid(["time", *model.classes], [*rows, ["settles at", *(f"{y:.6g}" for y in model.equilibrium)]])
    click.echo(f"\nWithin {100 * float(number(tolerance, '--tolerance')):g} % of that from time {settled:.6g} on.")
    reason = model.why_not_covered()
    if reason is not None:
        click.echo(f"This start is outside the theorem: {reason}.")
    if not answer.clusters:
        return
    click.echo("\nLargest distance of simulated paths from the fluid, summed over classes:\n")
    show_grid(
        ["servers", "paths", "mean distance", "95 % interval"],
        [
            [
                str(cluster.servers),
                str(len(cluster.distances)),
                f"{cluster.mean_distance:.4g}",
                "-" if math.isnan(cluster.half_width) else f"± {cluster.half_width:.2g}",
            ]
            for cluster in answer.clusters
        ],
    )
    if answer.slope is not None:
        click.echo(f"\nThe distance falls like n^{answer.slope:.2f} (theory: n^-0.5 where needs do not grow).")


def _progress(done: int, total: int) -> None:
    click.echo(f"\rcluster {done + 1} of {total}", err=True, nl=done + 1 == total)
