"""Mean response time against arrival rate: exact, predicted, and where the naive count puts the limit."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Result

DASHES = (":", "-.", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 3)))  # one per class; beyond that, classes are left out


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.curve` and return the figure.

    Lines differ in dash and marker, so that it works in black and white.
    """
    if not result.along("arrival_rate", "mean_response_time"):
        raise nothing_to_draw("curve")
    [axes] = [new_figure().add_subplot()] if ax is None else given_panels(ax, 1)
    axes.plot(*_line(result, "mean_response_time"), "k-o", markersize=3.5, label="all jobs, exact", zorder=3)
    axes.plot(*_line(result, "predicted_mean_response_time"), "--", color="tab:blue", label="RESET prediction")
    classes = list(dict.fromkeys(row.job_class for row in result if row.job_class is not None))
    if len(classes) <= len(DASHES):
        for dashes, name in zip(DASHES, classes, strict=False):
            line = _line(result, "mean_response_time", name)
            axes.plot(*line, color="0.45", linestyle=dashes, linewidth=1.2, label=name)
    axes.set_yscale("log")
    _mark_thresholds(axes, result["stability_threshold"], result["naive_threshold"])
    axes.set_xlabel("arrival rate (jobs per unit of time)")
    axes.set_ylabel("mean response time")
    axes.set_title(result.title, fontsize=11, parse_math=False)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    return figure_of([axes])


def _line(result: Result, name: str, job_class: str | None = None) -> tuple[list[float], list[float]]:
    found = result.along("arrival_rate", name, job_class)
    return [rate for rate, _ in found], [row.value for _, row in found]


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
