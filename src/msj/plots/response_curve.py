"""Mean response time against arrival rate: exact, predicted, and where the naive count puts the limit."""

from __future__ import annotations

from typing import Any

from msj.analysis.response_curve import ResponseCurve
from msj.plots.figure import new_figure

DASHES = (":", "-.", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 3)))  # one per class; beyond that, classes are left out


def draw_response_curve(curve: ResponseCurve) -> Any:
    """Return a figure of the curve; lines differ in dash and marker, so that it works in black and white."""
    figure = new_figure()
    axes = figure.add_subplot()
    axes.plot(curve.arrival_rates, curve.mean_response_time, "k-o", markersize=3.5, label="all jobs, exact", zorder=3)
    axes.plot(curve.arrival_rates, curve.predicted_mean_response_time, "--", color="tab:blue", label="RESET prediction")
    if len(curve.system.active_classes) <= len(DASHES):
        for dashes, (i, c) in zip(DASHES, enumerate(curve.system.classes), strict=False):
            by_class = curve.mean_response_time_by_class[:, i]
            axes.plot(curve.arrival_rates, by_class, color="0.45", linestyle=dashes, linewidth=1.2, label=c.name)
    axes.set_yscale("log")
    _mark_thresholds(axes, curve.stability_threshold, curve.system.naive_threshold)
    axes.set_xlabel("arrival rate (jobs per unit of time)")
    axes.set_ylabel("mean response time")
    axes.set_title(curve.system.name or f"{curve.system.servers} servers", fontsize=11)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def _mark_thresholds(axes: Any, threshold: float, naive: float) -> None:
    """Shade what a count of server-hours promises and head-of-line blocking takes away."""
    axes.set_xlim(0, naive * 1.06)
    axes.axvline(threshold, color="tab:red", linewidth=1)
    axes.axvline(naive, color="0.5", linewidth=1, linestyle=(0, (6, 3)))
    lost = 1.0 - threshold / naive
    axes.axvspan(threshold, naive, color="0.93", zorder=0)
    if lost > 0.12:  # room for words
        middle = (threshold + naive) / 2.0
        axes.text(
            middle, 0.5, f"{lost:.0%} of the servers\nlost to blocking", transform=axes.get_xaxis_transform(),
            ha="center", va="center", fontsize=9,
        )  # fmt: skip
    for x, text, colour in ((threshold, "stability threshold", "tab:red"), (naive, "naive threshold", "0.35")):
        axes.annotate(
            text, (x, 0.98), xycoords=axes.get_xaxis_transform(), xytext=(-4 if x == naive else 4, 0),
            textcoords="offset points", rotation=90, ha="right" if x == naive else "left", va="top",
            color=colour, fontsize=8,
        )  # fmt: skip
