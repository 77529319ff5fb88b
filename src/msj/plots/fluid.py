"""The fluid model with simulated paths over it, and how their distance falls as the cluster grows."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.plots.estimates import server_axis
from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Result
from msj.results.units import beside

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))
MOST_PATHS = 3  # sizes shown: the smallest, a middle one, the largest


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.fluid` and return the figure.

    Where several sizes were simulated there is a second panel, of distance against n, and ``ax`` is two axes.
    """
    if not result.places("time"):
        raise nothing_to_draw("fluid")
    count = 2 if "distance_exponent" in result else 1
    if ax is None:
        figure = new_figure(10.0 if count > 1 else 7.0, 4.2)
        panels = [figure.add_subplot(1, count, k + 1) for k in range(count)]
    else:
        panels = given_panels(ax, count)
    _draw_paths(panels[0], result)
    if count > 1:
        _draw_distances(panels[1], result)
    return figure_of(panels)


def _draw_paths(axes: Any, result: Result) -> None:
    sizes = sorted({row.at["servers"] for row in result if row.name == "jobs_over_rate"})
    if len(sizes) > MOST_PATHS:
        sizes = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    paths = {n: result.at(servers=n) for n in sizes}
    classes = dict.fromkeys(row.job_class for row in result if row.name == "fluid_jobs_over_rate")
    for i, name in enumerate(classes):
        for strength, path in zip(_strengths(len(sizes)), paths.values(), strict=True):
            line = _line(path, "jobs_over_rate", name)
            axes.step(*line, where="post", color=f"C{i}", linewidth=0.8, alpha=strength, zorder=1)
        dash = DASHES[i % len(DASHES)]
        line = _line(result, "fluid_jobs_over_rate", name)
        axes.plot(*line, color="k", linestyle=dash, linewidth=1.6, label=f"{name}, fluid")
    for strength, n in zip(_strengths(len(sizes)), sizes, strict=True):
        axes.plot([], [], color="0.3", linewidth=0.8, alpha=strength, label=f"simulated, n = {n:,}")
    axes.set_xlim(0.0, max(result.places("time")))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel(beside("time", "time", result.time_unit))
    axes.set_ylabel(beside(r"jobs present / arrival rate, $X_i(t)/\lambda_i$", "time", result.time_unit))
    axes.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _strengths(count: int) -> list[float]:
    """Return how dark the paths are: the larger the cluster, the darker."""
    return [0.25 + 0.3 * rank for rank in range(count)]


def _line(result: Result, name: str, job_class: str | None) -> tuple[list[float], list[float]]:
    found = result.along("time", name, job_class)
    return [time for time, _ in found], [row.value for _, row in found]


def _draw_distances(axes: Any, result: Result) -> None:
    found = sorted(result.along("servers", "mean_distance_to_fluid"), key=lambda each: each[0])
    sizes = np.array([n for n, _ in found], dtype=float)
    means = np.array([row.value for _, row in found])
    halves = [row.ends[1] - row.value for _, row in found]
    axes.errorbar(sizes, means, yerr=halves, fmt="ko", capsize=3, label="mean over the paths, 95 % interval")
    slope = result["distance_exponent"]
    centre = np.exp(np.log(means).mean() - slope * np.log(sizes).mean())
    axes.plot(sizes, centre * sizes**slope, "k--", linewidth=1.0, label=f"fit: $n^{{{slope:.2f}}}$")
    axes.set_yscale("log")
    server_axis(axes, [n for n, _ in found])
    axes.set_ylabel(beside(r"$\sup_t\ \sum_i |X_i(t)/\lambda_i - y_i(t)|$", "time", result.time_unit))
    axes.legend(fontsize=8, frameon=False)
