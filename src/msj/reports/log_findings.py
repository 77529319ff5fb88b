"""What to make of a log, in plain words: the answers to the questions that operators ask, each with its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from msj.answers import FitResult, LogResult
from msj.answers.held_out import DEPENDENT, INDEPENDENT, REPLAY
from msj.logs import Trace
from msj.logs.groups import by_need
from msj.reports.fit_text import ratio_of
from msj.reports.log_changes import Change
from msj.reports.log_contents import Finding, in_time
from msj.reports.log_contents import findings as seen
from msj.reports.wording import percent, short
from msj.results import Quantity, Result

FCFS, EASY = "fcfs", "easy-backfilling"
ABOUT = 0.1  # a difference of less than a tenth is none worth a word, nor is one within the brackets
NEAR, FAR = 1.5, 3.0  # factors between prediction and replay
MUCH = 0.05
COMMON = 0.01  # of the jobs: what fewer of them waited is an anecdote


def findings_of(
    looked: LogResult, served: Result, changes: Sequence[Change], fitted: FitResult | None
) -> Iterator[Finding]:
    """Return the findings, the most asked first."""
    yield from _backfilling(looked, served)
    yield from _who_waits(looked, served)
    yield from _changes(changes)
    yield from _saturation(looked, changes)
    yield from _fit(fitted)
    told = {"time", "waits"}  # the others of a log's own page say what these have said
    yield from (finding for finding in seen(looked) if finding.section not in told)


def _mean(found: Result, policy: str | None = None, job_class: str | None = None) -> Quantity | None:
    for row in found:
        if row.name == "mean_waiting_time" and row.job_class == job_class and row.at.get("policy") == policy:
            return row
    return None


def _backfilling(looked: LogResult, served: Result) -> Iterator[Finding]:
    easy, fcfs, recorded = _mean(served, EASY), _mean(served, FCFS), _mean(looked)
    if easy is None:
        return
    told = "told the requested times" if looked.trace.has_estimates else "told the true run times"
    beside = "" if fcfs is None else f", and {in_time(fcfs.value)} first come first served"
    if recorded is None:
        gain = "" if fcfs is None else f", {in_time(fcfs.value)} first come first served"
        sentence = (
            "Is the backfilling any good? The log does not say how long jobs waited. With EASY backfilling, "
            f"{told}, it would have been {in_time(easy.value)} on average{gain}."
        )
    else:
        low, high = (easy.low or easy.value) * (1 - ABOUT), (easy.high or easy.value) * (1 + ABOUT)
        if recorded.value > high:
            verdict = f"Not as good as EASY backfilling, {told}"
        elif recorded.value < low:
            verdict = f"Better than EASY backfilling, {told}"
        else:
            verdict = "About as good as EASY backfilling"
        sentence = (
            f"Is the backfilling any good? {verdict}: jobs waited {in_time(recorded.value)} on average, with EASY it "
            f"would have been {in_time(easy.value)}{beside}."
        )
        if recorded.value > high:
            sentence += " Limits, priorities and outages that a replay does not know may be part of it."
    yield Finding(sentence=sentence, quantity=easy, section="policies")


def _who_waits(looked: LogResult, served: Result) -> Iterator[Finding]:
    recorded = _mean(looked)
    policy = None if recorded is not None else EASY
    found = looked if recorded is not None else served
    whole = _mean(found, policy)
    common = _common_needs(looked.trace)
    groups = [
        row
        for row in found
        if row.name == "mean_waiting_time" and row.at.get("policy") == policy and row.job_class in common
    ]
    if whole is None or whole.value <= 0:
        return
    level = {
        row.level: row
        for row in found
        if row.name == "waiting_time_percentile" and row.job_class is None and row.at.get("policy") == policy
    }
    how = "Jobs waited" if recorded is not None else "With EASY jobs would have waited"
    usual = ""
    if {50.0, 95.0} <= level.keys():
        usual = f"; half of them at most {in_time(level[50.0].value)}, 95 % at most {in_time(level[95.0].value)}"
    section = "waits" if recorded is not None else "policies"
    average = f"Who waits? {how} {in_time(whole.value)} on average{usual}."
    if len(groups) < 2:
        yield Finding(sentence=average, quantity=whole, section=section)
        return
    longest, shortest = max(groups, key=lambda r: r.value), min(groups, key=lambda r: r.value)
    several = f"{short(longest.value / whole.value, 2)} times the mean"
    yield Finding(
        sentence=f"{average} Those that {longest.job_class} servers wait longest: "
        f"{in_time(longest.value)}, {several}; those that {shortest.job_class} shortest: "
        f"{in_time(shortest.value)}.",
        quantity=longest,
        section=section,
    )


def _common_needs(trace: Trace) -> set[str]:
    """Return the groups by need that are not a handful of jobs."""
    groups = by_need(trace.column("need"))
    jobs = np.bincount(groups.of_job, minlength=len(groups.names))
    return {name for name, count in zip(groups.names, jobs, strict=True) if count >= COMMON * len(trace)}


def _changes(changes: Sequence[Change]) -> Iterator[Finding]:
    base = next((change for change in changes if change.about == "nothing"), None)
    if base is None:
        return
    if base.mean.value <= 0:
        yield Finding(
            sentence="More servers would bring nothing: with EASY nobody waits.", quantity=base.mean, section="what_if"
        )
        return
    more = [change for change in changes if change.about == "servers" and change.amount > 0]
    if more:
        parts = [f"to {in_time(change.mean.value)} with {change.words}" for change in more]
        yield Finding(
            sentence=f"What would more servers have brought? With EASY the mean wait of {in_time(base.mean.value)} "
            f"{_would(base, more)} {' and '.join(parts)}.",
            quantity=more[0].mean,
            section="what_if",
        )
    caps = [change for change in changes if change.about == "cap"]
    if caps:
        parts = [f"with {change.words} {in_time(change.mean.value)}" for change in caps]
        best = min(caps, key=lambda change: change.mean.value)
        worth = "a cap would have helped" if best.mean.value < (1 - MUCH) * base.mean.value else "no cap helps"
        if all(change.mean.value > (1 + MUCH) * base.mean.value for change in caps):
            worth = "a cap would have made it worse, as capped jobs run longer"
        yield Finding(
            sentence=f"And a cap on size, where jobs keep their work? {' and '.join(parts)}: {worth}.".replace(
                "? with", "? With"
            ),
            quantity=best.mean,
            section="what_if",
        )
    told = next((change for change in changes if change.about == "estimates"), None)
    if told is not None and abs(told.mean.value / base.mean.value - 1) > MUCH:
        word = "shorten" if told.mean.value < base.mean.value else "lengthen"
        yield Finding(
            sentence=f"Requested times that are right would {word} the mean wait with EASY from "
            f"{in_time(base.mean.value)} to {in_time(told.mean.value)}.",
            quantity=told.mean,
            section="what_if",
        )


def _would(base: Change, more: Sequence[Change]) -> str:
    falls = all(change.mean.value <= base.mean.value for change in more)
    return "would have fallen" if falls else "would have gone"


def _saturation(looked: LogResult, changes: Sequence[Change]) -> Iterator[Finding]:
    offered = looked.find("offered_utilisation")
    orders = dict(looked.along("order", "saturated_utilisation"))
    if offered is None or not orders:
        return
    log, shuffled = orders["log"], orders["shuffled"]
    share = offered.value / log.value
    near = (
        f"The jobs bring {percent(offered.value)} of what all servers can do; first come first served can keep at most "
        f"{percent(log.value)} of the servers busy with these jobs in their order. "
    )
    if share >= 1:
        near += "That is less than they bring: its queue would grow to the end of the log"
    else:
        near += f"So the log is at {percent(share)} of what it takes"
    yield Finding(sentence=f"How near is saturation? {near}.", quantity=log, section="time")
    gap = log.value - shuffled.value
    if abs(gap) < 0.005:
        says = "order hardly matters here, and models of independent jobs know the limit"
    else:
        better = "better" if gap > 0 else "worse"
        wrong = "too little" if gap > 0 else "too much"
        says = (
            f"jobs pack {better} in the order in which they come than mixed, and a model that draws them independently "
            f"promises {wrong}"
        )
    yield Finding(
        sentence=f"Shuffled, the same jobs could fill {percent(shuffled.value)}: {says}.",
        quantity=shuffled,
        section="time",
    )
    loads = [change for change in changes if change.about == "load"]
    base = next((change for change in changes if change.about == "nothing"), None)
    if loads and base is not None:
        parts = ", ".join(f"{in_time(change.mean.value)} at {change.words}" for change in loads)
        yield Finding(
            sentence=f"With EASY the mean wait would be {in_time(base.mean.value)} now, {parts}.",
            quantity=loads[-1].mean,
            section="what_if",
        )


def _fit(fitted: FitResult | None) -> Iterator[Finding]:
    if fitted is None:
        return
    for policy in (EASY, FCFS):
        cells = {
            str(row.at["workload"]): row
            for row in fitted
            if row.name == "mean_waiting_time" and row.at.get("policy") == policy and "workload" in row.at
        }
        if not {REPLAY, INDEPENDENT, DEPENDENT} <= cells.keys():
            continue
        factors = {fit: ratio_of(fitted, policy, "mean_waiting_time", None, fit) for fit in (INDEPENDENT, DEPENDENT)}
        dependent = factors[DEPENDENT]
        name = "With EASY" if policy == EASY else "First come first served"
        asked = "What can a fit tell? " if policy == EASY else ""
        sentence = (
            f"{asked}{name}, on the half of the log that fits were not made from: replayed "
            f"{in_time(cells[REPLAY].value)}, predicted {in_time(cells[INDEPENDENT].value)} with independent jobs and "
            f"{in_time(cells[DEPENDENT].value)} with the log's arrivals and order"
        )
        away = float("inf") if not dependent else max(dependent, 1 / dependent)
        if cells[REPLAY].value == cells[DEPENDENT].value == 0:
            verdict = "nobody waits, and it says so"
        elif away == float("inf"):
            verdict = "it is wrong about whether anybody waits: replay the log instead"
        elif away <= NEAR:
            verdict = "near enough to ask the fit about changes"
        elif away <= FAR:
            verdict = f"trust it to a factor of {short(away, 2)}, no more"
        else:
            verdict = f"it is a factor of {short(away, 2)} away: replay the log instead"
        yield Finding(sentence=f"{sentence}: {verdict}.", quantity=cells[DEPENDENT], section="fit")
