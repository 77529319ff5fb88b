"""One cluster at many sizes: how often jobs wait, how long they stay, what is wasted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Quantity, Result
from msj.results.glossary import dimension_of
from msj.results.units import beside

PANELS = (
    ("waiting_probability", "probability that a job waits"),
    ("mean_response_time", "mean response time"),
    ("wasted_share", "share of servers wasted at saturation"),
)
#: One line style and colour per cap; beyond that they repeat.
STYLES = (("-", "black"), ("--", "tab:blue"), (":", "tab:red"), ("-.", "tab:green"))


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.cluster_scaling` and return the figure; ``ax`` is three axes.

    Filled markers are exact, hollow ones simulated with intervals.
    """
    if not result.places("largest_need") and not any("largest_need" in gap.at for gap in result.missing):
        raise nothing_to_draw("cluster_scaling")
    panels = _own_panels(result) if ax is None else given_panels(ax, len(PANELS))
    needs = result.places("largest_need")
    for axes, (name, title) in zip(panels, PANELS, strict=True):
        for index, need in enumerate(needs):
            style, colour = STYLES[index % len(STYLES)]
            rows = result.at(largest_need=need).along("servers", name)
            _draw_family(axes, rows, style, colour, f"needs up to {need}")
        axes.set_title(beside(title, dimension_of(name) or "1", result.time_unit), fontsize=10)
        axes.set_xlabel("servers")
        axes.set_xscale("log", base=2)
        axes.grid(visible=True, color="0.92")
        if axes.lines:
            _make_logarithmic(axes)
        else:
            axes.text(0.5, 0.5, "not known at any size", ha="center", transform=axes.transAxes)
    if len(needs) > 1:
        panels[1].legend(fontsize=8, frameon=False)
    return figure_of(panels)


def _own_panels(result: Result) -> list[Any]:
    figure = new_figure(width=10.5, height=3.9)
    facts = result.provenance
    figure.suptitle(
        f"{result.system.get('name') or 'cluster'}, keeping the {facts['keep']} at {facts['kept']:.4g}", fontsize=11,
        parse_math=False,
    )  # fmt: skip
    figure.supxlabel("filled: exact; hollow: simulated, with 95 % interval; arrow: none seen, upper limit", fontsize=8)
    return list(figure.subplots(1, len(PANELS)))


def _make_logarithmic(axes: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    values = [float(value) for line in axes.lines for value in line.get_ydata()]
    if values and max(values) <= min(values) * (1.0 + 1e-9):  # one value has no range: matplotlib would warn
        axes.set_ylim(values[0] / 2.0, values[0] * 2.0)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _draw_family(axes: Any, rows: Sequence[tuple[int, Quantity]], style: str, colour: str, label: str) -> None:
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
        if row.interval is not None:
            low, high = row.interval
            # An interval down to zero has no end on this scale.
            axes.vlines(k, max(low, row.value * 1e-2), high, color=colour, linewidth=1)
