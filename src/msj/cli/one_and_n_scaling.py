"""``msj scaling one-and-n --share EXPR``."""

from __future__ import annotations

import click

from msj.cli.options import options_of
from msj.cli.output import DrawnOutput
from msj.cli.progress_bar import ProgressBar
from msj.cli.server_counts import SERVER_COUNTS_HELP, server_counts
from msj.model.numbers import positive, reciprocal


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
@click.option("--terms", is_flag=True, help="Also E[Delta(Y_d)] term by term, exact and as the theorems have it.")
@click.option("--worst", is_flag=True, help="Instead of a share: the one at which E[Delta(Y_d)] is largest, at each n.")
@click.option("--needs", metavar="LIST", help="Needs of the two classes instead of 1,n: 'sqrt(n),n/2'.")
@options_of(DrawnOutput, "output")
def one_and_n(
    share: str | None,
    alpha: str | None,
    factor: str | None,
    servers: str,
    points: int,
    terms: bool,
    worst: bool,
    needs: str | None,
    output: DrawnOutput,
    **speeds: str | None,
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
      msj scaling one-and-n --worst --servers 100,1e4,1e8
      msj scaling one-and-n --needs "1,n/2" --share 1/n --servers 64,256,1024
    """
    from msj.growth import one_and_n_scaling, one_and_n_worst, two_needs_scaling
    from msj.plots import load_focused

    if output.plot is not None and (worst or needs is not None):
        raise click.UsageError("--plot shows a share of jobs that need all servers; leave out --worst and --needs")
    if terms and (worst or needs is not None):
        raise click.UsageError("--terms are those of jobs that need one server or all; leave out --worst and --needs")
    rates = {f"rate_{w}": _rate(speeds[f"rate_{w}"], speeds[f"mean_{w}"], w) for w in ("small", "large")}
    sizes = server_counts(servers, points=points)
    with ProgressBar() as bar:
        if worst:
            if share is not None or alpha is not None or needs is not None:
                raise click.UsageError("--worst finds the share itself; leave out --share, --alpha and --needs")
            result = one_and_n_worst(sizes, **rates, progress=bar.show)
        elif needs is not None:
            given = _share(share, alpha, factor)
            result = two_needs_scaling(needs.split(","), given, sizes, **rates, progress=bar.show)
        else:
            result = one_and_n_scaling(_share(share, alpha, factor), sizes, **rates, terms=terms, progress=bar.show)
    output.show(result)
    output.draw(load_focused.draw, result)


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
