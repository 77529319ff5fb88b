"""Mean response time against arrival rate: exact, predicted, and where the naive count puts the limit."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Quantity, Result
from msj.results.units import beside, rate_words

DASHES = (":", "-.", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 3)))  # one per class; beyond that, classes are left out


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.curve` and return the figure.

    Lines differ in dash and marker, so that it works in black and white.
    """
    if not result.along("arrival_rate", "mean_response_time"):
        raise nothing_to_draw("curve")
    [axes] = [new_figure().add_subplot()] if ax is None else given_panels(ax, 1)
    rows = [row for _, row in result.along("arrival_rate", "mean_response_time")]
    how = "simulated" if any(row.kind == "simulated" for row in rows) else "exact"
    axes.plot(*_line(result, "mean_response_time"), "k-o", markersize=3.5, label=f"all jobs, {how}", zorder=3)
    for row in rows:
        if row.interval is not None:
            axes.plot([row.at["arrival_rate"]] * 2, row.interval, "k-", linewidth=2.5, alpha=0.45, zorder=2)
    if predicted := result.along("arrival_rate", "predicted_mean_response_time"):
        axes.plot(*zip(*((rate, row.value) for rate, row in predicted), strict=True), "--", color="tab:blue",
                  label="RESET prediction")  # fmt: skip
    classes = list(dict.fromkeys(row.job_class for row in result if row.job_class is not None))
    if len(classes) <= len(DASHES):
        for dashes, name in zip(DASHES, classes, strict=False):
            line = _line(result, "mean_response_time", name)
            axes.plot(*line, color="0.45", linestyle=dashes, linewidth=1.2, label=name)
    axes.set_yscale("log")
    _mark_thresholds(axes, result.row("stability_threshold"), result["naive_threshold"])
    axes.set_xlabel(f"arrival rate ({rate_words(result.time_unit)})")
    axes.set_ylabel(beside("mean response time", "time", result.time_unit))
    axes.set_title(result.title, fontsize=11, parse_math=False)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    return figure_of([axes])


def _line(result: Result, name: str, job_class: str | None = None) -> tuple[list[float], list[float]]:
    found = result.along("arrival_rate", name, job_class)
    return [rate for rate, _ in found], [row.value for _, row in found]


def _mark_thresholds(axes: Any, row: Quantity, naive: float) -> None:
    """Shade what a count of server-hours promises and blocking takes away; what is not known exactly as a band."""
    threshold = row.value
    axes.set_xlim(0, naive * 1.06)
    axes.axvline(threshold, color="tab:red", linewidth=1)
    if row.interval is not None:
        axes.axvspan(*row.interval, color="tab:red", alpha=0.12, linewidth=0)
    axes.axvline(naive, color="0.5", linewidth=1, linestyle=(0, (6, 3)))
    lost = 1.0 - threshold / naive
    axes.axvspan(threshold, naive, color="0.93", zorder=0)
    if lost > 0.12:  # room for words, in short lines where it is narrow
        middle = (threshold + naive) / 2.0
        gap = " " if lost > 0.22 else "\n"
        axes.text(
            middle, 0.5, f"{lost:.0%} of{gap}the servers\nlost to{gap}blocking", transform=axes.get_xaxis_transform(),
            ha="center", va="center", fontsize=9,
        )  # fmt: skip
    known = "stability threshold" if row.kind == "exact" else "stability threshold, simulated"
    for x, text, colour in ((threshold, known, "tab:red"), (naive, "naive threshold", "0.35")):
        left = (text == known) == (lost < 0.05)  # lines close together have their words outside, others between
        axes.annotate(
            text, (x, 0.98), xycoords=axes.get_xaxis_transform(), xytext=(-4 if left else 4, 0),
            textcoords="offset points", rotation=90, ha="right" if left else "left", va="top",
            color=colour, fontsize=8,
        )  # fmt: skip
