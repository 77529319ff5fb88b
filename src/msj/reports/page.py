"""A report as one HTML file that needs nothing else: plots work without a network, and it prints.

plotly.js is put into the page once, compressed; the plots are documents beside it. All words of the user pass through
the template's escaping, and no document can end its script early.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from html import unescape
from importlib.resources import files
from typing import Any

from msj.reports import tables
from msj.reports.charts import Chart, charts_of
from msj.reports.contents import Report
from msj.reports.legends import DARK, legend_of
from msj.reports.policies import policy_name
from msj.reports.tables import Table
from msj.reports.text import evidence_of, summary
from msj.reports.wording import count, how_sure, percent, short, sure_of, what_is_assumed
from msj.results.units import rate_words

TITLES = {
    "capacity": "How much it can take",
    "response": "Response times",
    "waiting": "Waiting times",
    "policies": "Policies on the same jobs",
    "what_if": "What a change would bring",
    "outlook": "Outlook",
}


def write_page(report: Report) -> str:
    """Return the page."""
    charts = charts_of(report)
    return rendered(
        "page.html.j2",
        charts.values(),
        report=report,
        title=report.title,
        summary=summary(report).removeprefix(f"{report.title}: "),
        sections=_sections(report, charts),
        titles=TITLES,
        policy=policy_name(report.cluster.policy),
        classes=tables.classes_table(report),
        assumed=what_is_assumed(report.cluster),
        methods=tables.methods_table(report),
        words=tables.words_table(report),
        provenance=tables.provenance_table(report),
        sure_of=sure_of,
        count=count,
        how_sure=how_sure,
    )


def rendered(template: str, charts: Iterable[Chart], **values: Any) -> str:
    """Return a page of this room's templates, with the plots and all they need inside it."""
    from jinja2 import Environment, FunctionLoader
    from plotly.offline import get_plotlyjs

    loader = FunctionLoader(lambda name: files("msj.reports").joinpath(name).read_text(encoding="utf-8"))
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["tied"] = _tied
    environment.filters["unescaped"] = unescape  # names of traces are written as HTML already, for plotly
    environment.globals["legend_of"] = legend_of
    drawn = [{"id": chart.key, "data": chart.data, "layout": chart.layout} for chart in charts]
    plotly = _packed(get_plotlyjs()) if drawn else ""
    more = {"charts": _script_safe(drawn), "dark": _script_safe(DARK), "plotly": plotly}
    return environment.get_template(template).render(**more, **values)


def _sections(report: Report, charts: dict[str, Chart]) -> list[dict[str, Any]]:
    load = report.load
    rate = f" {rate_words(report.time_unit)}" if report.time_unit is not None else ""
    here = "" if load is None else (
        f"At arrival rate {short(load.arrival_rate)}{rate}: utilisation {percent(load.utilisation)}{_of_limit(report)} "
        f"({load.words})."
    )  # fmt: skip
    left_out = [f"Left out: {', '.join(names)}: {reason}." for reason, names in report.policies.reasons.items()]
    found = [
        _section("capacity", charts, [tables.capacity_table(report), tables.blame_table(report)],
                 (*evidence_of(report), *report.notes)),
        _section("response", charts, [tables.response_table(report)], report.response.notes, lead=here,
                 details=("All points of the curves", tables.curve_table(report))),
        _section("waiting", charts, [tables.waiting_table(report)], report.waiting.notes),
        _section("policies", charts, [tables.policies_table(report)], (*left_out, *report.policies.notes),
                 lead="All policies serve the very same jobs, so differences are surer than the means."),
        _section("what_if", charts, [tables.what_if_table(report)], report.what_if.notes,
                 lead="Response times are at the same arrival rate as now. A cap keeps the work of a job: fewer "
                 "servers, longer runs."),
        _section("outlook", charts, [tables.outlook_table(report)], report.outlook.notes,
                 lead=f"The same mix of jobs on more servers, at {report.outlook.kept} "
                 f"{percent(report.outlook.share)}."),
    ]  # fmt: skip
    return [section for section in found if section["tables"] or section["notes"] or section["chart"]]


def _of_limit(report: Report) -> str:
    """Say which share of the limit the load is, where there is a limit to speak of."""
    if report.load is None or report.capacity is None or not report.capacity.proved:
        return ""
    return f", {percent(report.load.load)} of the limit"


def _section(
    key: str,
    charts: dict[str, Chart],
    shown: list[Table],
    notes: tuple[str, ...],
    *,
    lead: str = "",
    details: tuple[str, Table] | None = None,
) -> dict[str, Any]:
    return {
        "key": key,
        "title": TITLES[key],
        "lead": lead,
        "chart": charts.get(key),
        "tables": [table for table in shown if table.rows],
        "notes": notes,
        "details": details if details is not None and details[1].rows else None,
    }


def _packed(script: str) -> str:
    """Return a script compressed, as letters."""
    return base64.b64encode(gzip.compress(script.encode("utf-8"), 6, mtime=0)).decode("ascii")


def _tied(text: str) -> str:
    """Keep a number and its unit on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")


def _script_safe(document: Any) -> Any:
    """Return JSON that may stand inside a script element."""
    from markupsafe import Markup

    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))
