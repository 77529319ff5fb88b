"""The 1-and-n system as it grows: exact values and asymptotics above, their ratios below."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import new_figure
from msj.scaling.load_focused import LoadFocusedScaling
from msj.scaling.regime import Regime

#: Form -> (line and marker, colour, words); markers differ so that it works in black and white.
STYLES = {
    "paper": ("--v", "tab:orange", "asymptotic, as in the paper"),
    "corrected": ("-.^", "tab:green", "the same with Euler's constant"),
    "refined": (":", "tab:blue", "refined"),
}
NAMES = {
    "threshold": "stability threshold",
    "lost": "lost throughput, $n\\mu_1$ − threshold",
    "completions": "relative completions, $E[\\Delta(Y_d)]$",
}


def draw_load_focused(family: LoadFocusedScaling) -> Any:
    """Return a figure: threshold (or what it lacks to ``n mu_1``) and relative completions, values and ratios."""
    figure = new_figure(width=9.0, height=6.4)
    axes = figure.subplots(2, 2, sharex=True, height_ratios=(3, 2))
    # Where the threshold is all but n mu_1, what tells is the difference.
    first = "lost" if family.regime is Regime.ONE_SERVER else "threshold"
    for column, quantity in enumerate((first, "completions")):
        _draw_values(axes[0, column], family, quantity)
        _draw_ratios(axes[1, column], family, quantity)
    figure.suptitle(
        f"$p_n$ = {family.share}, $\\mu_1$ = {family.rate_small:.6g}, $\\mu_n$ = {family.rate_large:.6g}: "
        f"{family.regime.value}",
        fontsize=11,
        parse_math=not any(sign in str(family.share) for sign in "$\\"),
    )
    return figure


def _forms(family: LoadFocusedScaling, quantity: str) -> list[str]:
    first = family.points[0]
    return [form for form in STYLES if getattr(first, f"{quantity}_{form}", None) is not None]


def _draw_values(axes: Any, family: LoadFocusedScaling, quantity: str) -> None:
    servers = [point.servers for point in family.points]
    exact = [getattr(point, quantity) for point in family.points]
    axes.loglog(servers, exact, "-s", color="tab:purple", markersize=4.5, label="exact")
    for form in _forms(family, quantity):
        style, colour, words = STYLES[form]
        values = [getattr(point, f"{quantity}_{form}") for point in family.points]
        shown = [(n, value) for n, value in zip(servers, values, strict=True) if value > 0]
        if shown:
            axes.loglog(*zip(*shown, strict=True), style, color=colour, markersize=4, label=words)
    axes.set_title(NAMES[quantity], fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    axes.grid(visible=True, color="0.92")


def _draw_ratios(axes: Any, family: LoadFocusedScaling, quantity: str) -> None:
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    for form in _forms(family, quantity):
        style, colour, _ = STYLES[form]
        ratios = [(point.servers, point.ratio(quantity, form)) for point in family.points]
        shown = [(n, ratio) for n, ratio in ratios if ratio is not None]
        if shown:
            axes.semilogx(*zip(*shown, strict=True), style, color=colour, markersize=4)
    axes.set_ylabel("exact / asymptotic")
    axes.set_xlabel("servers $n$")
    axes.grid(visible=True, color="0.92")
