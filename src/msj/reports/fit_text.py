"""A fit to a log for people: the classes, how jobs come, and how well all that predicts the log."""

from __future__ import annotations

import math
from collections.abc import Callable

from msj.answers.fit import FitResult
from msj.answers.held_out import DEPENDENT, INDEPENDENT, LEVEL, REPLAY
from msj.reports.log_contents import in_time
from msj.reports.log_text import table_lines, wrapped
from msj.reports.tables import Table
from msj.reports.wording import percent, short
from msj.results import Quantity, Result

QUANTITIES = {("mean_waiting_time", None): "mean wait", ("waiting_time_percentile", LEVEL): f"{LEVEL:g} %"}

BETTER, WORSE, SAME, UNKNOWN = "dependent", "independent", "same", "–"


def write_fit_text(found: FitResult, *, width: int = 96, heading: Callable[[str], str] = str.upper) -> str:
    """Return the page of text."""
    fit = found.fitted
    lines = [f"{fit.trace.source or 'log'}: {len(fit.trace):,} jobs on {fit.servers:,} servers"]
    sections = [("classes and the laws of their run times", classes_table(found))]
    predicted = prediction_table(found)
    if predicted.rows:
        sections.append(("waits in the part held out: replayed, and as fits of the rest predict them", predicted))
    for title, table in sections:
        lines += ["", heading(title), table_lines(table, width)]
    said = [*prediction_words(found), *found.notes, *map(str, found.missing)]
    lines += ["", heading("notes")]
    for note in said:
        lines += wrapped(note, "  - ", width)
    return "\n".join(lines)


def classes_table(found: FitResult) -> Table:
    """One line for each class: jobs, need, run times, law and how near it is."""
    fit = found.fitted
    rows = tuple(
        (
            name,
            f"{need:,}",
            f"{count:,}",
            percent(count / len(fit.trace)),
            in_time(law.mean),
            short(law.cv, 3),
            law.duration.law,
            f"{law.distance:.3f}",
            law.word,
        )
        for name, need, count, law in zip(
            fit.classes.names, fit.classes.needs, fit.classes.counts(), fit.durations, strict=True
        )
    )
    headings = ("class", "servers", "jobs", "share", "mean run", "cv", "law", "distance", "fit")
    return Table(headings=headings, rows=rows, numbers=(False, True, True, True, True, True, False, True, False))


def prediction_table(found: Result) -> Table:
    """Mean wait and its percentile under each policy: replayed, predicted, and the factor between them."""
    rows = []
    for policy, name, level in _cells(found):
        cells = {str(row.at["workload"]): row for row in found if _is(row, policy, name, level)}
        line = [policy, QUANTITIES[name, level], in_time(cells[REPLAY].value)]
        for fit in (INDEPENDENT, DEPENDENT):
            factor = ratio_of(found, policy, name, level, fit)
            line += [in_time(cells[fit].value), "–" if factor is None else f"x {short(factor, 2)}"]
        rows.append((*line, _nearer(found, policy, name, level)))
    headings = ("policy", "", "replayed", INDEPENDENT, "", DEPENDENT, "", "nearer")
    return Table(headings=headings, rows=tuple(rows), numbers=(False, False, True, True, True, True, True, False))


def prediction_words(found: Result) -> list[str]:
    """Say which fit is nearer, and in how many of the numbers."""
    cells = _cells(found)
    if not cells:
        return []
    nearer = [word for cell in cells if (word := _nearer(found, *cell)) != UNKNOWN]
    dependent = nearer.count(BETTER)
    if not nearer:
        said = "Nobody waits in the replay of the part held out: there is nothing to compare with."
    elif set(nearer) == {SAME}:
        said = "Both fits say the same."
    else:
        said = (
            f"The fit with the log's arrivals and order is nearer to the replay in {dependent} of {len(nearer)} "
            "numbers, by the factor between them."
        )
    told = (
        "Fits are told the utilisation of the part they predict, and nothing else of it. "
        "All policies are told true run times."
    )
    return [said, told]


def _cells(found: Result) -> list[tuple[str, str, float | None]]:
    return list(
        dict.fromkeys(
            (str(row.at["policy"]), row.name, row.level)
            for row in found
            if row.at.get("workload") == REPLAY and (row.name, row.level) in QUANTITIES
        )
    )


def _is(row: Quantity, policy: str, name: str, level: float | None) -> bool:
    return (row.name, row.level, row.at.get("policy")) == (name, level, policy) and "workload" in row.at


def ratio_of(found: Result, policy: str, name: str, level: float | None, fit: str) -> float | None:
    """Return what a fit predicts over what was replayed; None where nobody waited."""
    for row in found:
        here = row.at == {"quantity": name, "policy": policy, "workload": fit}
        if here and row.name == "predicted_over_replayed" and row.level == level:
            return row.value
    return None


def _nearer(found: Result, policy: str, name: str, level: float | None) -> str:
    one, other = (ratio_of(found, policy, name, level, fit) for fit in (INDEPENDENT, DEPENDENT))
    if one is None or other is None:
        return UNKNOWN
    away = [math.inf if factor == 0 else max(factor, 1 / factor) for factor in (one, other)]
    return SAME if away[0] == away[1] else BETTER if away[1] < away[0] else WORSE
