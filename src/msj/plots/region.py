"""The stability region in the plane of two classes' arrival rates: the policy's, any policy's, and server-time."""

from __future__ import annotations

from typing import Any

from msj.plots.figure import figure_of, given_panels, new_figure, nothing_to_draw
from msj.results import Quantity, Result
from msj.results.units import beside


def draw(result: Result, ax: Any = None) -> Any:
    """Draw a result of :func:`msj.region` and return the figure.

    Borders differ in dash and shade, so that it works in black and white.
    """
    own = result.along("class_share", "stability_threshold")
    if not own or "of_class" not in own[0][1].at:
        raise nothing_to_draw("region")
    [axes] = [new_figure(6.0, 5.0).add_subplot()] if ax is None else given_panels(ax, 1)
    first = str(own[0][1].at["of_class"])
    names = [str(c["name"]) for c in result.system["classes"]]
    asked = result.provenance.get("question", {}).get("options", {}).get("classes") or names
    second = next((name for name in asked if name != first), "the other class")
    policy = result.system["policy"]
    called = policy if isinstance(policy, str) else str(policy.get("name"))
    naive, best = _border(result, "naive_threshold"), _border(result, "attainable_threshold")
    axes.plot(*naive, color="0.45", linestyle=(0, (6, 3)), linewidth=1.2, label="server-time", zorder=3.5)
    if best[0]:
        axes.fill_between(*best, color="0.92", zorder=0)
        axes.plot(*best, color="tab:blue", linewidth=1.4, label="best packing, any policy", zorder=3)
    xs, ys = _border(result, "stability_threshold")
    axes.fill_between(xs, ys, color="0.8", zorder=1)
    simulated = any(row.kind == "simulated" for _, row in own)
    axes.plot(xs, ys, "k-", marker="o" if simulated else "", markersize=3.5, label=called, zorder=4)
    for share, row in own:
        _whisker(axes, float(share), row)
    axes.set_xlim(0, 1.04 * max(naive[0]))
    axes.set_ylim(0, 1.04 * max(naive[1]))
    for name, put in ((first, axes.set_xlabel), (second, axes.set_ylabel)):
        put(beside(f"arrival rate of '{name}'", "1/time", result.time_unit), parse_math=False)
    axes.set_title(result.title, fontsize=11, parse_math=False)
    axes.legend(fontsize=8, frameon=False, loc="upper right")
    return figure_of([axes])


def _border(result: Result, name: str) -> tuple[list[float], list[float]]:
    found = [(share, row.value) for share, row in result.along("class_share", name)]
    return [share * rate for share, rate in found], [(1.0 - share) * rate for share, rate in found]


def _whisker(axes: Any, share: float, row: Quantity) -> None:
    """How sure a simulated point is: along the ray on which the mix stays the same."""
    if row.interval is not None:
        xs, ys = ([part * end for end in row.interval] for part in (share, 1.0 - share))
        axes.plot(xs, ys, "k-", linewidth=0.8, zorder=5)
