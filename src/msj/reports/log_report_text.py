"""A report of a log as a page of text: findings first, then small tables."""

from __future__ import annotations

from collections.abc import Callable

from msj.reports import log_contents as contents
from msj.reports.fit_text import classes_table, prediction_table, prediction_words
from msj.reports.log_contents import in_time
from msj.reports.log_report import LogReport
from msj.reports.log_text import table_lines, wrapped
from msj.reports.replay_text import needs_table, policies_table
from msj.reports.tables import Table
from msj.reports.wording import signed_percent


def write_log_report_text(found: LogReport, *, width: int = 96, heading: Callable[[str], str] = str.upper) -> str:
    """Return the page of text; ``heading`` says how a section's title is written."""
    lines = [f"{found.title}: {contents.summary(found.log)}"]
    for finding in found.findings:
        lines += wrapped(f"{finding.sentence} ({finding.kind})", "  * ", width)
    sections: list[tuple[str, Table]] = [
        ("what was read", contents.left_out_table(found.log)),
        ("jobs by need", contents.needs_table(found.log)),
        ("waits, as recorded: so many per cent of the jobs waited at most so long", contents.waits_table(found.log)),
        *(
            (f"waits by {name}", contents.waits_table(found.log, name))
            for name in ("class", "queue", "partition", "user")
        ),
        ("policies on the same jobs", policies_table(found.policies)),
        ("mean wait by need", needs_table(found.policies)),
        ("what a change would have brought, with EASY backfilling", changes_table(found)),
    ]
    if found.fit is not None:
        sections += [
            ("a fit: classes and the laws of their run times", classes_table(found.fit)),
            ("waits in the half held out: replayed, and as fits of the rest predict them", prediction_table(found.fit)),
        ]
    for title, table in sections:
        if table.rows:
            lines += ["", heading(title), table_lines(table, width)]
    lines += ["", heading("notes")]
    for note in notes_of(found):
        lines += wrapped(note, "  - ", width)
    return "\n".join(lines)


def notes_of(found: LogReport) -> list[str]:
    """Return what must be known of all this."""
    fitted = () if found.fit is None else (*prediction_words(found.fit), *found.fit.notes)
    return list(dict.fromkeys([*found.policies.notes, *fitted, *map(str, found.missing)]))


def changes_table(found: LogReport) -> Table:
    """Mean wait and its percentile after each change, and by how much the mean differs."""
    base = found.changes[0].mean.value if found.changes else 0.0
    rows = tuple(
        (
            change.words,
            in_time(change.mean.value),
            "–" if change.about == "nothing" or base <= 0 else signed_percent(change.mean.value / base - 1),
            in_time(change.late.value),
        )
        for change in found.changes
    )
    return Table(
        headings=("change", "mean wait", "change of it", "95 %"),
        rows=rows,
        numbers=(False, True, True, True),
        marked=0 if rows else None,
    )
