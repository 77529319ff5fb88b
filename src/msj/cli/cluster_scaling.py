"""``msj scaling cluster FILE --servers 64,128,...``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from msj.cli.messages import say
from msj.cli.options import load_options, output_options, read_system, speaking_of, spec_file
from msj.cli.rows import show_csv
from msj.cli.server_counts import server_counts
from msj.cli.show import show_grid, show_json
from msj.errors import InvalidInput
from msj.model.numbers import whole
from msj.plots.figure import check_path
from msj.results.table import write_number

if TYPE_CHECKING:
    from msj.results import Quantity
    from msj.scaling.cluster import ClusterPoint, ClusterScaling

HEADINGS = ("servers", "largest need", "arrival rate", "load", "P(wait)", "E[T]", "wasted servers", "share", "answer")


@click.command("cluster")
@spec_file
@click.option(
    "--servers", metavar="LIST", help="Numbers of servers: 64,128,256 or 64..65536 (doubling).  [default: FILE's]"
)
@click.option(
    "--keep",
    type=click.Choice(["load", "rate", "utilisation"]),
    default="load",
    show_default=True,
    help="What stays as the cluster changes: the share of its threshold, the arrival rate, the share of busy servers.",
)
@click.option(
    "--largest-need",
    "largest_need",
    metavar="CAP,...",
    help="Also answer with needs above CAP cut to it, durations stretched to keep the work.",
)
@load_options
@click.option("--jobs", type=click.IntRange(min=1000), metavar="N", help="Jobs of each simulation.  [default: by size]")
@click.option("--seed", type=int, metavar="N", help="Same seed, same answer.  [default: a new one]")
@output_options
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE", help="Also draw it (.png, .svg or .pdf).")
def cluster(
    file: Path,
    servers: str | None,
    keep: Any,
    largest_need: str | None,
    jobs: int | None,
    seed: int | None,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
    **loads: str | None,
) -> None:
    """Say how waiting, response time and waste of FILE change with the servers or a cap on the largest need.

    The jobs stay as they are. Answers are exact where that takes seconds and simulated with 95 % intervals elsewhere. A
    size that cannot take its arrivals says so; if no size can, the exit code is 1.

    \b
    Examples:
      msj scaling cluster examples/hpc_partition.toml --servers 32..512
      msj scaling cluster examples/hpc_partition.toml --servers 32,64,128 --keep rate --plot sizes.png
      msj scaling cluster examples/hpc_partition.toml --largest-need 16,8 --keep rate
    """
    from msj.scaling.cluster import cluster_scaling

    if plot is not None:
        check_path(plot)
    system = read_system(file, **loads)
    sizes = None if servers is None else server_counts(servers)
    with speaking_of(file):
        scaling = cluster_scaling(
            system,
            sizes,
            keep=keep,
            largest_needs=[] if largest_need is None else _caps(largest_need),
            rng=seed,
            jobs=jobs,
            watch=_watch,
            message=say,
        )
    if sys.stderr.isatty():
        click.echo("\r" + " " * 70 + "\r", nl=False, err=True)
    if as_json:
        show_json(scaling.to_dict())
    elif as_csv:
        show_csv(scaling.rows())
    else:
        _show(scaling)
    if plot is not None:
        from msj.plots.cluster_scaling import draw_cluster_scaling
        from msj.plots.figure import save

        save(draw_cluster_scaling(scaling), plot)
        click.echo(f"drawn: {plot}", err=True)
    if all(point.unstable for point in scaling.points):
        raise click.exceptions.Exit(1)


def _caps(text: str) -> list[int]:
    caps = [whole(part.strip(), "largest need") for part in text.split(",") if part.strip()]
    if not caps:
        raise InvalidInput(f"'{text}' gives no largest need; write --largest-need 16,8")
    return caps


def _watch(done: int, total: int, what: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done + 1} of {total}: {what}".ljust(70), nl=False, err=True)


def _show(scaling: ClusterScaling) -> None:
    click.echo(f"{scaling.system.name or 'system'}, keeping the {scaling.keep} at {scaling.kept:.6g}\n")
    show_grid(HEADINGS, [_cells(point) for point in scaling.points])
    click.echo()
    for point in scaling.points:
        if point.verdict not in ("solved", "simulated"):
            click.echo(f"{point.servers} servers, needs up to {point.largest_need}: {point.verdict}")
    for line in _methods(scaling):
        click.echo(line)
    found = [(point.largest_need, point.get("limiting_wasted_servers")) for point in scaling.points]
    limits = {(need, row.value) for need, row in found if row is not None}
    for need, limit in sorted(limits, reverse=True):
        click.echo(f"needs up to {need} waste {limit:.4g} servers of the largest clusters: asymptotic, by renewal")


def _cells(point: ClusterPoint) -> list[str]:
    short = {"solved": "exact"}.get(point.verdict, point.verdict.partition(":")[0].partition(",")[0])
    return [
        str(point.servers),
        str(point.largest_need),
        _cell(point.get("arrival_rate"), 5),
        _cell(point.get("load"), 4, interval=False),
        _cell(point.get("waiting_probability"), 4),
        _cell(point.get("mean_response_time"), 5),
        _cell(point.get("wasted_servers"), 4),
        "" if (share := point.get("wasted_share")) is None else f"{share.value:.2%}",
        short if len(short) <= 12 else "not known",
    ]


def _cell(row: Quantity | None, digits: int, *, interval: bool = True) -> str:
    if row is None:
        return ""
    text = write_number(row.value, digits)
    if interval and row.low is not None and row.high is not None:
        text += f" ({write_number(row.low, digits)} to {write_number(row.high, digits)})"
    return text


def _methods(scaling: ClusterScaling) -> list[str]:
    by_method: dict[str, list[int]] = {}
    for point in scaling.points:
        waits, times = (_how(point.get(name)) for name in ("waiting_probability", "mean_response_time"))
        together = {"P(wait) and E[T]": waits} if waits == times else {"P(wait)": waits, "E[T]": times}
        for words, how in (*together.items(), ("waste", _how(point.get("wasted_servers")))):
            if how is not None:
                by_method.setdefault(f"{words}: {how}", []).append(point.servers)
    return [
        f"{text} ({sizes[0]} servers)" if len(set(sizes)) == 1 else f"{text} ({min(sizes)} to {max(sizes)} servers)"
        for text, sizes in by_method.items()
    ]


def _how(row: Quantity | None) -> str | None:
    if row is None:
        return None
    return f"{row.kind}, by {'simulation' if row.kind == 'simulated' else row.method}"
