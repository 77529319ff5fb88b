"""Policies on the same jobs: mean response times, and how far each is from the first, with 95 % intervals."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Quantity, Result
from msj.results.units import beside


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.compare` and return the figure: two panels, a line for each policy."""
    means = {str(name): row for name, row in result.along("policy", "mean_response_time") if "baseline" not in row.at}
    gaps = {str(name): row for name, row in result.along("policy", "mean_response_time_difference")}
    if not means:
        raise nothing_to_draw("compare")
    names = sorted(means, key=lambda name: means[name].value, reverse=True)
    if ax is None:
        panels = list(new_figure(8.0, 1.3 + 0.36 * len(names)).subplots(1, 2, sharey=True))
    else:
        panels = given_panels(ax, 2)
    left, right = panels
    for place, name in enumerate(names):
        _interval(left, place, means[name])
        if name in gaps:
            _interval(right, place, gaps[name])
    right.axvline(0.0, color="0.5", linewidth=1, linestyle=(0, (4, 3)))
    left.set_yticks(range(len(names)), names)
    left.set_ylim(-0.6, len(names) - 0.4)
    left.set_xlabel(beside("mean response time", "time", result.time_unit))
    baseline = next((str(row.at["baseline"]) for row in gaps.values()), "the first policy")
    difference = beside(f"difference from {baseline}, same jobs", "time", result.time_unit)
    right.set_xlabel(difference, parse_math=False)
    left.set_title(result.title, fontsize=11, loc="left", parse_math=False)
    return figure_of(panels)


def _interval(axes: Any, place: int, row: Quantity) -> None:
    """A dot, and a bar for its interval; an open dot where there is none."""
    if row.interval is not None:
        axes.plot(row.interval, [place, place], color="k", linewidth=1.4)
    face = "w" if row.interval is None else "k"
    axes.plot([row.value], [place], "o", color="k", markerfacecolor=face, markersize=4.5)
