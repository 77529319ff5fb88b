"""``msj scaling one-and-n --share EXPR``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from msj.cli.options import output_options
from msj.cli.rows import show_csv
from msj.cli.server_counts import SERVER_COUNTS_HELP, server_counts
from msj.cli.show import show_grid, show_json
from msj.model.numbers import positive, reciprocal
from msj.plots.figure import check_path
from msj.results.table import write_number

if TYPE_CHECKING:
    from msj.scaling.load_focused import LoadFocusedScaling


@click.command("one-and-n")
@click.option("--share", metavar="EXPR", help="Share p_n of jobs that need all n servers: 'n^-0.5', '2/(n*ln(n))'.")
@click.option("--alpha", metavar="NUMBER", help="Instead of --share: p_n = c n^-alpha.")
@click.option("--c", "factor", metavar="NUMBER", help="The c of --alpha; 1 if not given.")
@click.option("--rate-small", metavar="NUMBER", help="Rate of the 1-server jobs' durations (mu_1); 1 if not given.")
@click.option("--rate-large", metavar="NUMBER", help="Rate of the n-server jobs' durations (mu_n); 1 if not given.")
@click.option("--mean-small", metavar="NUMBER", help="Mean duration of 1-server jobs, instead of their rate.")
@click.option("--mean-large", metavar="NUMBER", help="Mean duration of n-server jobs, instead of their rate.")
@click.option("--servers", default="64..1e8", show_default=True, metavar="LIST", help=SERVER_COUNTS_HELP)
@click.option("--points", type=click.IntRange(2, 1000), default=13, show_default=True, help="Points of a range.")
@output_options
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE", help="Also draw it (.png, .svg or .pdf).")
def one_and_n(
    share: str | None,
    alpha: str | None,
    factor: str | None,
    rate_small: str | None,
    rate_large: str | None,
    mean_small: str | None,
    mean_large: str | None,
    servers: str,
    points: int,
    as_json: bool,
    as_csv: bool,
    plot: Path | None,
) -> None:
    """Say how a cluster scales whose jobs need one server or all of them (load-focused scaling).

    Decides the regime, and gives the stability threshold mu and the relative completions E[Delta(Y_d)], exact and
    asymptotic. One more than the latter is the limit of E[queue] (1 - lambda/mu) in heavy traffic. Beside the paper's
    asymptotics stand Theorem 4.3 with the Euler constant it loses ("corrected") and a form of our own that is much
    closer ("refined").

    \b
    Examples:
      msj scaling one-and-n --share "n^-0.5"
      msj scaling one-and-n --alpha 2 --rate-small 10 --servers 100,1e4,1e6
      msj scaling one-and-n --share "1/(n*ln(n))" --servers 1e3..1e12 --plot border.png
    """
    from msj.scaling.load_focused import load_focused_scaling

    if plot is not None:
        check_path(plot)
    family = load_focused_scaling(
        _share(share, alpha, factor),
        server_counts(servers, points=points),
        rate_small=_rate(rate_small, mean_small, "small"),
        rate_large=_rate(rate_large, mean_large, "large"),
        progress=_count if sys.stderr.isatty() else None,
    )
    if sys.stderr.isatty():
        click.echo("\r" + " " * 40 + "\r", nl=False, err=True)
    if as_json:
        show_json(family.to_dict())
    elif as_csv:
        show_csv(family.rows())
    else:
        _show(family)
    if plot is not None:
        from msj.plots.figure import save
        from msj.plots.load_focused import draw_load_focused

        save(draw_load_focused(family), plot)
        click.echo(f"drawn: {plot}", err=True)


def _count(done: int) -> None:
    click.echo(f"\r{done} systems solved", nl=False, err=True)


def _share(share: str | None, alpha: str | None, factor: str | None) -> str:
    if share is not None:
        if alpha is not None or factor is not None:
            raise click.UsageError("--share is given, and --alpha or --c too; give the share in one way only")
        return share
    if alpha is None:
        raise click.UsageError("no share of large jobs is given; add --share 'n^-0.5' or --alpha 0.5")
    exponent = positive(alpha, "alpha")
    c = positive(1 if factor is None else factor, "c")
    power = f"n^-{_in_brackets(str(exponent))}"
    return power if c == 1 else f"{_in_brackets(str(c))}*{power}"


def _in_brackets(number: str) -> str:
    return number if number.isdigit() else f"({number})"


def _rate(rate: str | None, mean: str | None, which: str) -> float:
    if rate is not None and mean is not None:
        raise click.UsageError(f"--rate-{which} and --mean-{which} are both given; give one of them")
    if mean is not None:
        return float(reciprocal(positive(mean, f"mean-{which}")))
    return float(positive(1 if rate is None else rate, f"rate-{which}"))


def _show(family: LoadFocusedScaling) -> None:
    decision = family.decision
    how = "decided exactly" if decision.exact else "read off numbers"
    click.echo(f"p_n = {family.share}: {decision.regime.value}")
    click.echo(f"{decision.reason} ({how}{'; ' if decision.regime.citation else ''}{decision.regime.citation})\n")
    columns = [name for name in family.rows()[0] if any(row[name] is not None for row in family.rows())]
    for quantity, title in (
        ("threshold", "stability threshold mu"),
        ("lost", "lost throughput n mu_1 - mu"),
        ("completions", "relative completions E[Delta(Y_d)]"),
    ):
        chosen = [name for name in columns if name.partition("_")[0] == quantity]
        if quantity == "lost" and len(chosen) == 1:
            continue  # beside nothing, it says no more than the threshold
        headings = ["servers", "exact", *(name.removeprefix(f"{quantity}_").replace("_", " ") for name in chosen[1:])]
        click.echo(title)
        rows = [[str(row["servers"]), *(_number(row[name]) for name in chosen)] for row in family.rows()]
        show_grid(headings, rows)
        click.echo()


def _number(value: float | None) -> str:
    return "" if value is None else write_number(value, 7)
