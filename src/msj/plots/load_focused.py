"""The 1-and-n system as it grows: exact values and asymptotics above, their ratios below."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Result

#: Form -> (line and marker, colour, words); markers differ so that it works in black and white.
STYLES = {
    "paper": ("--v", "tab:orange", "asymptotic, as in the paper"),
    "corrected": ("-.^", "tab:green", "the same with Euler's constant"),
    "refined": (":", "tab:blue", "refined"),
}
TITLES = {
    "stability_threshold": "stability threshold",
    "lost_throughput": "lost throughput, $n\\mu_1$ − threshold",
    "relative_completions_at_departure": "relative completions, $E[\\Delta(Y_d)]$",
}


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.one_and_n_scaling` and return the figure; ``ax`` is four axes, two by two.

    Above threshold (or what it lacks to ``n mu_1``) and relative completions, below the ratios exact / asymptotic.
    """
    if not result.along("servers", "lost_throughput"):
        raise nothing_to_draw("one_and_n_scaling")
    panels = _own_panels(result) if ax is None else given_panels(ax, 4)
    # Where the threshold is all but n mu_1, what tells is the difference; there it has an asymptotic of its own.
    first = "lost_throughput" if len(_curves(result, "lost_throughput")) > 1 else "stability_threshold"
    for column, name in enumerate((first, "relative_completions_at_departure")):
        _draw_values(panels[column], result, name)
        _draw_ratios(panels[2 + column], result, name)
    return figure_of(panels)


def _own_panels(result: Result) -> list[Any]:
    figure = new_figure(width=9.0, height=6.4)
    facts = result.provenance
    figure.suptitle(
        f"$p_n$ = {facts['share']}, $\\mu_1$ = {facts['rate_small']:.6g}, $\\mu_n$ = {facts['rate_large']:.6g}: "
        f"{facts['regime']}",
        fontsize=11,
        parse_math=not any(sign in str(facts["share"]) for sign in "$\\"),
    )
    return list(figure.subplots(2, 2, sharex=True, height_ratios=(3, 2)).ravel())


def _curves(result: Result, name: str) -> dict[str | None, dict[int, float]]:
    """Return servers -> value for the exact values (None) and for each form there is, in the order of the styles."""
    found: dict[str | None, dict[int, float]] = {form: {} for form in (None, *STYLES)}
    for servers, row in result.along("servers", name):
        form = row.at.get("form")
        found[None if form is None else str(form)][servers] = row.value
    return {form: curve for form, curve in found.items() if curve}


def _draw_values(axes: Any, result: Result, name: str) -> None:
    for form, curve in _curves(result, name).items():
        style, colour, words = ("-s", "tab:purple", "exact") if form is None else STYLES[form]
        shown = [(n, value) for n, value in curve.items() if value > 0]
        if shown:
            axes.loglog(*zip(*shown, strict=True), style, color=colour, markersize=4, label=words)
    axes.set_title(TITLES[name], fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    axes.grid(visible=True, color="0.92")


def _draw_ratios(axes: Any, result: Result, name: str) -> None:
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    curves = _curves(result, name)
    exact = curves.pop(None)
    for form, curve in curves.items():
        style, colour, _ = STYLES[str(form)]
        shown = [(n, exact[n] / value) for n, value in curve.items() if value > 0]
        if shown:
            axes.semilogx(*zip(*shown, strict=True), style, color=colour, markersize=4)
    axes.set_ylabel("exact / asymptotic")
    axes.set_xlabel("servers $n$")
    axes.grid(visible=True, color="0.92")
