"""What is said about a log: findings first, then tables; the same for the terminal and the page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from msj.answers.log import LogResult
from msj.logs.look import DAY, HOUR, RUN_NAMES, need_and_run
from msj.reports.tables import Table
from msj.reports.wording import count, percent, short
from msj.results import Quantity

LEVELS = (50.0, 90.0, 95.0, 99.0)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A sentence, the number behind it, and the section that has more."""

    sentence: str
    quantity: Quantity
    section: str

    @property
    def kind(self) -> str:
        """How the number was found."""
        return self.quantity.kind


def in_time(seconds: float | None) -> str:
    """Write a span of time for people.

    Examples
    --------
    >>> in_time(0), in_time(42), in_time(300), in_time(9000), in_time(400000)
    ('0 s', '42 s', '5 min', '2.5 h', '4.6 days')
    """
    if seconds is None or not np.isfinite(seconds):
        return "–"
    if seconds < 120:
        return f"{short(seconds, 2)} s"
    for unit, name, most in ((60.0, "min", 120 * 60.0), (HOUR, "h", 2 * DAY), (DAY, "days", np.inf)):
        if seconds < most:
            return f"{short(seconds / unit, 2)} {name}"
    raise AssertionError(seconds)


def summary(found: LogResult) -> str:
    """Return what the log is, in a line."""
    trace = found.trace
    submit = trace.column("submit")
    size = "machine size unknown" if trace.servers is None else count(trace.servers, "server")
    since = ""
    if trace.begins is not None and abs(trace.begins + submit[0]) < 1e11:
        since = f" from {datetime.fromtimestamp(trace.begins + submit[0], tz=UTC):%Y-%m-%d}"
    used = (
        f"{len(trace):,} of {count(trace.rows, 'row')} used" if trace.rows != len(trace) else count(len(trace), "job")
    )
    return f"{trace.format}, {used}, {size}, {in_time(submit[-1] - submit[0])}{since}"


def findings(found: LogResult) -> list[Finding]:
    """Return what matters most."""
    said = []
    offered = found.find("offered_utilisation")
    if offered is not None:
        sentence = f"The jobs would keep {percent(offered.value)} of the servers busy."
        if offered.value > 1:
            sentence = f"The jobs would need {percent(offered.value)} of the servers: more than there are."
        said.append(Finding(sentence=sentence, quantity=offered, section="time"))
    orders = dict(found.along("order", "saturated_utilisation"))
    if orders:
        log, shuffled = orders["log"], orders["shuffled"]
        sentence = (
            f"First come first served could keep {percent(log.value)} of the servers busy with these jobs in their "
            f"order, {percent(shuffled.value)} with the same jobs shuffled."
        )
        said.append(Finding(sentence=sentence, quantity=log, section="time"))
    wait = found.find("mean_waiting_time")
    level = {row.level: row for row in found if row.name == "waiting_time_percentile" and row.job_class is None}
    if wait is not None and {50.0, 95.0} <= level.keys():
        sentence = (
            f"Jobs waited {in_time(wait.value)} on average; half of them at most {in_time(level[50.0].value)}, "
            f"95 % at most {in_time(level[95.0].value)}."
        )
        said.append(Finding(sentence=sentence, quantity=wait, section="waits"))
    accuracy, over = found.find("mean_estimate_accuracy"), found.find("overrun_share")
    if accuracy is not None and over is not None:
        sentence = (
            f"Jobs ran {percent(accuracy.value)} of the time that was requested for them, on average; "
            f"{percent(over.value)} ran longer than requested."
        )
        said.append(Finding(sentence=sentence, quantity=accuracy, section="estimates"))
    peak, size = found.find("peak_servers_in_use"), found.trace.servers
    if found.trace.has_waits and peak is not None and size is not None and peak.value > size:
        sentence = f"At one moment {peak.value:,.0f} servers were in use, more than the {size:,} there are."
        said.append(Finding(sentence=sentence, quantity=peak, section="time"))
    return said


def left_out_table(found: LogResult) -> Table:
    """Rows read, used, and left out by reason."""
    trace = found.trace
    rows = [["used", f"{len(trace):,}", "", ""]]
    for reason, (number, lines) in trace.left_out.items():
        where = ", ".join(map(str, lines)) + (", ..." if number > len(lines) else "")
        rows.append([reason.value, f"{number:,}", reason.sentence, where])
    rows.append(["read", f"{trace.rows:,}", "", ""])
    return Table(
        headings=("rows", "number", "why", "first lines"),
        rows=tuple(tuple(row) for row in rows),
        numbers=(False, True, False, False),
    )


def waits_table(found: LogResult, prefix: str = "need") -> Table:
    """Waits by need, queue or user: jobs, share of the work, mean, percentiles, bounded slowdown."""
    names: list[str | None] = [None] if prefix == "need" else []
    names += list(dict.fromkeys(r.job_class for r in found if r.job_class and r.job_class.startswith(f"{prefix} ")))
    rows = []
    for name in names:
        mean, slow = found.find("mean_waiting_time", name), found.find("mean_bounded_slowdown", name)
        if mean is None or slow is None:
            continue
        cells = [in_time(mean.value)]
        for level in LEVELS:
            row = found.find("waiting_time_percentile", name, level)
            cells.append(in_time(None if row is None else row.value))
        rows.append((name or "all jobs", *cells, short(slow.value, 3)))
    return Table(
        headings=("waits", "mean", *(f"{level:g} %" for level in LEVELS), "bounded slowdown"),
        rows=tuple(rows),
        numbers=(False, *(True for _ in range(6))),
        marked=0 if prefix == "need" and rows else None,
    )


def needs_table(found: LogResult) -> Table:
    """Jobs and work by need."""
    trace = found.trace
    groups, _ = need_and_run(trace)
    work = trace.column("need") * trace.column("run")
    jobs = np.bincount(groups.of_job, minlength=len(groups.names))
    share = np.bincount(groups.of_job, weights=work, minlength=len(groups.names)) / work.sum()
    mean = np.bincount(groups.of_job, weights=trace.column("run"), minlength=len(groups.names)) / np.maximum(jobs, 1)
    rows = tuple(
        (name, f"{n:,}", percent(n / len(trace)), percent(part), in_time(run))
        for name, n, part, run in zip(groups.names, jobs, share, mean, strict=True)
        if n
    )
    return Table(
        headings=("servers", "jobs", "share of jobs", "share of work", "mean run time"),
        rows=rows,
        numbers=(False, True, True, True, True),
    )


def heat_table(found: LogResult) -> Table:
    """How many jobs of each need ran how long."""
    groups, boxes = need_and_run(found.trace)
    rows = tuple((name, *(f"{n:,}" if n else "" for n in row)) for name, row in zip(groups.names, boxes, strict=True))
    return Table(headings=("servers", *RUN_NAMES), rows=rows, numbers=(False, *(True for _ in RUN_NAMES)))
