"""A sweep: lines over one coordinate, small multiples over a second, heat maps over two; with 95 % intervals.

What is drawn is the quantity the result holds, the mean response time if there are several. Among the coordinates in
which its rows differ, a load (or what else is a number) runs along the axis; policies are lines; a second number is one
panel for each value, or, from seven values on, the other side of a heat map.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msj.plots.figure import figure_of, given_panels, mark_along, new_figure, nothing_to_draw
from msj.results import Quantity, Result
from msj.results.coordinates import COORDINATES, Place, write_place

ALONG = ("load", "arrival_rate", "utilisation", "class_share", "servers", "largest_need", "seed")
LINES = ("policy", "cluster", "change", "of_class")
MANY = 7  # values of a second number from which on a heat map says more than panels
WRITTEN = 80  # cells of a heat map at most in which the number is written
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
MARKERS = "osD^vP"
STEEP = 20.0  # largest over smallest value from which on the axis is logarithmic


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Which coordinate goes where; None where there is none."""

    along: str | None
    lines: str | None
    across: str | None  # the other side of a heat map
    panels: tuple[str, ...]


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.sweep` and return the figure."""
    rows = _rows(result)
    layout = _layout(rows)
    shown: dict[tuple[Place | None, ...], list[Quantity]] = {}
    for row in rows:
        shown.setdefault(tuple(row.at.get(name) for name in layout.panels), []).append(row)
    if ax is None:
        columns = min(len(shown), 3)
        lines = math.ceil(len(shown) / columns)
        width, height = (7.0, 4.2) if len(shown) == 1 else (1.0 + 3.4 * columns, 0.6 + 2.9 * lines)
        grid = new_figure(width, height).subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        panels = list(grid.ravel())
        for empty in panels[len(shown) :]:
            empty.set_visible(False)
        panels = panels[: len(shown)]
    else:
        panels = given_panels(ax, len(shown))
    if layout.across is not None:
        _heat(panels, list(shown.values()), layout)
    else:
        for axes, inside in zip(panels, shown.values(), strict=True):
            _lines(axes, inside, layout, rows, first=axes is panels[0])
    for axes, key in zip(panels, shown, strict=True):
        named = [
            f"{name} = {write_place(place)}"
            for name, place in zip(layout.panels, key, strict=True)
            if place is not None
        ]
        title = ", ".join(named) or result.title
        axes.set_title(title, fontsize=9 if named else 11, loc="left", parse_math=False)
    return figure_of(panels)


def _rows(result: Result) -> list[Quantity]:
    """Return the rows of the quantity that is drawn, for all jobs."""
    able = [
        row for row in result if row.job_class is None and row.level is None and row.at and "quantity" not in row.at
    ]
    names = dict.fromkeys(row.name for row in able)
    name = "mean_response_time" if "mean_response_time" in names else next(iter(names), "")
    found = [row for row in able if row.name == name and math.isfinite(row.value)]
    if not found:
        raise nothing_to_draw("sweep")
    return found


def _layout(rows: Sequence[Quantity]) -> Layout:
    used = {name: len({row.at.get(name) for row in rows}) for name in COORDINATES}
    numbers = [name for name in ALONG if used[name] > 1]
    texts = [name for name in LINES if used[name] > 1]
    along = numbers.pop(0) if numbers else None
    across = next((name for name in numbers if used[name] >= MANY and along is not None and used[along] > 2), None)
    if across is not None:
        numbers.remove(across)
        return Layout(along=along, lines=None, across=across, panels=(*texts, *numbers))
    lines = texts.pop(0) if texts and (along is not None or len(texts) > 1) else None
    if along is None:
        along = texts.pop(0) if texts else next(iter(rows[0].at))
    if lines is None and numbers and used[numbers[0]] <= len(STYLES):
        lines = numbers.pop(0)
    return Layout(along=along, lines=lines, across=None, panels=(*texts, *numbers))


def _lines(axes: Any, rows: Sequence[Quantity], layout: Layout, all_rows: Sequence[Quantity], *, first: bool) -> None:
    """One line for each value of a coordinate; a bar for each interval, an open dot where a simulation has none."""
    assert layout.along is not None
    labels = list(dict.fromkeys(row.at.get(layout.lines or "") for row in all_rows))
    number = COORDINATES[layout.along].unit is not None
    places = list(dict.fromkeys(row.at[layout.along] for row in all_rows if layout.along in row.at))
    for index, label in enumerate(labels):
        line = [row for row in rows if row.at.get(layout.lines or "") == label and layout.along in row.at]
        if not line:
            continue
        x: list[Any] = [row.at[layout.along] if number else places.index(row.at[layout.along]) for row in line]
        colour, marker = f"C{index % 10}", MARKERS[index % len(MARKERS)]
        name = None if label is None else _called(layout.lines, label)
        style = STYLES[index % len(STYLES)] if number else "none"
        look = {"linestyle": style, "linewidth": 1.3, "marker": marker, "markersize": 3.5, "zorder": 3}
        axes.plot(x, [row.value for row in line], color=colour, label=name, **look)
        for at, row in zip(x, line, strict=True):
            if row.interval is not None:
                axes.plot([at, at], row.interval, color=colour, linewidth=3, alpha=0.4, zorder=2)
            elif row.kind == "simulated":
                axes.plot([at], [row.value], marker, color=colour, markerfacecolor="w", markersize=5, zorder=4)
    values = [row.value for row in all_rows]
    if min(values) > 0 and max(values) / min(values) > STEEP:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
        axes.tick_params(axis="y", which="minor", labelsize=8)
    mark_along(axes, layout.along)
    if layout.along == "servers" and len(places) > 2:
        axes.set_xscale("log", base=2)
        axes.set_xticks(places, [write_place(place) for place in places])
        axes.minorticks_off()
    if not number:
        axes.set_xticks(range(len(places)), [str(place) for place in places], rotation=20, ha="right")
    axes.set_xlabel(_words(layout.along), fontsize=9)
    axes.set_ylabel(rows[0].name.replace("_", " "), fontsize=9)
    axes.label_outer()
    axes.tick_params(labelsize=8)
    if first and len([label for label in labels if label is not None]) > 1:
        axes.legend(fontsize=7, frameon=False, loc="best")


def _heat(panels: Sequence[Any], parts: Sequence[Sequence[Quantity]], layout: Layout) -> None:
    """Values as colours, the same in all panels; in each cell the number and how sure it is, where there is room."""
    assert layout.along is not None
    assert layout.across is not None
    rows = [row for part in parts for row in part]
    across, along = (sorted({row.at[name] for row in rows}) for name in (layout.across, layout.along))
    values = np.array([row.value for row in rows])
    steep = values.min() > 0 and values.max() / values.min() > STEEP
    from matplotlib.colors import LogNorm, Normalize

    norm = (LogNorm if steep else Normalize)(values.min(), values.max())
    image = None
    for axes, part in zip(panels, parts, strict=True):
        table = np.full((len(across), len(along)), np.nan)
        for row in part:
            i, j = across.index(row.at[layout.across]), along.index(row.at[layout.along])
            table[i, j] = row.value
            if table.size <= WRITTEN:
                _write(axes, row, j, i, dark=norm(row.value) < 0.5)
        image = axes.imshow(table, origin="lower", aspect="auto", norm=norm, cmap="viridis")
        _ticks(axes.xaxis, along)
        _ticks(axes.yaxis, across)
        axes.set_xlabel(_words(layout.along), fontsize=9)
        axes.set_ylabel(_words(layout.across), fontsize=9)
        axes.label_outer()
        axes.tick_params(labelsize=8)
    bar = figure_of(panels).colorbar(image, ax=list(panels), pad=0.02)
    bar.set_label(rows[0].name.replace("_", " "), fontsize=9)
    bar.ax.tick_params(labelsize=8)


def _write(axes: Any, row: Quantity, x: int, y: int, *, dark: bool) -> None:
    text = f"{row.value:.3g}"
    if row.interval is not None and row.value:
        low, high = row.interval
        text += f"\n± {(high - low) / 2 / row.value:.1%}"
    elif row.kind == "simulated":
        text += "\n± ?"
    axes.text(x, y, text, ha="center", va="center", fontsize=5.5, color="w" if dark else "k")


def _ticks(axis: Any, places: Sequence[Any]) -> None:
    step = math.ceil(len(places) / 10)
    axis.set_ticks(range(0, len(places), step), [write_place(place) for place in places[::step]])


def _words(name: str) -> str:
    return "load (share of the stability threshold)" if name == "load" else name.replace("_", " ")


def _called(coordinate: str | None, label: Place) -> str:
    """Return what the legend calls a line."""
    return label if isinstance(label, str) else f"{coordinate} = {write_place(label)}"
