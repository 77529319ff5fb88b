"""A log as one HTML file that needs nothing else: findings, pictures, tables."""

from __future__ import annotations

from typing import Any

from msj.answers.log import LogResult
from msj.reports import log_contents as contents
from msj.reports.log_charts import charts_of
from msj.reports.page import rendered
from msj.reports.tables import Table
from msj.reports.wording import count

TITLES = {
    "time": "Servers in use",
    "queue": "The queue",
    "arrivals": "Arrivals",
    "needs": "Needs and run times",
    "waits": "Waits",
    "estimates": "Requested times",
    "gantt": "A window of the log",
}


class _Shown:
    """What the template asks of a report."""

    load = None

    def __init__(self, found: LogResult) -> None:
        self.provenance = found.provenance
        self.findings = contents.findings(found)
        self.notes = (*found.trace.notes, *map(str, found.missing))


def write_log_page(found: LogResult) -> str:
    """Return the page."""
    charts = charts_of(found)
    shown: dict[str, list[tuple[str, Table]]] = {
        "needs": [("", contents.needs_table(found))],
        "waits": [
            ("", contents.waits_table(found)),
            *((f"By {name}", contents.waits_table(found, name)) for name in ("class", "queue", "partition", "user")),
        ],
    }
    sections: list[dict[str, Any]] = []
    for key, title in TITLES.items():
        tables = [table for _, table in shown.get(key, ()) if table.rows]
        details = ("All numbers", contents.heat_table(found)) if key == "needs" else None
        if key in charts or tables:
            sections.append(
                {"key": key, "title": title, "lead": "", "chart": charts.get(key), "tables": tables, "notes": (),
                 "details": details}
            )  # fmt: skip
    return rendered(
        "log.html.j2",
        charts.values(),
        report=_Shown(found),
        title=found.title,
        summary=contents.summary(found),
        sections=sections,
        titles=TITLES,
        left_out=contents.left_out_table(found),
        provenance=_provenance(found),
        sure_of=str,
        how_sure=lambda row: f"{row.kind}, {row.method}",
        count=count,
    )


def _provenance(found: LogResult) -> Table:
    facts = {key: value for key, value in found.provenance.items() if key != "question"}
    rows = tuple((key.replace("_", " "), str(value)) for key, value in facts.items())
    return Table(headings=("", ""), rows=rows, numbers=(False, False))
