"""Replays for people: one line per policy, what the log recorded first; then the mean wait by need."""

from __future__ import annotations

from msj.reports.log_contents import in_time
from msj.reports.tables import Table
from msj.reports.wording import percent, short
from msj.results import Quantity, Result

RECORDED = "as recorded"


def policies_table(found: Result) -> Table:
    """Means and percentiles of every policy."""
    levels = list(dict.fromkeys(row.level for row in found if row.name == "waiting_time_percentile"))
    rows = []
    for name, part in _parts(found).items():
        waits = [part.get(("waiting_time_percentile", None, level)) for level in levels]
        slow, use = part.get(("mean_bounded_slowdown", None, None)), part.get(("utilisation", None, None))
        rows.append(
            (
                name,
                _spread(part.get(("mean_waiting_time", None, None))),
                *(in_time(None if row is None else row.value) for row in waits),
                short(None if slow is None else slow.value, 3),
                percent(None if use is None else use.value),
            )
        )
    headings = ("policy", "mean wait", *(f"{level:g} %" for level in levels), "slowdown", "busy")
    return Table(headings=headings, rows=tuple(rows), numbers=(False, *(True for _ in headings[1:])))


def needs_table(found: Result) -> Table:
    """Mean wait by need under every policy."""
    parts = _parts(found)
    groups = list(dict.fromkeys(row.job_class for row in found if row.job_class is not None))
    rows = tuple(
        (group, *(_plain(part.get(("mean_waiting_time", group, None))) for part in parts.values())) for group in groups
    )
    return Table(headings=("mean wait", *parts), rows=rows, numbers=(False, *(True for _ in parts)))


def _parts(found: Result) -> dict[str, dict[tuple[str, str | None, float | None], Quantity]]:
    parts: dict[str, dict[tuple[str, str | None, float | None], Quantity]] = {}
    for row in found:
        name = str(row.at["policy"]) if "policy" in row.at else RECORDED
        parts.setdefault(name, {})[row.name, row.job_class, row.level] = row
    return parts


def _plain(row: Quantity | None) -> str:
    return in_time(None if row is None else row.value)


def _spread(row: Quantity | None) -> str:
    if row is None:
        return "–"
    low, high = map(in_time, row.interval or (row.value, row.value))
    return in_time(row.value) if low == high else f"{in_time(row.value)} ({low} to {high})"
