"""A log, or everything about it, as one HTML file that needs nothing else: findings, pictures, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msj.answers.log import LogResult
from msj.reports import log_contents as contents
from msj.reports.fit_text import classes_table, prediction_table, prediction_words
from msj.reports.log_charts import charts_of
from msj.reports.log_contents import Finding
from msj.reports.log_report import LogReport
from msj.reports.log_report_text import changes_table
from msj.reports.page import rendered
from msj.reports.replay_text import needs_table, policies_table
from msj.reports.tables import Table, provenance_rows
from msj.reports.wording import count

TITLES = {
    "policies": "Policies on the same jobs",
    "what_if": "What a change would bring",
    "fit": "A fit, and what it predicts",
    "time": "Servers in use",
    "queue": "The queue",
    "arrivals": "Arrivals",
    "needs": "Needs and run times",
    "waits": "Waits",
    "estimates": "Requested times",
    "gantt": "A window of the log",
}
LEADS = {
    "policies": "All policies serve the very same jobs, on the same servers, from an empty machine on.",
    "what_if": "The same jobs with EASY backfilling. A cap keeps the work of a job: fewer servers, longer runs.",
    "fit": "Classes with laws for their run times, as msj fit writes them to a spec file. The second half of the log "
    "is predicted from the first: with independent jobs, and with the arrivals and the order that the first half has.",
}


class _Shown:
    """What the template asks of a report."""

    load = None

    def __init__(self, found: LogResult, findings: Sequence[Finding], notes: Sequence[str]) -> None:
        self.provenance = found.provenance
        self.findings = findings
        self.notes = notes


def write_log_page(found: LogResult) -> str:
    """Return the page of a log."""
    notes = (*found.trace.notes, *map(str, found.missing))
    return _page("log.html.j2", found, found, contents.findings(found), notes, {})


def write_log_report(found: LogReport) -> str:
    """Return the page of everything about a log."""
    more: dict[str, list[Table]] = {
        "policies": [policies_table(found.policies), needs_table(found.policies)],
        "what_if": [changes_table(found)],
    }
    if found.fit is not None:
        more["fit"] = [prediction_table(found.fit), classes_table(found.fit)]
    notes = {
        "policies": found.policies.notes,
        "fit": () if found.fit is None else (*prediction_words(found.fit), *found.fit.notes),
    }
    above = (*found.trace.notes, *map(str, found.missing))
    once = {key: [note for note in said if note not in above] for key, said in notes.items()}
    return _page("log_report.html.j2", found, found.log, found.findings, above, more, once)


def _page(
    template: str,
    found: LogResult,
    log: LogResult,
    findings: Sequence[Finding],
    notes: Sequence[str],
    more: Mapping[str, list[Table]],
    said: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    charts = charts_of(log)
    shown: dict[str, list[Table]] = {
        **more,
        "needs": [contents.needs_table(log)],
        "waits": [
            contents.waits_table(log),
            *(contents.waits_table(log, name) for name in ("class", "queue", "partition", "user")),
        ],
    }
    sections: list[dict[str, Any]] = []
    for key, title in TITLES.items():
        tables = [table for table in shown.get(key, ()) if table.rows]
        details = ("All numbers", contents.heat_table(log)) if key == "needs" else None
        if key in charts or tables:
            sections.append(
                {"key": key, "title": title, "lead": LEADS.get(key, ""), "chart": charts.get(key), "tables": tables,
                 "notes": said.get(key, ()), "details": details}
            )  # fmt: skip
    return rendered(
        template,
        charts.values(),
        report=_Shown(found, findings, notes),
        title=found.title,
        summary=contents.summary(log),
        sections=sections,
        titles=TITLES,
        left_out=contents.left_out_table(log),
        provenance=_provenance(found),
        sure_of=str,
        how_sure=lambda row: f"{row.kind}, {row.method}",
        count=count,
    )


def _provenance(found: LogResult) -> Table:
    return Table(headings=("", ""), rows=tuple(provenance_rows(found.provenance)), numbers=(False, False))
