"""The tables of a report: texts in columns, the same for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msj.model import JobClass
from msj.reports.contents import Report
from msj.reports.wording import between, measured, percent, short, signed_percent, sure_of
from msj.results import Quantity
from msj.results.glossary import GLOSSARY, dimension_of
from msj.results.units import beside, rate_words

NEXT_TO_NOTHING = 0.001  # of the loss


@dataclass(frozen=True, kw_only=True)
class Table:
    """Headings, rows of texts, which columns are numbers (set right), and which row is the cluster as it is."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[bool, ...]
    marked: int | None = None


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]], words: int = 1, marked: int | None = None) -> Table:
    """Make a table whose first ``words`` columns, and the one headed 'how sure' or 'asks for', are words."""
    names = tuple(headings)
    numbers = tuple(i >= words and name not in ("how sure", "asks for", "citation") for i, name in enumerate(names))
    return Table(headings=names, rows=tuple(tuple(row) for row in rows), numbers=numbers, marked=marked)


def _time(words: str, report: Report) -> str:
    """Return words for a time, with the report's unit."""
    return beside(words, "time", report.time_unit)


def _rate(words: str, report: Report) -> str:
    """Return words for a rate, with the report's unit."""
    return beside(words, "1/time", report.time_unit)


def classes_table(report: Report) -> Table:
    """The job classes as the file gives them."""
    total = report.cluster.mean_work

    def row(c: JobClass) -> list[str]:
        work = float(c.share) * report.cluster.work_of(c) / total
        cv = c.duration.cv
        return [
            c.name,
            str(c.need),
            percent(float(c.share)),
            short(float(c.duration.mean)),
            short(cv, 3),
            percent(work),
        ]

    mean = _time("mean duration", report)
    headings = ["class", "servers each", "share of jobs", mean, "variability (cv)", "share of work"]
    return _table(headings, map(row, report.cluster.classes))


def capacity_table(report: Report) -> Table:
    """How much it can take."""
    found = report.capacity
    if found is None:
        return _table(["quantity", "value", "how sure"], [])
    rate = rate_words(report.time_unit)
    limits = [
        (f"the best of all policies could take, {rate}", found.attainable_threshold),
        (f"counting server-time promises, {rate}", found.naive_threshold),
    ]
    rows: list[tuple[str, Quantity | None]] = [*limits]
    if found.stability_threshold.kind != "bound":
        rows = [
            (f"arrival rate it takes, {rate}", found.stability_threshold),
            *limits,
            (f"{lost_words(report)}, of {report.cluster.servers:,}", found.wasted_servers),
        ]
    cells = [[words, measured(row), _sure(row)] for words, row in rows if row is not None]
    use = found.used
    if use.kind != "bound":
        of = "servers that can be busy" if found.all_present else "server-time there is that can be used"
        cells.append([f"share of {of}", _share(use), _sure(use)])
    return _table(["quantity", "value", "how sure"], cells)


def lost_words(report: Report) -> str:
    """Return the heading of a number of servers lost; where servers are taken or slow, these are among them."""
    present = report.capacity is None or report.capacity.all_present
    return "servers lost" if present else "servers idle, slow or taken"


def _sure(row: Quantity) -> str:
    return f"{sure_of(row.kind)}, evidence" if row.bracket else sure_of(row.kind)


def _share(row: Quantity) -> str:
    return percent(row.value) if row.interval is None else between(*row.interval)


def blame_table(report: Report) -> Table:
    """Servers lost, by the class at the head of the line."""
    rows = report.capacity.blocked_servers if report.capacity is not None else ()
    total = sum(row.value for row in rows)
    if total <= 0:
        return _table(["class", "servers lost", "share of the loss", "how sure"], [])
    kept = sorted((row for row in rows if row.value > NEXT_TO_NOTHING * total), key=lambda row: -row.value)
    cells = [[row.job_class or "", measured(row), percent(row.value / total), sure_of(row.kind)] for row in kept]
    rest = total - sum(row.value for row in kept)
    if len(rows) > len(kept) and rest > 0:
        cells.append(["all others", short(rest, 2), percent(rest / total), sure_of(kept[0].kind)])
    return _table(["class at the head of the line", "servers lost", "share of the loss", "how sure"], cells)


def response_table(report: Report) -> Table:
    """Mean response time, mean wait and chance to wait at the report's load."""
    if report.response.find("loss_probability") is not None:
        return _loss_table(report)
    names = ("mean_response_time", "mean_waiting_time", "waiting_probability")
    rows = []
    for job_class in (None, *(c.name for c in report.cluster.active_classes)):
        found = [report.response.find(name, job_class) for name in names]
        mean, waits, chance = found
        kinds = dict.fromkeys(sure_of(row.kind) for row in found if row is not None)
        if kinds:
            cells = [measured(mean), measured(waits), percent(chance.value) if chance is not None else "–"]
            rows.append([job_class or "all jobs", *cells, " / ".join(kinds)])
    stay, wait = _time("mean response time", report), _time("mean wait", report)
    return _table(["class", stay, wait, "has to wait", "how sure"], rows)


def _loss_table(report: Report) -> Table:
    """Share of jobs lost and mean number of jobs in service, by class."""
    rows = []
    for job_class in (None, *(c.name for c in report.cluster.active_classes)):
        lost = report.response.find("loss_probability", job_class)
        if lost is not None:
            present = measured(report.response.find("mean_jobs_in_system", job_class))
            rows.append([job_class or "all jobs", _share(lost), present, sure_of(lost.kind)])
    return _table(["class", "jobs lost", "mean jobs in service", "how sure"], rows)


def waiting_table(report: Report) -> Table:
    """Waiting time percentiles, one row per class."""
    rows = report.waiting.rows
    levels = sorted({row.level for row in rows if row.level is not None})
    by_class: dict[str | None, dict[float | None, Quantity]] = {}
    for row in rows:
        by_class.setdefault(row.job_class, {})[row.level] = row
    cells = [
        [
            name or "all jobs",
            *(measured(found.get(level)) for level in levels),
            sure_of(next(iter(found.values())).kind),
        ]
        for name, found in by_class.items()
    ]
    first = "class" if report.time_unit is None else f"class; waits in {report.time_unit}"
    return _table([first, *(f"{level:g} %" for level in levels), "how sure"], cells)


def curve_table(report: Report, at_most: int | None = None) -> Table:
    """Every point of every curve by utilisation, or a few of them: those with most to compare first."""
    curves = report.response.curves
    points: dict[float, dict[str, str]] = {}
    for curve in curves:
        for point in curve.points:
            points.setdefault(round(point.arrival_rate, 12), {})[curve.name] = measured(point.mean_response_time)
    naive = report.cluster.naive_threshold
    if at_most is not None and len(points) > at_most:
        here = report.load.arrival_rate if report.load is not None else 0.0
        fullest = sorted(points, key=lambda rate: (-len(points[rate]), abs(rate - here)))[:at_most]
        points = {rate: points[rate] for rate in fullest}
    rows = [
        [percent(rate / naive), short(rate), *(found.get(curve.name, "") for curve in curves)]
        for rate, found in sorted(points.items())
    ]
    means = [_time(curve.name, report) for curve in curves]
    return _table(["utilisation", _rate("arrival rate", report), *means], rows, words=0)


def policies_table(report: Report) -> Table:
    """The policies on the same jobs, the fastest first."""
    ordered = sorted(
        report.policies.rows,
        key=lambda row: (
            not row.stable,
            row.mean_response_time is None,
            row.mean_response_time.value if row.mean_response_time else 0.0,
        ),
    )
    rows = []
    for row in ordered:
        name = f"{row.policy} (as it is)" if row.own else row.policy
        if row.why_no_mean:
            cells = [row.why_no_mean, "–", "–"]
        elif row.stable:
            cells = [measured(row.mean_response_time), measured(row.percentile_95), _signed(row.difference)]
        else:
            cells = ["queue keeps growing", "–", "–"]
        rows.append([name, *cells, row.asks_for])
    own = next((i for i, row in enumerate(ordered) if row.own), None)
    times = ("mean response time", "95 % stay at most", "difference of means")
    headings = ["policy", *(_time(words, report) for words in times), "asks for"]
    return _table(headings, rows, marked=own)


def _signed(row: Quantity | None) -> str:
    if row is None:
        return ""
    text = measured(row)
    if " to " in text or row.value < 0:
        return text
    return f"≈ +{text.removeprefix('≈ ')}" if text.startswith("≈") else f"+{text}"


def what_if_table(report: Report) -> Table:
    """Changes and what they bring, the cluster as it is first."""
    found, load = report.capacity, report.load
    rows = report.what_if.rows
    loads = any(row.capacity is not None for row in rows)
    headings = ["change", *([_rate("arrival rate it takes", report), "by", lost_words(report)] if loads else [])]
    headings += [_time("mean response time", report), "by", "how sure"]
    if found is None or load is None or not rows:
        return _table(headings, [])
    stay = report.response.find("mean_response_time")
    now = "queue keeps growing" if not load.stable else measured(stay)
    base = found.stability_threshold
    taken = [measured(base), "", measured(found.wasted_servers)] if loads else []
    cells = [["as it is", *taken, now, "", _sures(base if loads else None, stay)]]
    for row in rows:
        taken = ["–", "–", "–"] if loads else []
        threshold = None
        if row.capacity is not None:
            threshold = row.capacity.stability_threshold
            gain = signed_percent(threshold.value / base.value - 1.0)
            taken = [measured(threshold), gain if found.proved else "–", measured(row.capacity.wasted_servers)]
        after = measured(row.mean_response_time) if row.stable else "queue keeps growing"
        sure = _sures(threshold, row.mean_response_time)
        cells.append([row.change.words, *taken, after, _relative(row.difference, stay), sure])
    if all(line[-2] in ("", "–") for line in cells):  # no difference is known: no column of dashes
        headings, cells = [*headings[:-2], headings[-1]], [[*line[:-2], line[-1]] for line in cells]
    return _table(headings, cells, marked=0)


def _sures(*rows: Quantity | None) -> str:
    return " / ".join(dict.fromkeys(sure_of(row.kind) for row in rows if row is not None)) or "–"


def _relative(change: Quantity | None, base: Quantity | None) -> str:
    """Write a difference as a share, with its interval."""
    if change is None or base is None:
        return "–"
    if change.kind == "exact":
        return signed_percent(change.value / base.value)
    if change.interval is None:
        return "–"
    low, high = (signed_percent(end / base.value) for end in change.interval)
    return f"{low.removesuffix(' %')} to {high}"


OUTLOOK = {
    "stability_threshold": "arrival rate it takes",
    "wasted_share": "servers lost",
    "waiting_probability": "has to wait",
    "mean_response_time": "mean response time",
}
SHARES = ("wasted_share", "waiting_probability")


def outlook_table(report: Report) -> Table:
    """The same mix on more servers."""
    rows = report.outlook.rows
    names = [name for name in OUTLOOK if any(row.find(name) is not None for row in rows)]
    cells = []
    for row in rows:
        found = [row.find(name) for name in names]
        texts = [
            _share(q) if q is not None and name in SHARES else measured(q) for name, q in zip(names, found, strict=True)
        ]
        kinds = dict.fromkeys(sure_of(q.kind) for q in found if q is not None)
        cells.append([f"{row.servers:,}", *texts, " / ".join(kinds)])
    heads = {**OUTLOOK, "wasted_share": lost_words(report)}
    words = [beside(heads[name], dimension_of(name) or "1", report.time_unit) for name in names]
    return _table(["servers", *words, "how sure"], cells, words=0, marked=0)


def words_table(report: Report) -> Table:
    """What the quantities are that the page shows, from the glossary."""
    names = dict.fromkeys(row.name for row in (*report.quantities, *(finding.quantity for finding in report.findings)))
    rows = [[name.replace("_", " "), row.words] for name in names if (row := GLOSSARY.get(name)) is not None]
    return _table(["word", "what it is"], rows, words=2)


def methods_table(report: Report) -> Table:
    """Every method behind a number, with its citation."""
    rows = [[sure_of(kind), method, citation] for kind, method, citation in report.methods]  # type: ignore[arg-type]
    return _table(["how sure", "method", "citation"], rows, words=3)


def provenance_table(report: Report) -> Table:
    """Enough to make the report again."""
    return _table(["", ""], provenance_rows(report.provenance), words=2)


def provenance_rows(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return provenance as text: the question by its verb and options; its system is on the page.

    Examples
    --------
    >>> provenance_rows({"seed": 1, "question": {"verb": "report", "system": {}, "options": {"precision": 0.02}}})
    [('seed', '1'), ('question', 'report, precision = 0.02')]
    """
    rows = []
    for key, value in facts.items():
        if key == "question" and isinstance(value, Mapping):
            options = value.get("options") or {}
            text = ", ".join(
                [str(value.get("verb", "")), *(f"{name} = {_plain(each)}" for name, each in options.items())]
            )
        else:
            text = _plain(value)
        rows.append((key.replace("_", " "), text))
    return rows


def _plain(value: Any) -> str:
    """Return a value as text, without the brackets and quotes of Python."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_plain(each)}" for key, each in value.items()) or "–"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plain, value)) or "–"
    if value is None:
        return "–"
    return str(value) if not isinstance(value, bool) else "yes" if value else "no"
