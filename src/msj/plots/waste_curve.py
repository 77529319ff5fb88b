"""Waste against a share, a rate ratio or the number of servers, as a picture (compare twoclass, Figures 7 and 8).

Two panels, one above the other: wasted servers with the local optima and pessima marked, and the part of the servers
in use. Pessima are filled triangles that point up, optima open ones that point down: they differ without colour too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from msj.plots.figure import figure_of, given_panels, mark_along, new_figure, nothing_to_draw
from msj.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

CROWDED = 0.05  # of the range: an extremum this close to an end gets a stretched axis
MOST_NUMBERS = 12  # written beside extrema
PESSIMUM, OPTIMUM, CURVE = "#a61c00", "#0b5394", "#333333"
VARIED = ("class_share", "rate_ratio", "servers")  # what a curve may run over


@dataclass(frozen=True, kw_only=True)
class Extremum:
    """A local optimum or pessimum of the waste; ``at_end`` if the curve ends there."""

    kind: str
    place: float
    wasted_servers: float
    at_end: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """What is drawn, as it is read off a result."""

    varied: str
    places: NDArray[np.float64]
    wasted_servers: NDArray[np.float64]
    saturated_utilisation: NDArray[np.float64]
    extrema: tuple[Extremum, ...]


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.waste` and return the figure; ``ax`` is two axes, one above the other."""
    curve = curve_of(result)
    if ax is None:
        figure = new_figure(height=5.6)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    else:
        upper, lower = given_panels(ax, 2)
    _draw_line(upper, curve, curve.wasted_servers)
    _draw_line(lower, curve, 100.0 * curve.saturated_utilisation)
    upper.set_ylabel("wasted servers")
    upper.margins(y=0.14)  # room for the numbers above pessima and below optima
    lower.set_ylabel("servers in use (%)")
    lower.set_xlabel(_x_axis(lower, curve, result))
    if not lower.get_shared_x_axes().joined(upper, lower):
        _x_axis(upper, curve, result)
    upper.set_title(_title(curve, result), loc="left", fontsize="medium", parse_math=False)
    if (
        not curve.extrema
    ):  # a flat curve: nothing to see closely, and neither less than nothing nor more than everything
        top = 1.2 * float(curve.wasted_servers.max()) or 1.0
        upper.set_ylim(-0.03 * top, top)
        lower.set_ylim(0.0, 102.0)
    elif ax is None:
        figure.legend(*upper.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    else:
        lower.legend(fontsize="small", frameon=False)
    _write_numbers(upper, curve)
    return figure_of([upper])


def curve_of(result: Result) -> Curve:
    """Read the curve off a result."""
    varied = next((name for name in VARIED if result.along(name, "wasted_servers")), None)
    if varied is None:
        raise nothing_to_draw("waste")
    found = {
        name: [(place, row) for place, row in result.along(varied, name) if "extremum" not in row.at]
        for name in ("wasted_servers", "saturated_utilisation")
    }
    places = np.array([place for place, _ in found["wasted_servers"]], dtype=float)
    ends = (places[0], places[-1])
    extrema = [
        Extremum(
            kind=str(row.at["extremum"]), place=float(place), wasted_servers=row.value, at_end=float(place) in ends
        )
        for place, row in result.along(varied, "wasted_servers")
        if "extremum" in row.at
    ]
    values = {name: np.array([row.value for _, row in rows]) for name, rows in found.items()}
    return Curve(varied=varied, places=places, extrema=tuple(extrema), **values)


def _draw_line(axes: Axes, curve: Curve, heights: Any) -> None:
    axes.plot(curve.places, heights, "-", color=CURVE, linewidth=1.4)
    size = 7.0 if len(curve.extrema) <= 40 else 3.5
    for kind, marker, colour, fill in (("pessimum", "^", PESSIMUM, PESSIMUM), ("optimum", "v", OPTIMUM, "white")):
        at = np.isin(curve.places, [e.place for e in curve.extrema if e.kind == kind])
        style: dict[str, Any] = {"marker": marker, "markeredgecolor": colour, "markerfacecolor": fill}
        axes.plot(
            curve.places[at],
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


def _active_classes(result: Result) -> list[dict[str, Any]]:
    """Return the classes of the system that do arrive."""
    return [c for c in result.system["classes"] if Fraction(str(c["share"])) > 0]


def _title(curve: Curve, result: Result) -> str:
    needs = sorted({c["need"] for c in _active_classes(result)})
    text = f"{'need' if len(needs) == 1 else 'needs'} {', '.join(map(str, needs))}"
    if curve.varied != "servers":
        text = f"{result.system['servers']} servers, {text}"
    return f"{result.system['name']}: {text}" if result.system.get("name") else text


def _x_axis(axes: Axes, curve: Curve, result: Result) -> str:
    """Choose the scale of the axis, and return what it is called."""
    if curve.varied == "servers":
        mark_along(axes, "servers")
        return "servers"
    if curve.varied == "rate_ratio":
        axes.set_xscale("log")
        first, second = _active_classes(result)
        return f"rate of '{second['name']}' / rate of '{first['name']}'"
    label = f"share of '{result.places('of_class')[0]}'"
    low, high = float(curve.places[0]), float(curve.places[-1])
    inner = [e.place for e in curve.extrema if not e.at_end]
    near_low = min((place - low for place in inner), default=math.inf)
    near_high = min((high - place for place in inner), default=math.inf)
    if min(near_low, near_high) > CROWDED * (high - low):
        return label
    end, side = (low, 1.0) if near_low <= near_high else (high, -1.0)
    _stretch(axes, end, side, high - low, min(near_low, near_high) / 10.0)
    return f"{label} (axis stretched near {end:g})"


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


def deepest(extrema: Sequence[Extremum]) -> list[Extremum]:
    """Return the extrema, those at which the waste turns furthest first."""
    rises = np.abs(np.diff([e.wasted_servers for e in extrema]))
    # To the nearer in height of both neighbours.
    depths = np.minimum(np.append(rises, np.inf), np.append(np.inf, rises))
    return [extrema[i] for i in np.argsort(-depths, kind="stable")] if extrema else []


def _write_numbers(axes: Axes, curve: Curve) -> None:
    """Write how much is wasted at the deepest turns inside the range, where there is room."""
    from matplotlib.path import Path as Line

    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles where everything lies
    line = Line(axes.transData.transform(np.column_stack((curve.places, curve.wasted_servers))))
    taken: list[Bbox] = []
    for extremum in [e for e in deepest(curve.extrema) if not e.at_end][:MOST_NUMBERS]:
        up = extremum.kind == "pessimum"
        text = axes.annotate(
            f"{extremum.wasted_servers:.3g}",
            (extremum.place, extremum.wasted_servers),
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
