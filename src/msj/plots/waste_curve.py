"""Waste against a share, a rate ratio or the number of servers, as a picture (compare twoclass, Figures 7 and 8).

Two panels, one above the other: wasted servers with the local optima and pessima marked, and the part of the servers
in use. Pessima are filled triangles that point up, optima open ones that point down: they differ without colour too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from msj.analysis.vary import VaryRateRatio, VaryServers
from msj.analysis.waste_curve import Extremum, WasteCurve
from msj.plots.figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

CROWDED = 0.05  # of the range: an extremum this close to an end gets a stretched axis
MOST_NUMBERS = 12  # written beside extrema
PESSIMUM, OPTIMUM, CURVE = "#a61c00", "#0b5394", "#333333"


def draw_waste_curve(curve: WasteCurve) -> Figure:
    """Return the figure of a waste curve."""
    figure: Figure = new_figure(height=5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    _draw(upper, curve, curve.wasted_servers)
    _draw(lower, curve, 100.0 * curve.saturated_utilisation)
    upper.set_ylabel("wasted servers")
    upper.margins(y=0.14)  # room for the numbers above pessima and below optima
    lower.set_ylabel("servers in use (%)")
    lower.set_xlabel(_x_axis(lower, curve))
    upper.set_title(_title(curve), loc="left", fontsize="medium")
    if curve.extrema:
        handles, labels = upper.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    else:  # a flat curve: nothing to see closely, and neither less than nothing nor more than everything
        top = 1.2 * float(curve.wasted_servers.max()) or 1.0
        upper.set_ylim(-0.03 * top, top)
        lower.set_ylim(0.0, 102.0)
    _write_numbers(upper, curve)
    return figure


def _draw(axes: Axes, curve: WasteCurve, heights: Any) -> None:
    axes.plot(curve.parameter, heights, "-", color=CURVE, linewidth=1.4)
    size = 7.0 if len(curve.extrema) <= 40 else 3.5
    for kind, marker, colour, fill in (("pessimum", "^", PESSIMUM, PESSIMUM), ("optimum", "v", OPTIMUM, "white")):
        at = np.isin(curve.parameter, [e.parameter for e in curve.extrema if e.kind == kind])
        style: dict[str, Any] = {"marker": marker, "markeredgecolor": colour, "markerfacecolor": fill}
        axes.plot(
            curve.parameter[at],
            heights[at],
            linestyle="none",
            markersize=size,
            label=f"local {kind} of the waste",
            **style,
        )
    axes.grid(visible=True, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.02)


def _title(curve: WasteCurve) -> str:
    needs = sorted({c.need for c in curve.system.active_classes})
    text = f"{'need' if len(needs) == 1 else 'needs'} {', '.join(map(str, needs))}"
    if not isinstance(curve.vary, VaryServers):
        text = f"{curve.system.servers} servers, {text}"
    return f"{curve.system.name}: {text}" if curve.system.name else text


def _x_axis(axes: Axes, curve: WasteCurve) -> str:
    """Choose the scale of the axis, and return what it is called."""
    vary = curve.vary
    if isinstance(vary, VaryServers):
        return "servers"
    if isinstance(vary, VaryRateRatio):
        axes.set_xscale("log")
        first, second = curve.system.active_classes
        return f"rate of '{second.name}' / rate of '{first.name}'"
    label = f"share of '{vary.job_class}'"
    inner = [e.parameter for e in curve.extrema if not e.at_end]
    near_low = min((value - vary.low for value in inner), default=math.inf)
    near_high = min((vary.high - value for value in inner), default=math.inf)
    if min(near_low, near_high) > CROWDED * (vary.high - vary.low):
        return label
    if near_low <= near_high:
        _stretch(axes, vary.low, 1.0, vary.high - vary.low, near_low / 10.0)
    else:
        _stretch(axes, vary.high, -1.0, vary.high - vary.low, near_high / 10.0)
    return f"{label} (axis stretched near {vary.low if near_low <= near_high else vary.high:g})"


def _stretch(axes: Axes, end: float, side: float, length: float, width: float) -> None:
    """Make the axis logarithmic in the distance to one end, and linear within ``width`` of it so that it is reached."""
    functions = (
        lambda x: side * np.arcsinh(side * (np.asarray(x) - end) / width),
        lambda u: end + side * width * np.sinh(side * np.asarray(u)),
    )
    axes.set_xscale("function", functions=functions)
    decades = 10.0 ** np.arange(math.floor(math.log10(width)), math.ceil(math.log10(length)) + 1)
    distances = np.outer(decades, (1.0, 3.0)).ravel()
    ticks = [end, *(end + side * distances[(distances > width) & (distances <= length)])]
    axes.set_xticks(ticks, [f"{tick:.10g}" for tick in ticks])
    axes.set_xticks([], minor=True)


def deepest(curve: WasteCurve) -> list[Extremum]:
    """Return the extrema, those at which the waste turns furthest first."""
    rises = np.abs(np.diff([e.wasted_servers for e in curve.extrema]))
    depths = np.minimum(
        np.append(rises, np.inf), np.append(np.inf, rises)
    )  # to the nearer in height of both neighbours
    return [curve.extrema[i] for i in np.argsort(-depths, kind="stable")] if curve.extrema else []


def _write_numbers(axes: Axes, curve: WasteCurve) -> None:
    """Write how much is wasted at the deepest turns inside the range, where there is room."""
    from matplotlib.path import Path as Line

    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles where everything lies
    line = Line(axes.transData.transform(np.column_stack((curve.parameter, curve.wasted_servers))))
    taken: list[Bbox] = []
    for extremum in [e for e in deepest(curve) if not e.at_end][:MOST_NUMBERS]:
        up = extremum.kind == "pessimum"
        text = axes.annotate(
            f"{extremum.wasted_servers:.3g}",
            (extremum.parameter, extremum.wasted_servers),
            xytext=(0, 6 if up else -6),
            textcoords="offset points",
            horizontalalignment="center",
            verticalalignment="bottom" if up else "top",
            fontsize="small",
        )
        box = text.get_window_extent()
        if line.intersects_bbox(box, filled=False) or any(box.overlaps(other) for other in taken):
            text.remove()
        else:
            taken.append(box)
