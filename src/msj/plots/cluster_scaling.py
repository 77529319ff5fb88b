"""One cluster at many sizes: how often jobs wait, how long they stay, what is wasted."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import new_figure
from msj.scaling.cluster import ClusterPoint, ClusterScaling

PANELS = (
    ("waiting_probability", "probability that a job waits"),
    ("mean_response_time", "mean response time"),
    ("wasted_share", "share of servers wasted at saturation"),
)
#: One line style and colour per cap; beyond that they repeat.
STYLES = (("-", "black"), ("--", "tab:blue"), (":", "tab:red"), ("-.", "tab:green"))


def draw_cluster_scaling(scaling: ClusterScaling) -> Any:
    """Return a figure with one panel per quantity: filled markers are exact, hollow ones simulated with intervals."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    figure = new_figure(width=10.5, height=3.9)
    panels = figure.subplots(1, 3)
    families: dict[str, list[ClusterPoint]] = {}
    for point in scaling.points:
        families.setdefault(f"needs up to {point.largest_need}", []).append(point)
    for axes, (name, title) in zip(panels, PANELS, strict=True):
        for index, (label, points) in enumerate(families.items()):
            style, colour = STYLES[index % len(STYLES)]
            _draw_family(axes, points, name, style, colour, label)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("servers")
        axes.set_xscale("log", base=2)
        axes.grid(visible=True, color="0.92")
        if axes.lines:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.text(0.5, 0.5, "not known at any size", ha="center", transform=axes.transAxes)
    if len(families) > 1:
        panels[1].legend(fontsize=8, frameon=False)
    figure.suptitle(
        f"{scaling.system.name or 'cluster'}, keeping the {scaling.keep} at {scaling.kept:.4g}", fontsize=11,
        parse_math=False,
    )  # fmt: skip
    figure.supxlabel("filled: exact; hollow: simulated, with 95 % interval; arrow: none seen, upper limit", fontsize=8)
    return figure


def _draw_family(axes: Any, points: list[ClusterPoint], name: str, style: str, colour: str, label: str) -> None:
    rows = [(point.servers, row) for point in points if (row := point.get(name)) is not None]
    seen = [(servers, row) for servers, row in rows if row.value > 0]
    if seen:
        servers, values = zip(*((k, row.value) for k, row in seen), strict=True)
        axes.plot(servers, values, linestyle=style, color=colour, linewidth=1.2, label=label)
    for k, row in rows:
        if row.value <= 0:
            if row.high:
                axes.plot(k, row.high, marker=r"$\downarrow$", color=colour, markersize=9, linestyle="none")
            continue
        exact = row.kind == "exact"
        axes.plot(
            k, row.value, "o", color=colour, markersize=4.5, markerfacecolor=colour if exact else "white", zorder=3
        )
        if row.low is not None and row.high is not None:
            low = max(row.low, row.value * 1e-2)  # an interval down to zero has no end on this scale
            axes.vlines(k, low, row.high, color=colour, linewidth=1)
