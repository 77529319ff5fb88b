"""Probability of waiting against the number of servers: bounds, simulation with its intervals, exact values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msj.plots.estimates import draw_estimates, server_axis
from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Result

MARKERS = "osD^v<>P"
SIMULATED = "simulated_waiting_probability"
ENDS = {"vanishes": "waiting vanishes", "stays": "waiting does not vanish", "undecided": "undecided"}


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.zero_queueing_family` and return the figure: a line per class, bounds around them."""
    sizes = [int(n) for n in result.places("servers")]
    if not sizes or "verdict" not in result.provenance:
        raise nothing_to_draw("zero_queueing_family")
    [axes] = [new_figure(height=4.6).add_subplot()] if ax is None else given_panels(ax, 1)
    names = list(dict.fromkeys(row.job_class for row in result if row.name == "need"))
    for rank, (name, marker) in enumerate(zip(names, MARKERS, strict=False)):
        # The only class is all jobs.
        found = result.along("servers", SIMULATED, name if len(names) > 1 else None)
        if found:
            shifted = [n * _beside(rank, len(names)) for n, _ in found]
            draw_estimates(axes, shifted, [row for _, row in found], marker=marker, label=f"need {name}, simulated")
    _draw_line(axes, result, "waiting_probability", "kx", markersize=9, label="all jobs, exact", zorder=4)
    for name, style, label in (
        ("waiting_probability_bound", "k-", "bound (zeroq, Theorem 4.2)"),
        ("waiting_probability_sharper_bound", "k--", "sharper bound"),
        ("waiting_probability_lower_bound", "k:", "lower bound"),
    ):
        _draw_line(axes, result, name, style, linewidth=1.1, label=label)
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    server_axis(axes, sizes)
    axes.set_yscale("log")
    axes.set_ylim(bottom=_bottom(result))
    axes.set_ylabel("probability that a job waits")
    axes.set_title(_title(result.provenance), fontsize=10)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure_of([axes])


def _draw_line(axes: Any, result: Result, name: str, style: str, **options: Any) -> None:
    found = [(n, row.value) for n, row in result.along("servers", name) if row.value]
    if found:
        axes.plot(*zip(*found, strict=True), style, **options)


def _beside(rank: int, count: int) -> float:
    """Move the markers of several classes apart a little, so that none hides another."""
    return float(2.0 ** (0.1 * (rank - (count - 1) / 2)))


def _bottom(result: Result) -> float:
    """Return where the axis ends: below everything simulated; lower bounds may run out of it."""
    seen = [row.value or row.high or 1.0 for _, row in result.along("servers", SIMULATED)]
    lower = [row.value for _, row in result.along("servers", "waiting_probability_lower_bound")]
    return max(0.2 * min(seen or lower), 1e-12)


def _title(facts: Mapping[str, Any]) -> str:
    """Say which family it is."""
    load = f"$1 - {facts['beta']:g}\\,n^{{-{facts['alpha']:g}}}$"
    return f"load {load}, needs {', '.join(facts['needs'])}: {ENDS[facts['verdict']]} (region {facts['region']})"
