"""The fluid model with simulated paths over it, and how their distance falls as the cluster grows."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.plots.figure import new_figure
from msj.plots.zero_queueing import server_axis
from msj.scaling.fluid_paths import FluidAnswer

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))
MOST_PATHS = 3  # sizes shown: the smallest, a middle one, the largest


def draw_fluid(answer: FluidAnswer) -> Any:
    """Return a figure of the fluid; with several sizes, a second panel of distance against n."""
    several = answer.slope is not None
    figure = new_figure(10.0 if several else 7.0, 4.2)
    axes = figure.add_subplot(1, 2, 1) if several else figure.add_subplot()
    _draw_paths(axes, answer)
    if several:
        _draw_distances(figure.add_subplot(1, 2, 2), answer)
    return figure


def _draw_paths(axes: Any, answer: FluidAnswer) -> None:
    chosen = sorted(answer.clusters, key=lambda cluster: cluster.servers)
    if len(chosen) > MOST_PATHS:
        chosen = [chosen[0], chosen[len(chosen) // 2], chosen[-1]]
    for i, name in enumerate(answer.model.classes):
        color, dash = f"C{i}", DASHES[i % len(DASHES)]
        for rank, cluster in enumerate(chosen):
            strength = 0.25 + 0.3 * rank
            axes.step(
                answer.times,
                cluster.values[0, :, i],
                where="post",
                color=color,
                linewidth=0.8,
                alpha=strength,
                zorder=1,
            )
        axes.plot(answer.times, answer.fluid[:, i], color="k", linestyle=dash, linewidth=1.6, label=f"{name}, fluid")
    for rank, cluster in enumerate(chosen):
        axes.plot(
            [], [], color="0.3", linewidth=0.8, alpha=0.25 + 0.3 * rank, label=f"simulated, n = {cluster.servers:,}"
        )
    axes.set_xlim(0.0, answer.until)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("time")
    axes.set_ylabel(r"jobs present / arrival rate, $X_i(t)/\lambda_i$")
    axes.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _draw_distances(axes: Any, answer: FluidAnswer) -> None:
    clusters = sorted(answer.clusters, key=lambda cluster: cluster.servers)
    sizes = np.array([cluster.servers for cluster in clusters], dtype=float)
    means = np.array([cluster.mean_distance for cluster in clusters])
    halves = np.nan_to_num([cluster.half_width for cluster in clusters])
    axes.errorbar(sizes, means, yerr=halves, fmt="ko", capsize=3, label="mean over the paths, 95 % interval")
    slope = answer.slope or 0.0
    centre = np.exp(np.log(means).mean() - slope * np.log(sizes).mean())
    axes.plot(sizes, centre * sizes**slope, "k--", linewidth=1.0, label=f"fit: $n^{{{slope:.2f}}}$")
    axes.set_yscale("log")
    server_axis(axes, [cluster.servers for cluster in clusters])
    axes.set_ylabel(r"$\sup_t\ \sum_i |X_i(t)/\lambda_i - y_i(t)|$")
    axes.legend(fontsize=8, frameon=False)
