"""A point of a plan without a simulation: bounds that no policy can pass, then exact values.

If as much work arrives as the servers can do, lambda·E[need × duration] >= servers, or lambda is not below what any
policy could take, the queue grows: that costs nothing to know. Exact values come from whatever analysis applies and is
allowed (``answers.response``). Under FCFS a job's wait does not depend on its own duration, so its mean slowdown is
1 + E[W]·E[1/D], class by class, and infinite where E[1/D] is (exponential durations).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from msj.analysis.base import ResponseAnalysis
from msj.analysis.exact_response import ExactResponse, open_at
from msj.analysis.percentile_row import PERCENTILES, percentile_row
from msj.analysis.waiting_law import WaitingLaw
from msj.answers.saturated import that_apply
from msj.answers.threshold import UNANSWERED, attainable_row, conserves_work, exact_threshold
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.model import mean_speed
from msj.effort import Cost, Effort
from msj.markov.blas import blas_threads
from msj.model import System
from msj.planning.point import Judged, Verdict
from msj.planning.target import Measure, Target
from msj.results import Quantity
from msj.results.units import said

PER_CENT = 1e-9  # by which percentiles may differ and be the same


@dataclass(frozen=True, kw_only=True)
class Exactly:
    """What is known for certain: what cannot be, what is judged, the threshold and the targets left to simulate."""

    unstable: str = ""
    judged: tuple[Judged, ...] = ()
    threshold: float | None = None
    left: tuple[Target, ...] = ()


def exactly(system: System, targets: tuple[Target, ...], effort: Effort) -> Exactly:
    """Return what is known for certain of a system that says its arrival rate."""
    rate = float(system.arrival_rate)  # type: ignore[arg-type]
    if why := too_much(system, rate):
        return Exactly(unstable=why)
    judged = [_utilisation(system, rate, each) for each in targets if each.measure is None]
    left = tuple(each for each in targets if each.measure is not None)
    if any(each.verdict is Verdict.MISSES for each in judged) or not left:
        return Exactly(judged=tuple(judged))
    threshold = _threshold(system, effort)
    if threshold is not None and rate >= threshold:
        most = said(threshold, "1/time", system.time_unit)
        return Exactly(unstable=f"the arrival rate {rate:.6g} is not below the stability threshold {most}")
    if threshold is not None:
        found = _values(system, rate, left, effort)
        judged += [judge_exact(target, row) for target, row in found.items()]
        left = tuple(each for each in left if each not in found)
    return Exactly(judged=tuple(judged), threshold=threshold, left=left)


def too_much(system: System, rate: float) -> str:
    """Return why the arrival rate is more than any policy can take; empty if that is not known."""
    work = rate * system.mean_work / mean_speed(system)
    if rate >= system.naive_threshold:
        return f"{work:.6g} servers' worth of work arrives for {system.servers:,} servers"
    limit = attainable_row(system)
    if limit is not None and rate >= limit.value:
        most = said(limit.value, "1/time", system.time_unit)
        return f"the arrival rate {rate:.6g} is not below {most}, which no policy can exceed"
    return ""


def judge_exact(target: Target, row: Quantity) -> Judged:
    """Compare an exact row with the target; its numerical error may leave it open."""
    # A probability is judged by the percentile that says the same, but for that of waiting at all.
    limit = target.bound if row.level is not None else target.limit
    low, high = (row.value if end is None else end for end in (row.low, row.high))
    verdict = Verdict.MEETS if high <= limit else Verdict.MISSES if low > limit else Verdict.UNDECIDED
    return Judged(target=target, row=row, limit=limit, verdict=verdict)


def _utilisation(system: System, rate: float, target: Target) -> Judged:
    value = rate / system.naive_threshold
    row = Quantity(name="utilisation", value=value, kind="exact", method="definition")
    return judge_exact(target, row)


def _threshold(system: System, effort: Effort) -> float | None:
    """Return the stability threshold if it is exact within the effort."""
    try:
        return exact_threshold(system, effort, completions=False).value
    except UNANSWERED:
        return system.naive_threshold if conserves_work(system) else None


def _values(system: System, rate: float, targets: tuple[Target, ...], effort: Effort) -> dict[Target, Quantity]:
    """Return the exact rows of those targets that have one; nothing where no analysis applies or is allowed."""
    tails = any(_level(target) is not None for target in targets)
    able = [(_cost(analysis, system, tails), analysis) for analysis in that_apply(ResponseAnalysis, system)]
    allowed = sorted((each for each in able if effort.allows(each[0])), key=lambda each: each[0].operations)
    if not allowed:
        return {}
    # The cheapest of those that give percentiles, if one is asked for; else the cheapest.
    analysis = next((a for _, a in allowed if tails and a.why_no_percentiles(system) is None), allowed[0][1])
    tails = tails and analysis.why_no_percentiles(system) is None
    try:
        usual = tails and any(_usual(target) is not None for target in targets)
        rows = analysis.at_rate(system, rate, percentiles=usual).rows
        found = {target: _row(system, rows, target) for target in targets}
        odd = [target for target in targets if found[target] is None and _level(target) is not None]
        if odd and tails and ExactResponse().supports(system) is None:
            found |= _other_levels(system, rate, odd, effort)
    except UNANSWERED:
        return {}
    return {target: row for target, row in found.items() if row is not None}


def _cost(analysis: ResponseAnalysis, system: System, tails: bool) -> Cost:
    """Return the cost of an analysis, with percentiles if they are asked for and it gives them."""
    if tails and analysis.why_no_percentiles(system) is None:
        return analysis.cost(system) + analysis.percentile_cost(system)
    return analysis.cost(system)


def _row(system: System, rows: tuple[Quantity, ...], target: Target) -> Quantity | None:
    """Return the row that a target is about."""
    if target.measure in (Measure.SLOWDOWN, Measure.BOUNDED_SLOWDOWN):
        return _slowdown(system, rows, target)
    name, level = target.name, None
    if _level(target) is not None:
        level = _usual(target)
        if level is None or target.measure is None:
            return None
        name = target.measure.percentile_name
    of = classes_of(system, target)
    if len(of) == len(system.active_classes):
        return _find(rows, name, None, level)
    parts = [_find(rows, name, c, level) for c in of]
    if None in parts or not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    return None if level is not None else _mixed(system, of, [part for part in parts if part is not None], target)


def _slowdown(system: System, rows: tuple[Quantity, ...], target: Target) -> Quantity | None:
    """Return the mean slowdown under FCFS, where a wait and the job's own duration are independent."""
    if target.measure is not Measure.SLOWDOWN or target.statistic != "mean" or not is_fcfs(system):
        return None
    of = classes_of(system, target)
    parts = []
    for name in of:
        wait = _find(rows, "mean_waiting_time", name, None)
        c = next(each for each in system.classes if each.name == name)
        inverse = c.duration.moment(-1)
        if wait is None or math.isnan(inverse):
            return None
        value = 1.0 + (wait.value * inverse if wait.value > 0 else 0.0)
        if math.isinf(value):
            return None
        parts.append(wait.replace(name="mean_slowdown", value=value, low=None, high=None))
    return _mixed(system, of, parts, target)


def _mixed(system: System, of: list[str], parts: list[Quantity], target: Target) -> Quantity:
    """Return the mean over several classes."""
    shares = np.array([float(c.share) for c in system.classes if c.name in of])
    value = float(shares @ [part.value for part in parts] / shares.sum())
    return parts[0].replace(value=value, job_class=target.group or None, low=None, high=None)


def _other_levels(system: System, rate: float, targets: list[Target], effort: Effort) -> dict[Target, Quantity | None]:
    """Return percentiles that no table has, by the law of the waiting time itself."""
    analysis = ExactResponse()
    if not effort.allows(analysis.cost(system) + analysis.percentile_cost(system)):
        return {}
    found: dict[Target, Quantity | None] = {}
    solved = open_at(system, rate)
    names = [c.name for c in solved.system.classes]
    with blas_threads(1):
        law = WaitingLaw(solved)
        for target in targets:
            of, level = classes_of(system, target), _level(target)
            if target.measure not in (Measure.WAIT, Measure.RESPONSE) or level is None:
                continue
            if len(of) not in (1, len(names)):
                continue
            curves = law.waiting if target.measure is Measure.WAIT else law.response
            values, errors = curves.percentiles(np.array([level]))
            column = len(names) if len(of) == len(names) else names.index(of[0])
            job_class = None if len(of) == len(names) else of[0]
            found[target] = percentile_row(
                target.measure.percentile_name, level, values[0, column], errors[0, column], job_class
            )
    return found


def classes_of(system: System, target: Target) -> list[str]:
    """Return the classes whose jobs a target is about."""
    return [
        c.name for c in system.active_classes if target.everybody or c.name == target.job_class or c.need == target.need
    ]


def _level(target: Target) -> float | None:
    """Return the percentile that a target is about, in whatever words."""
    if target.statistic == "percentile":
        return target.level
    return 100.0 * (1.0 - target.limit) if target.statistic == "probability" and not target.waits_at_all else None


def _usual(target: Target) -> float | None:
    """Return the percentile if tables have it."""
    level = _level(target)
    return next((usual for usual in PERCENTILES if level is not None and abs(usual - level) < PER_CENT), None)


def _find(rows: tuple[Quantity, ...], name: str, job_class: str | None, level: float | None) -> Quantity | None:
    return next((row for row in rows if (row.name, row.job_class, row.level) == (name, job_class, level)), None)
