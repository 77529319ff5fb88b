"""``msj waste FILE --vary WHAT=LOW..HIGH``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from msj.cli.options import complete_vary, output_options, speaking_of, spec_file
from msj.cli.show import show_grid, show_json
from msj.model import read
from msj.plots.figure import check_path

if TYPE_CHECKING:
    from msj.analysis.waste_curve import Extremum, WasteCurve

SHOWN_ROWS = 21
SHOWN_EXTREMA = 20


@click.command()
@spec_file
@click.option(
    "--vary",
    required=True,
    metavar="WHAT=LOW..HIGH",
    help="What the curve runs over: share:CLASS=0..1, rate-ratio=0.01..100 (second class / first) or "
    "servers=10..400 (or 10..400..10 for every tenth).",
    shell_complete=complete_vary,
)
@click.option("--points", type=click.IntRange(min=3), metavar="N", help="About how many points to take.")
@click.option(
    "--method",
    type=click.Choice(["auto", "chain", "closed-form"]),
    default="auto",
    show_default=True,
    help="Use a closed form where one applies, or force either.",
)
@output_options
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE", help="Also draw it (.png, .svg or .pdf).")
def waste(
    file: Path, vary: str, points: int | None, method: Any, as_json: bool, as_csv: bool, plot: Path | None
) -> None:
    """Say how many servers the cluster in FILE wastes, and how that changes with one of its parameters.

    Waste rises and falls: the local optima to seek and the pessima to avoid are listed.

    \b
    Examples:
      msj waste examples/two_servers.toml --vary share:large=0..1
      msj waste examples/two_servers.toml --vary rate-ratio=0.01..100 --plot ratio.png
      msj waste examples/two_servers.toml --vary servers=2..40 --csv
    """
    from msj.analysis.vary import parse_vary
    from msj.analysis.waste_curve import waste_curve

    if plot is not None:
        check_path(plot)
    system, what = read(file), parse_vary(vary)
    on_terminal = sys.stderr.isatty()
    with speaking_of(file):
        curve = waste_curve(system, what, points=points, method=method, progress=_count if on_terminal else None)
    if on_terminal:
        click.echo("\r" + " " * 40 + "\r", nl=False, err=True)
    if as_json:
        show_json(curve.to_dict())
    elif as_csv:
        click.echo(curve.to_csv(), nl=False)
    else:
        _show(curve)
    if plot is not None:
        from msj.plots.figure import save
        from msj.plots.waste_curve import draw_waste_curve

        save(draw_waste_curve(curve), plot)
        click.echo(f"drawn: {plot}", err=True)


def _count(solved: int) -> None:
    click.echo(f"\r{solved} systems solved", nl=False, err=True)


def _show(curve: WasteCurve) -> None:
    from msj.plots.waste_curve import deepest

    listed = sorted(deepest(curve)[:SHOWN_EXTREMA], key=lambda extremum: extremum.parameter)
    kinds = {extremum.parameter: extremum.kind for extremum in curve.extrema}
    shown = _thinned(curve, listed)
    columns = (curve.parameter, curve.wasted_servers, curve.saturated_utilisation, curve.stability_threshold)
    click.echo(f"{curve.system.name or 'system'}: waste for {curve.vary}\n")
    rows = [[*(f"{column[i]:.6g}" for column in columns), kinds.get(curve.parameter[i], "")] for i in shown]
    show_grid([curve.vary.name, "wasted servers", "utilisation", "threshold", "extremum"], rows)
    if len(shown) < len(curve.parameter):
        click.echo(f"({len(shown)} of {len(curve.parameter)} points; --csv and --json give all)")
    click.echo()
    for extremum in listed:
        click.echo(_in_words(extremum, curve))
    if len(listed) < len(curve.extrema):
        click.echo(f"... and {len(curve.extrema) - len(listed)} shallower ones; --json lists all")
    if not listed:
        click.echo(f"{curve.wasted_servers[0]:.6g} servers are wasted throughout: no optimum and no pessimum")
    for method, citation in dict.fromkeys(zip(curve.method, curve.citation, strict=True)):
        click.echo(f"exact, by {method} ({citation})")


def _thinned(curve: WasteCurve, listed: list[Extremum]) -> list[int]:
    """Return which points a table for people shows: evenly spaced ones, and the listed extrema."""
    from msj.analysis.vary import VaryRateRatio

    if len(curve.parameter) <= 2 * SHOWN_ROWS:
        return list(range(len(curve.parameter)))
    spacing = np.geomspace if isinstance(curve.vary, VaryRateRatio) else np.linspace
    wanted = [*spacing(curve.parameter[0], curve.parameter[-1], SHOWN_ROWS), *(e.parameter for e in listed)]
    return sorted({int(np.argmin(np.abs(curve.parameter - value))) for value in wanted})


def _in_words(extremum: Extremum, curve: WasteCurve) -> str:
    servers = extremum.parameter if curve.vary.name == "servers" else curve.system.servers
    return (
        f"{extremum.kind} at {'the end, ' if extremum.at_end else ''}{curve.vary.name} = {extremum.parameter:.6g}: "
        f"{extremum.wasted_servers:.6g} of {servers} servers wasted, "
        f"utilisation {100 * extremum.saturated_utilisation:.4g} %, threshold {extremum.stability_threshold:.6g}"
    )
