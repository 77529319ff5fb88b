"""The house style of the page's pictures: colours that keep their meaning, one layout, axes with plain numbers."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from typing import Any

from msj.reports.wording import short

INK, BLUE, GREEN, ORANGE, RED, GREY, PALE = "#1b2733", "#1d5fa7", "#2b7a4b", "#b8530a", "#a8261c", "#6b7785", "#d5dbe1"
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'


def layout_of(height: int, **more: Any) -> dict[str, Any]:
    """Return the layout all pictures share: as wide as the page, white, the legend on top."""
    return {
        "height": height,
        "autosize": True,
        "margin": {"l": 8, "r": 12, "t": 12, "b": 8, "pad": 4},
        "font": {"family": FONT, "size": 13, "color": INK},
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "hoverlabel": {"font": {"family": FONT, "size": 13}, "bgcolor": "#ffffff"},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "traceorder": "normal",
        },
        **more,
    }


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """Return an axis."""
    return {
        "title": {"text": title, "font": {"size": 13}},
        "automargin": True,
        "gridcolor": "#e6eaee",
        "linecolor": GREY,
        "ticks": "outside",
        "tickcolor": PALE,
        "zeroline": False,
        **more,
    }


def log_axis(title: str, values: Iterable[float], **more: Any) -> dict[str, Any]:
    """Return a logarithmic axis with ticks at 1, 2, 5 times powers of ten, labelled as plain numbers."""
    found = [value for value in values if value > 0]
    if not found or max(found) / min(found) > 1e6:
        return axis(title, type="log", exponentformat="power", **more)
    low, high = math.floor(math.log10(min(found))), math.ceil(math.log10(max(found)))
    narrow = max(found) / min(found) < 8
    steps: tuple[float, ...] = (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9) if narrow else (1, 2, 5) if high - low <= 4 else (1,)
    ticks = [step * 10.0**power for power in range(low, high + 1) for step in steps]
    return axis(title, type="log", tickvals=ticks, ticktext=[short(tick) for tick in ticks], **more)


def safe(text: str) -> str:
    """Return a user's words as plotly shows them: its labels understand HTML tags."""
    return html.escape(text, quote=False)
