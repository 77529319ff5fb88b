"""Labels beside the axes of a page's pictures: short enough to leave room for the data on a phone."""

from __future__ import annotations

from textwrap import wrap

from msj.reports.chart_style import safe

MAX_LABEL = 18  # letters of one line


def class_labels(names: list[str | None]) -> dict[str | None, str]:
    """Return a label of limited length for each class, all different."""
    found: dict[str | None, str] = {}
    for name in names:
        text = "all jobs" if name is None else name if len(name) <= MAX_LABEL else f"{name[: MAX_LABEL - 1]}…"
        label, number = safe(text), 1
        while label in found.values():
            number += 1
            label = safe(f"{text} ({number})")
        found[name] = f"<b>{label}</b>" if name is None else label
    return found


def wrapped(words: str) -> str:
    """Return words in lines that are short enough to stand beside an axis on a phone."""
    first, bracket, rest = words.partition(" (")
    parts = [first, f"({rest}"] if bracket else [first]
    return "<br>".join(safe(line) for part in parts for line in wrap(part, MAX_LABEL + 4))


def row_height(label: str) -> int:
    """Return the height of a row with a label of several lines."""
    return max(40, 20 * (1 + label.count("<br>")))
