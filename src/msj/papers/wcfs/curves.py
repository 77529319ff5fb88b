"""How the paper's curves are drawn: lines for exact values, markers with intervals for simulated ones.

Every model has a colour, a dash and a marker, so that the curves can be told apart in black and white.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from msj.papers.figure import Rows
from msj.papers.wcfs.models import models
from msj.papers.wcfs.points import labelled


class Style(NamedTuple):
    """How one model is drawn."""

    colour: str
    dashes: Any
    marker: str
    width: float = 1.6


STYLES = {
    "mgk": Style("tab:red", "-", "s"),
    "heterogeneous": Style("tab:orange", (0, (6, 2)), "D"),
    "threshold-fcfs": Style("tab:green", (0, (4, 1, 1, 1)), "^"),
    "server-filling": Style("tab:blue", (0, (2, 1)), "o"),
    "lps": Style("tab:purple", (0, (1, 1)), "v"),
    "mg1": Style("black", (0, (8, 2, 1, 2)), "P"),
    "msj-fcfs": Style("tab:red", "-", "s"),
    "least-first": Style("tab:orange", (0, (6, 2)), "D"),
    "most-first": Style("0.72", "-", "o", 4.0),  # wide and pale: elastic first lies on it
    "elastic-first": Style("tab:green", (0, (4, 1.5)), "^"),
    "max-weight": Style("tab:blue", "-", "X"),
    "inelastic-first": Style("tab:purple", (0, (1, 1)), "v"),
    "srpt": Style("black", (0, (8, 2, 1, 2)), "P"),
    "filling-2": Style("tab:purple", (0, (1, 1)), "v"),
    "filling-4": Style("tab:blue", (0, (2, 1)), "o"),
    "filling-8": Style("tab:green", (0, (4, 1, 1, 1)), "^"),
    "filling-16": Style("tab:red", "-", "s"),
    "branches-1": Style("tab:purple", (0, (1, 1)), "v"),
    "branches-2": Style("tab:blue", (0, (2, 1)), "o"),
    "branches-4": Style("tab:green", (0, (4, 1, 1, 1)), "^"),
    "branches-8": Style("tab:red", "-", "s"),
    "staying-8": Style("0.45", (0, (8, 2, 1, 2)), "P", 1.1),
    "moving-8": Style("0.45", (0, (4, 2)), "X", 1.1),
    "newest-8": Style("0.45", (0, (1, 1.5)), "d", 1.1),
}


def draw_curves(axes: Any, rows: Rows, names: tuple[str, ...], column: str, *, until: float = 1.0) -> None:
    """Draw ``column`` over the load, one curve per model; labels are left to :func:`legend`."""
    for name in names:
        style = STYLES[name]
        mine = sorted((row for row in rows if row["model"] == name and row["rho"] <= until), key=lambda row: row["rho"])
        line = [row for row in mine if row["method"] == "exact"]
        points = [row for row in mine if row["method"] == "simulated"]
        line = line or points  # what cannot be computed: a thin line leads the eye from point to point
        axes.plot(
            [row["rho"] for row in line],
            [row[column] for row in line],
            color=style.colour, linestyle=style.dashes, zorder=2,
            linewidth=style.width if line is not points else 0.8,
        )  # fmt: skip
        further = [row for row in points if row["rho"] > line[-1]["rho"]]
        if further:  # beyond what can be computed
            axes.plot(
                [row["rho"] for row in (line[-1], *further)],
                [row[column] for row in (line[-1], *further)],
                color=style.colour, linestyle=style.dashes, zorder=2, linewidth=0.8,
            )  # fmt: skip
        below = [row[column] - row[f"{column}_low"] for row in points]
        above = [row[f"{column}_high"] - row[column] for row in points]
        axes.errorbar(
            [row["rho"] for row in points],
            [row[column] for row in points],
            yerr=[below, above],
            color=style.colour, marker=style.marker, linestyle="none", markersize=4.5, markeredgecolor="white",
            markeredgewidth=0.4, capsize=2.5, elinewidth=0.9, zorder=3,
        )  # fmt: skip


def legend(axes: Any, names: tuple[str, ...], **options: Any) -> None:
    """Name the curves; line, dash and marker as drawn."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], color=style.colour, linestyle=style.dashes, marker=style.marker, linewidth=style.width,
            markersize=5, label=labelled(name),
        )
        for name in names
        for style in (STYLES[name],)
    ]  # fmt: skip
    axes.legend(handles=handles, fontsize=8.5, frameon=False, handlelength=3.6, **options)


def draw_bounds(axes: Any, rows: Rows, names: tuple[str, ...], ticks: tuple[str, ...], title: str) -> None:
    """Draw, model by model, which gaps occur between our constants, and these between Theorem 2's."""
    for place, name in enumerate(names):
        model, colour = models()[name], STYLES[name].colour
        gaps = [row["gap"] for row in rows if row["model"] == name and (row["method"] == "exact") == bool(model.exact)]
        for (low, high), width, of in (
            (model.bounds(), 1.0, "0.5"),
            (model.sharper_bounds(), 3.0, "0.75"),
            ((min(gaps), max(gaps)), 7.0, colour),
        ):
            cap = {"marker": "_", "markersize": 7} if width == 1.0 else {}
            axes.plot([place, place], [low, high], color=of, linewidth=width, solid_capstyle="butt", **cap)
    for label, colour, width in (("Theorem 2", "0.5", 1.0), ("ours", "0.75", 3.0), ("occurs", "0.2", 7.0)):
        axes.plot([], [], color=colour, linewidth=width, label=label)
    axes.axhline(0, color="0.35", linewidth=0.7, zorder=1)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_xticks(range(len(names)), ticks, fontsize=8.5)
    axes.set_title(title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.3 * (high - low))  # room for the legend above the bars
    axes.legend(fontsize=8, frameon=False, handlelength=1.4, loc="upper left")


def limit_line(axes: Any, height: float, text: str, rho: float) -> None:
    """Draw what M/G/1 comes to at load 1, named at ``rho``."""
    axes.axhline(height, color="0.35", linewidth=0.9, zorder=1)
    axes.annotate(
        text,
        (rho, height),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9,
        color="0.25",
    )


def finish(axes: Any, ylabel: str, title: str) -> None:
    """Write the axes."""
    axes.set_xlim(0, 1.005)
    axes.set_xlabel(r"load $\rho = \lambda E[S]$")
    axes.set_ylabel(ylabel)
    axes.set_title(title, fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
