"""A log: what was read of it and what left out, how full it keeps the machine, how long its jobs waited.

Offered utilisation is sum(need x run) / (servers x time from the first submission to the last). Saturated utilisation
is what FCFS makes of the same jobs where all are there from the beginning: the work done over servers x time, up to
the last start. In log order successive jobs are alike, so that it differs from that of the same jobs shuffled; models
that draw jobs independently see only the latter.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from msj.answers.job_times import JobTimes, checked_levels, rows_of
from msj.answers.question import question, root_of
from msj.engines.cluster import Cluster
from msj.engines.fcfs import FcfsEngine
from msj.errors import Failure
from msj.logs import Trace, as_trace
from msj.logs.groups import by_need
from msj.logs.look import in_use_words, over_time
from msj.options import LEVELS, ReadOptions, SeedOptions, argument, takes
from msj.results import Missing, Outcome, Quantity, Result, provenance
from msj.workloads import RecordedJobs, Streams
from msj.workloads.streams import seed_record

SHUFFLES = 10
MOST_NAMES = 20
READ = "read off the log"


@dataclass(frozen=True, kw_only=True)
class LogResult(Result):
    """What a log says, and the log itself."""

    trace: Trace

    @property
    def title(self) -> str:
        """The name of the file."""
        return self.trace.source or "log"


@dataclass(frozen=True)
class LogQuestion(ReadOptions, SeedOptions):
    """The question of :func:`msj.log`."""

    file: Trace | str | os.PathLike[str] = field(metadata={"help": "The file, or a trace."})
    _: KW_ONLY
    users: bool = argument(False, "Whether users are named: their jobs and waits, those with most work first.")
    levels: Sequence[float] = argument(LEVELS, "Percentiles to give.")


@question
@takes(LogQuestion)
def log(asked: LogQuestion) -> LogResult:
    """Look at a log: rows read and left out, utilisation, waits.

    Examples
    --------
    >>> import msj
    >>> found = msj.log("examples/logs/small_cluster.swf", seed=1)
    >>> found["jobs_read"], found["jobs_used"], found.at(reason="bad-line")["jobs_left_out"]
    (2006.0, 2000.0, 1.0)
    """
    trace = as_trace(asked.file, asked)
    root = root_of(asked.rng, asked.seed)
    span = float(trace.column("submit")[-1] - trace.column("submit")[0])
    rows = [
        *_counts(trace),
        *_load(trace, span),
        *_saturated(trace, root),
        *_waits(trace, checked_levels(asked.levels), asked.users),
    ]
    return LogResult(
        system={"time_unit": "seconds"} | ({} if trace.servers is None else {"servers": trace.servers}),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED,
        provenance=provenance(seed=seed_record(root), jobs=len(trace)),
        notes=(*_said(trace), *trace.notes),
        missing=tuple(_missing(trace)),
        trace=trace,
    )


def _recorded(name: str, value: float, method: str = READ, **more: Any) -> Quantity:
    return Quantity(name=name, value=float(value), kind="recorded", method=method, **more)


def _counts(trace: Trace) -> list[Quantity]:
    left_out = [
        _recorded("jobs_left_out", count, "counting rows", at={"reason": reason.value})
        for reason, (count, _) in trace.left_out.items()
    ]
    return [
        _recorded("jobs_read", trace.rows, "counting rows"),
        _recorded("jobs_used", len(trace), "counting rows"),
        *left_out,
    ]


def _load(trace: Trace, span: float) -> list[Quantity]:
    run, need = trace.column("run"), trace.column("need")
    work = float((need * run).sum())
    rows = [
        _recorded("arrival_rate", len(trace) / span) if span > 0 else None,
        _recorded("mean_need", need.mean()),
        _recorded("largest_need", need.max()),
        _recorded("mean_run_time", run.mean()),
        _recorded(
            "peak_servers_in_use",
            over_time(trace, 1).peak,
            READ if trace.has_waits else "as if every job started when it was submitted",
        ),
    ]
    if trace.servers is not None:
        rows.insert(0, _recorded("servers", trace.servers))
        if span > 0:
            rows.insert(1, _recorded("offered_utilisation", work / (trace.servers * span)))
    if trace.has_estimates:
        estimate = trace.column("estimate")
        known = np.isfinite(estimate)
        rows.append(_recorded("overrun_share", (run[known] > estimate[known]).mean()))
        rows.append(_recorded("mean_estimate_accuracy", np.minimum(run[known] / estimate[known], 1.0).mean()))
    return [row for row in rows if row is not None]


def saturated_utilisation(need: Any, run: Any, servers: int) -> float:
    """Return the share of the servers that FCFS keeps busy while jobs in this order wait, up to the last start."""
    jobs = RecordedJobs(arrival=np.zeros(len(need)), need=need, duration=run)
    streams = Streams(root=np.random.SeedSequence(0), replication=0)
    done = FcfsEngine(Cluster(servers=servers, needs=np.unique(need), streams=streams)).advance(jobs.jobs)
    last = float(done.start[-1])
    if last <= 0:
        return float("nan")  # all start at once
    return float((done.need * (np.minimum(done.finish, last) - done.start)).sum() / (servers * last))


def _saturated(trace: Trace, root: Any) -> list[Quantity]:
    if trace.servers is None:
        return []
    need, run = trace.column("need"), trace.column("run")
    fits = need <= trace.servers
    need, run = need[fits], run[fits]
    if not len(need):
        return []
    recorded = saturated_utilisation(need, run, trace.servers)
    if not np.isfinite(recorded):
        return []
    generator = Streams(root=root, replication=0).generator("arrivals")
    shuffled = []
    for _ in range(SHUFFLES):
        order = generator.permutation(len(need))
        shuffled.append(saturated_utilisation(need[order], run[order], trace.servers))
    made = {"name": "saturated_utilisation", "kind": "replayed"}
    return [
        Quantity(**made, value=recorded, method="FCFS, all jobs there at once", at={"order": "log"}),  # type: ignore[arg-type]
        Quantity(
            **made,  # type: ignore[arg-type]
            value=float(np.mean(shuffled)),
            method=f"FCFS, all jobs there at once, mean of {SHUFFLES} shuffles",
            at={"order": "shuffled"},
        ),
    ]


def _waits(trace: Trace, levels: Sequence[float], users: bool) -> list[Quantity]:
    if not trace.has_waits:
        return []
    wait, run = trace.column("wait"), trace.column("run")
    known = np.isfinite(wait)
    part = trace.frame[known]
    times = JobTimes(wait=wait[known], run=run[known], response=(wait + run)[known], waited=(wait > 0)[known])
    rows = rows_of(times, by_need(trace.column("need")[known]), levels=levels, kind="recorded", method=READ)
    work = trace.column("need")[known] * run[known]
    for column in ("class", "queue", "partition", *(("user",) if users else ())):
        if column in part:
            rows += _by_name(times, np.asarray(part[column].astype(str)), work, column, levels)
    return rows


def _by_name(times: JobTimes, names: Any, work: Any, column: str, levels: Sequence[float]) -> list[Quantity]:
    """Return the waits of each queue or user, those with most work first."""
    known, place = np.unique(names, return_inverse=True)
    if len(known) < 2:
        return []
    rows: list[Quantity] = []
    for i in np.argsort(-np.bincount(place, weights=work))[:MOST_NAMES]:
        part = rows_of(times.part(place == i), None, levels=levels, kind="recorded", method=READ)
        name = "unknown" if known[i] in ("-1", "nan", "") else known[i]
        rows += [replace(row, job_class=f"{column} {name}") for row in part]
    return rows


def _said(trace: Trace) -> list[str]:
    said = []
    for reason, (count, lines) in trace.left_out.items():
        where = ", ".join(map(str, lines)) + (", ..." if count > len(lines) else "")
        rows, line = ("row is", "line") if count == 1 else ("rows are", "lines")
        said.append(f"{count:,} {rows} left out as {reason.value}: {reason.sentence} ({line} {where}).")
    return said


def _missing(trace: Trace) -> list[Missing]:
    gaps = []
    if trace.servers is None:
        gaps.append(
            Missing(
                name="utilisation",
                failure=Failure.INVALID_INPUT,
                reason="the log does not say how many servers there are; say it with --servers N "
                f"({in_use_words(trace)})",
            )
        )
    if not trace.has_waits:
        gaps.append(
            Missing(
                name="waiting times",
                failure=Failure.NOT_SUPPORTED,
                reason="the log does not say how long jobs waited; its submissions may really be starts",
            )
        )
    if not trace.has_estimates:
        gaps.append(
            Missing(
                name="estimates",
                failure=Failure.NOT_SUPPORTED,
                reason="the log does not say how long jobs were to take",
            )
        )
    return gaps
