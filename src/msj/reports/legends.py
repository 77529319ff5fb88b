"""Legends of a page's pictures, written as text beside them, and the colours of the dark scheme.

A legend inside a plot covers data where the plot is low or narrow. As a list above the picture it wraps like any text
and follows the colours of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msj.reports.chart_style import BLUE, GREEN, GREY, INK, ORANGE, PALE, RED

#: Colours of the light scheme and what they become in the dark one.
DARK = {
    INK: "#e6ebf0",
    BLUE: "#7db4ee",
    GREEN: "#7fcb9c",
    ORANGE: "#f0a35e",
    RED: "#f28b82",
    GREY: "#a3afba",
    PALE: "#4a5763",
    "#ffffff": "#12181e",
    "#e6eaee": "#2a343d",
    "#eef1f4": "#232c35",
    "#f6eceb": "#33201e",
    "#f5f7f9": "#1c242c",
    "#fafbfc": "#171e25",
    "#e3edf7": "#22303d",
    "#8fb7de": "#4b77a5",
}
SYMBOLS = {"circle": "●", "diamond": "◆", "square": "■", "triangle-up": "▲", "x": "✕"}
DASHES = {"solid": "", "dash": "6 4", "dot": "2 3"}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a legend: a bar, a line or a symbol in a colour, and what it stands for."""

    kind: str
    name: str
    colour: str
    dash: str = ""
    pattern: str = ""
    symbol: str = ""


def legend_of(data: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Return the legend of a picture's data; empty where one name would stand alone.

    Examples
    --------
    >>> bars = [{"type": "bar", "name": "busy", "marker": {"color": "#6b7785"}},
    ...         {"type": "bar", "name": "lost", "marker": {"color": "#a8261c", "pattern": {"shape": "/"}}}]
    >>> [(entry.name, entry.pattern) for entry in legend_of(bars)]
    [('busy', ''), ('lost', '/')]
    """
    entries = [_entry(each) for each in data if each.get("name") and each.get("showlegend", True)]
    found = list({entry.name: entry for entry in entries}.values())
    return found if len(found) > 1 else []


def _entry(trace: Mapping[str, Any]) -> Entry:
    name = re.sub(r"</?b>", "", str(trace["name"]))
    marker, line = trace.get("marker", {}), trace.get("line", {})
    if trace["type"] == "bar":
        shape = marker.get("pattern", {}).get("shape", "")
        return Entry(kind="bar", name=name, colour=_colour(marker.get("color")), pattern=shape)
    if "lines" in str(trace.get("mode", "")):
        return Entry(kind="line", name=name, colour=_colour(line.get("color")), dash=DASHES.get(line.get("dash"), ""))
    drawn = _colour(marker.get("line", {}).get("color") if marker.get("color") == "#ffffff" else marker.get("color"))
    hollow = marker.get("color") == "#ffffff"
    symbol = "○" if hollow else SYMBOLS.get(marker.get("symbol"), "●")
    return Entry(kind="symbol", name=name, colour=drawn, symbol=symbol)


def _colour(given: Any) -> str:
    return given if isinstance(given, str) else INK
