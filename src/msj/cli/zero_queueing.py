"""``msj scaling zero-queueing``: one cluster, or clusters that grow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from msj.cli.options import load_options, output_options, read_system, speaking_of
from msj.cli.rows import show_csv
from msj.cli.server_counts import SERVER_COUNTS_HELP, server_counts
from msj.cli.show import show_grid, show_json, show_result
from msj.model.numbers import number, whole
from msj.plots.figure import check_path

if TYPE_CHECKING:
    from msj.scaling.zero_queueing_family import FamilyAnswer

SIZES = "64,256,1024,4096,16384,65536"


@click.command("zero-queueing")
@click.argument("file", type=click.Path(path_type=Path), metavar="[FILE]", required=False)
@load_options
@click.option(
    "--needs", metavar="LIST", help="Instead of FILE: the classes' needs, expressions in n: 3,log2(n),sqrt(n)."
)
@click.option("--alpha", default="0", metavar="NUMBER", show_default=True, help="The load is 1-beta*n^-alpha.")
@click.option("--beta", default="0.25", metavar="NUMBER", show_default=True, help="The load is 1-beta*n^-alpha.")
@click.option("--means", metavar="LIST", help="Mean durations (exponential), one per need; 1 if not given.")
@click.option("--shares", metavar="LIST", help="Shares of the load, one per need (or of arrivals); equal if not given.")
@click.option(
    "--shares-of",
    type=click.Choice(["load", "arrivals"]),
    default="load",
    show_default=True,
    help="What --shares (or equal shares) are shares of.",
)
@click.option("--servers", metavar="LIST", help=f"With --needs. {SERVER_COUNTS_HELP}  [default: {SIZES}]")
@click.option("--jobs", metavar="N", help="Jobs to simulate (at each n); by default enough to outlast the beginning.")
@click.option("--seed", metavar="N", help="Seed of the simulation; a fresh one if not given.")
@click.option("--simulate/--no-simulate", "simulation", default=True, show_default=True, help="Whether to simulate.")
@click.option(
    "--exact-seconds", default="5", metavar="NUMBER", show_default=True, help="Leave out exact values that take longer."
)
@output_options
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE", help="Also draw it (with --needs).")
def zero_queueing(
    file: Path | None,
    load: str | None,
    arrival_rate: str | None,
    utilisation: str | None,
    needs: str | None,
    alpha: str,
    beta: str,
    means: str | None,
    shares: str | None,
    shares_of: Any,
    servers: str | None,
    jobs: str | None,
    seed: str | None,
    simulation: bool,
    exact_seconds: str,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
) -> None:
    """Say how likely an arriving job is to wait: bounds, exact, simulated.

    With FILE, for that cluster. With --needs, for clusters that grow, with load 1-beta*n^-alpha, and whether
    waiting vanishes as they do.

    \b
    Examples:
      msj scaling zero-queueing examples/hpc_partition.toml --utilisation 0.3
      msj scaling zero-queueing --needs "3,log2(n),sqrt(n)" --means 4,2,1 --alpha 0.1 --beta 0.25
      msj scaling zero-queueing --needs "1,sqrt(n)" --alpha 0.3 --servers 64,1024 --no-simulate --csv
    """
    if (file is None) == (needs is None):
        raise click.UsageError("give FILE or --needs: a cluster, or a family of clusters")
    options = {
        "simulation": simulation,
        "jobs": None if jobs is None else whole(jobs, "--jobs"),
        "rng": None if seed is None else whole(seed, "--seed", least=0),
        "exact_seconds": float(number(exact_seconds, "--exact-seconds")),
    }
    if file is not None:
        if plot is not None or servers is not None:
            raise click.UsageError("--plot and --servers go with --needs, not with FILE")
        _one(file, {"load": load, "arrival_rate": arrival_rate, "utilisation": utilisation}, options, as_json, as_csv)
        return
    if load or arrival_rate or utilisation:
        raise click.UsageError("with --needs the load is 1 - beta*n^-alpha; give --alpha and --beta")
    if plot is not None:
        check_path(plot)
    from msj.scaling.zero_queueing_family import ZeroQueueingFamily, zero_queueing_family

    family = ZeroQueueingFamily(
        needs=tuple(_parts(needs or "")),  # type: ignore[arg-type]
        alpha=number(alpha, "--alpha"),
        beta=number(beta, "--beta"),
        means=_numbers(means, "--means"),
        shares=_numbers(shares, "--shares"),
        shares_of=shares_of,
    )
    sizes = server_counts(servers or SIZES)
    answer = zero_queueing_family(family, sizes, progress=_progress if sys.stderr.isatty() else None, **options)  # type: ignore[arg-type]
    _show(answer, as_json, as_csv)
    if plot is not None:
        from msj.plots.figure import save
        from msj.plots.zero_queueing import draw_zero_queueing

        save(draw_zero_queueing(answer), plot)
        click.echo(f"drawn: {plot}", err=True)


def _one(file: Path, loads: dict[str, str | None], options: dict[str, Any], as_json: bool, as_csv: bool) -> None:
    from msj.results import Outcome
    from msj.scaling.zero_queueing import zero_queueing as ask

    system = read_system(file, **loads)
    with speaking_of(file):
        result = ask(system, **options)
    show_result(result, as_json=as_json, as_csv=as_csv)
    if result.outcome is Outcome.UNSTABLE:
        raise click.exceptions.Exit(1)


def _show(answer: FamilyAnswer, as_json: bool, as_csv: bool) -> None:
    rows = answer.rows()
    if as_json:
        family = answer.family
        facts = {
            "region": family.region,
            "gamma": float(family.gamma),
            "gamma_estimated": family.growth.estimated,
            "two_alpha_plus_gamma": float(family.border),
            "verdict": family.verdict,
            "message": family.in_words(),
        }
        show_json(facts | {"rows": rows})
        return
    if as_csv:
        show_csv(rows)
        return
    click.echo(answer.family.in_words() + "\n")
    headings = ["servers", "needs", "load", "bound", "sharper bound", "simulated", "exact", "lower bound", "jobs"]
    show_grid(headings, [_cells(row) for row in rows])
    click.echo("\nA bound above 1 says nothing; simulated: probability that a job waits, with its 95 % interval.")
    for point in answer.points:
        for note in point.notes:
            click.echo(f"n = {point.servers}: {note[0].lower()}{note[1:]}")


def _cells(row: dict[str, Any]) -> list[str]:
    def cell(key: str) -> str:
        return "-" if row[key] is None else f"{row[key]:.4g}"

    simulated = "-" if row["simulated"] is None else f"{cell('simulated')} ({cell('low')} to {cell('high')})"
    return [
        str(row["servers"]),
        row["needs"],
        cell("utilisation"),
        cell("bound"),
        cell("sharper_bound"),
        simulated,
        cell("exact"),
        cell("lower_bound"),
        f"{row['jobs']:,}",
    ]


def _parts(text: str) -> list[str]:
    """Split a list at the commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _numbers(text: str | None, name: str) -> tuple[Any, ...]:
    return () if text is None else tuple(number(part, name) for part in _parts(text))


def _progress(done: int, total: int) -> None:
    click.echo(f"\rcluster {done + 1} of {total}", err=True, nl=done + 1 == total)
