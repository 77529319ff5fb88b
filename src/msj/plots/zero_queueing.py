"""Probability of waiting against the number of servers: bounds, simulation with its intervals, exact values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msj.plots.figure import new_figure
from msj.scaling.queueing_probability import Estimate
from msj.scaling.zero_queueing_family import FamilyAnswer, ZeroQueueingFamily

MARKERS = "osD^v<>P"


def draw_zero_queueing(answer: FamilyAnswer) -> Any:
    """Return a figure of the family: one line per class, bounds around them."""
    figure = new_figure(height=4.6)
    axes = figure.add_subplot()
    sizes = [point.servers for point in answer.points]
    names = answer.family.class_names
    for rank, (name, marker) in enumerate(zip(names, MARKERS, strict=False)):
        found = [
            (p.servers * _beside(rank, len(names)), p.simulated.by_class[name]) for p in answer.points if p.simulated
        ]
        if found:
            draw_estimates(axes, *zip(*found, strict=True), marker=marker, label=f"need {name}, simulated")
    exact = [(p.servers, p.exact.overall.value) for p in answer.points if p.exact]
    if exact:
        axes.plot(*zip(*exact, strict=True), "kx", markersize=9, label="all jobs, exact", zorder=4)
    for key, style, label in (
        ("bound", "k-", "bound (zeroq, Theorem 4.2)"),
        ("sharper_bound", "k--", "sharper bound"),
        ("lower_bound", "k:", "lower bound"),
    ):
        values = [(p.servers, getattr(p.bounds, key)) for p in answer.points if getattr(p.bounds, key)]
        if values:
            axes.plot(*zip(*values, strict=True), style, linewidth=1.1, label=label)
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    server_axis(axes, sizes)
    axes.set_yscale("log")
    axes.set_ylim(bottom=_bottom(answer))
    axes.set_ylabel("probability that a job waits")
    axes.set_title(title_of(answer.family), fontsize=10)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _beside(rank: int, count: int) -> float:
    """Move the markers of several classes apart a little, so that none hides another."""
    return float(2.0 ** (0.1 * (rank - (count - 1) / 2)))


def _bottom(answer: FamilyAnswer) -> float:
    """Return where the axis ends: below everything simulated; lower bounds may run out of it."""
    seen = [p.simulated.overall for p in answer.points if p.simulated]
    shown = [estimate.value or estimate.high for estimate in seen] or [p.bounds.lower_bound for p in answer.points]
    return max(0.2 * min(shown), 1e-12)


def draw_estimates(axes: Any, sizes: Sequence[float], found: Sequence[Estimate], *, marker: str, label: str) -> None:
    """Draw simulated probabilities with their intervals; where no job waited, an arrow down from the upper limit."""
    seen = [(n, e) for n, e in zip(sizes, found, strict=True) if e.value > 0]
    unseen = [(n, e.high) for n, e in zip(sizes, found, strict=True) if e.value == 0]
    color = None
    if seen:
        bars = axes.errorbar(
            [n for n, _ in seen],
            [e.value for _, e in seen],
            # An interval that reaches 0 runs out of a logarithmic axis.
            yerr=[[e.value - e.low for _, e in seen], [e.high - e.value for _, e in seen]],
            marker=marker,
            markersize=5,
            capsize=3,
            linewidth=1.2,
            label=label,
        )
        color = bars[0].get_color()
    if unseen:
        axes.errorbar(
            [n for n, _ in unseen],
            [high for _, high in unseen],
            yerr=[0.5 * high for _, high in unseen],
            uplims=True,
            fmt=marker,
            markersize=5,
            markerfacecolor="none",
            color=color,
            label=None if seen else label,
        )


def server_axis(axes: Any, sizes: Sequence[int]) -> None:
    """Make the horizontal axis one of servers, marked at the sizes themselves where they are few."""
    axes.set_xscale("log", base=2)
    axes.set_xlabel("servers n")
    if len(sizes) <= 12:
        axes.set_xticks(list(sizes), [f"{n:,}" for n in sizes], fontsize=8)
        axes.set_xticks([], minor=True)


def title_of(family: ZeroQueueingFamily) -> str:
    """Say which family it is."""
    needs = ", ".join(map(str, family.needs))
    ends = {"vanishes": "waiting vanishes", "stays": "waiting does not vanish", "undecided": "undecided"}[
        family.verdict
    ]
    load = f"$1 - {float(family.beta):g}\\,n^{{-{float(family.alpha):g}}}$"
    return f"load {load}, needs {needs}: {ends} (region {family.region})"
