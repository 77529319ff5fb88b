"""What several pictures share: an axis of servers, and estimates with their intervals on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Estimated(Protocol):
    """A number with an interval: a row of a result, or anything like it."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def ends(self) -> tuple[float, float]:
        """What it may be at least and at most."""


def draw_estimates(axes: Any, sizes: Sequence[float], found: Sequence[Estimated], *, marker: str, label: str) -> None:
    """Draw simulated probabilities with their intervals; where no job waited, an arrow down from the upper limit."""
    known = [(n, e.value, *e.ends) for n, e in zip(sizes, found, strict=True)]
    seen = [(n, value, low, high) for n, value, low, high in known if value > 0]
    unseen = [(n, high) for n, value, _, high in known if value == 0]
    color = None
    if seen:
        bars = axes.errorbar(
            [n for n, *_ in seen],
            [value for _, value, *_ in seen],
            # An interval that reaches 0 runs out of a logarithmic axis.
            yerr=[[value - low for _, value, low, _ in seen], [high - value for _, value, _, high in seen]],
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
