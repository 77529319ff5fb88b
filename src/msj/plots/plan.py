"""The trade-off of a plan: what each size, load or cap brings, under each policy, beside what is to be met."""

from __future__ import annotations

import math
from typing import Any

from msj.plots.figure import figure_of, given_panels, mark_along, new_figure, nothing_to_draw
from msj.results import Quantity, Result
from msj.results.units import beside

ALONG = ("servers", "arrival_rate", "utilisation", "class_share", "largest_need")
WORDS = {
    "servers": "servers",
    "arrival_rate": "arrival rate",
    "utilisation": "utilisation",
    "class_share": "share of the arrivals",
    "largest_need": "largest cap on a job's servers",
}
MARKERS = "osD^vP*X"
MOST_PANELS = 3


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.plan` and return the figure: a panel for each target, three at most.

    Full markers meet all targets, hollow ones do not. Rings are efficient points: none with as few servers is better.
    """
    wanted = [row for row in result if row.at.get("quantity") == "target"]
    points = [row for row in result if row.name == "meets_targets"]
    along = next((name for name in ALONG if len({row.at[name] for row in points if name in row.at}) > 1), None)
    drawn = [target for target in wanted if _rows(result, target, along)][:MOST_PANELS]
    if not drawn or not points:
        raise nothing_to_draw("plan")
    count = len(drawn)
    panels = new_figure(7.0, 1.2 + 3.0 * count).subplots(count, 1, squeeze=False)[:, 0] if ax is None else ax
    for axes, target in zip(given_panels(panels, count), drawn, strict=True):
        if along is None:
            _policies(axes, result, target)
        else:
            _curves(axes, result, target, along)
    first = given_panels(panels, count)[0]
    first.set_title(result.title, fontsize=11, parse_math=False)
    return figure_of(given_panels(panels, count))


def _rows(result: Result, target: Quantity, along: str | None) -> list[Quantity]:
    """Return the points' numbers that a target is about."""
    key = (target.name, target.job_class, target.level)
    found = [row for row in result if (row.name, row.job_class, row.level) == key and "quantity" not in row.at]
    return [row for row in found if math.isfinite(row.value) and (along is None or along in row.at)]


def _met(result: Result, row: Quantity) -> bool:
    verdict = result.at(**row.at).find("meets_targets")
    return verdict is not None and verdict.value == 1.0 and not verdict.bracket


def _group(row: Quantity) -> str:
    return ", ".join(str(row.at[name]) for name in ("policy", "cluster") if name in row.at)


def _curves(axes: Any, result: Result, target: Quantity, along: str) -> None:
    rows = _rows(result, target, along)
    groups = list(dict.fromkeys(_group(row) for row in rows))
    for index, name in enumerate(groups):
        line = sorted((row for row in rows if _group(row) == name), key=lambda row: row.at[along])
        colour, marker = f"C{index % 10}", MARKERS[index % len(MARKERS)]
        places, values = [float(row.at[along]) for row in line], [row.value for row in line]
        axes.plot(places, values, "-", color=colour, linewidth=1, alpha=0.6, zorder=2)
        for row, x, y in zip(line, places, values, strict=True):
            axes.plot(x, y, marker, color=colour, markersize=5, zorder=3,
                      markerfacecolor=colour if _met(result, row) else "white")  # fmt: skip
            if row.interval is not None and row.kind != "exact":
                axes.plot([x, x], row.interval, "-", color=colour, linewidth=2.5, alpha=0.3, zorder=1)
        axes.plot([], [], marker + "-", color=colour, markersize=5, label=name or "points tried")
    axes.axhline(target.value, color="tab:red", linewidth=1, linestyle="--", label="target")
    efficient = _efficient([row for row in rows if _met(result, row)], along) if along == "servers" else []
    if len(groups) > 1 and efficient:
        axes.plot([row.at[along] for row in efficient], [row.value for row in efficient], "o", color="none",
                  markeredgecolor="black", markersize=10, markeredgewidth=1.2, zorder=4, label="efficient")  # fmt: skip
    planned = [row for row in result if row.name == "planned_servers"] if along == "servers" else []
    for row in planned[:1] if len(planned) == 1 else []:
        axes.axvline(row.value, color="0.6", linewidth=1, linestyle=":", zorder=0)
    if min(row.value for row in rows) > 0:
        axes.set_yscale("log")
    unit = {"arrival_rate": "1/time"}.get(along, "1")
    mark_along(axes, along)
    axes.set_xlabel(beside(WORDS[along], unit, result.time_unit))
    axes.set_ylabel(_label(target, result.time_unit), fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _efficient(rows: list[Quantity], along: str) -> list[Quantity]:
    """Return the rows that no other beats in both: fewer servers, smaller number."""
    found: list[Quantity] = []
    for row in sorted(rows, key=lambda each: (each.at[along], each.value)):
        if not found or row.value < found[-1].value:
            found.append(row)
    return found


def _policies(axes: Any, result: Result, target: Quantity) -> None:
    rows = _rows(result, target, None)
    names = [_group(row) or result.title for row in rows]
    for place, row in enumerate(rows):
        colour = f"C{place % 10}"
        axes.plot(row.value, place, "o", color=colour, markerfacecolor=colour if _met(result, row) else "white")
        if row.interval is not None:
            axes.plot(row.interval, [place, place], "-", color=colour, linewidth=2.5, alpha=0.3)
    axes.axvline(target.value, color="tab:red", linewidth=1, linestyle="--", label="target")
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(_label(target, result.time_unit), fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _label(target: Quantity, time_unit: str | None) -> str:
    words = target.label.replace("_", " ")
    words = words if target.job_class is None else f"{words}, {target.job_class}"
    return beside(words, target.dimension or "1", time_unit)
