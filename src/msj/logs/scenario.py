"""What is changed about a log's jobs before they are served again.

The load is scaled by the submissions: all gaps are divided by the factor. A largest need keeps a job's work: fewer
servers, longer runs. From the state of the log: at a moment, jobs that had started by the log's own waits are running
and keep what is left of their run; those that had been submitted are waiting. The former are served but not counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput, NotSupported
from msj.logs.trace import Trace
from msj.options import Scenario
from msj.options.replaying import factor_of
from msj.workloads import RecordedJobs

FILLED = 0.1  # of the log's span: by then the cluster's state has little to do with the log's beginning


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """Jobs to be served, which of them count, how long those had waited before, and what to say about it.

    ``place`` is each job's row in the trace.
    """

    jobs: RecordedJobs
    counted: NDArray[np.bool_]
    waited: NDArray[np.float64]
    place: NDArray[np.int64]
    notes: tuple[str, ...] = field(default=())


def prepared(
    trace: Trace, scenario: Scenario, servers: int, *, between: tuple[float, float] = (-math.inf, math.inf)
) -> Prepared:
    """Return the jobs of a trace as the scenario has them; those that do not fit on the servers are left out.

    ``between`` are the seconds at which a replay from the log's state begins, and before which jobs are submitted.
    """
    notes: list[str] = []
    submit, run, need = (trace.column(name).copy() for name in ("submit", "run", "need"))
    estimate, run = _estimates(trace, scenario, run, notes)
    place = np.arange(len(trace))
    waited, counted = np.zeros(len(trace)), np.ones(len(trace), dtype=bool)
    if scenario.from_log_state:
        place, submit, run, estimate, waited, counted = _state(trace, between, submit, run, estimate, notes)
        need = need[place]
    if not counted.any():
        raise InvalidInput("no job of the log was submitted in this stretch; choose another, in seconds of the log")
    if scenario.largest_need is not None:
        less = np.minimum(need, scenario.largest_need)
        longer = need / less
        notes.append(
            f"{int((longer > 1).sum()):,} jobs get {scenario.largest_need} servers instead of more, and run longer."
        )
        run, need = run * longer, less
        estimate = None if estimate is None else estimate * longer
    fits = need <= servers
    if not fits.all():
        notes.append(f"{int((~fits).sum()):,} jobs need more than {servers:,} servers and are left out.")
        submit, run, need = submit[fits], run[fits], need[fits]
        place, waited, counted = place[fits], waited[fits], counted[fits]
        estimate = None if estimate is None else estimate[fits]
    if not counted.any():
        raise InvalidInput(f"no job of the log fits on {servers:,} servers; raise servers")
    if scenario.scale_load != 1:
        submit = submit[0] + (submit - submit[0]) / float(scenario.scale_load)
    jobs = RecordedJobs(arrival=submit, need=need, duration=run, estimate=estimate)
    return Prepared(jobs=jobs, counted=counted, waited=waited, place=place, notes=tuple(notes))


def _estimates(trace: Trace, scenario: Scenario, run: Any, notes: list[str]) -> tuple[Any, Any]:
    """Return the estimates, None where they are the run times, and the run times."""
    wanted = scenario.estimates or ("requested" if trace.has_estimates else "exact")
    factor = factor_of(wanted)
    if wanted == "exact":
        if scenario.estimates is None:
            notes.append("The log has no estimates: policies that use them are told how long jobs really ran.")
        return None, run
    if factor is not None:
        return run * factor, run
    if not np.isfinite(trace.column("estimate")).any():
        raise NotSupported("the log has no requested times; use --estimates exact or factor:2")
    asked = trace.column("estimate")
    unknown = ~np.isfinite(asked)
    estimate = np.where(unknown, run, asked)
    over = run > estimate
    if unknown.any():
        notes.append(f"{int(unknown.sum()):,} jobs have no requested time: their estimate is how long they ran.")
    if over.any():
        said = {
            "keep": "they run as long as they did, and the scheduler believes what was requested",
            "cut": "their runs are cut there",
            "stretch": "the scheduler is told how long they really ran",
        }[scenario.overruns]
        notes.append(f"{int(over.sum()):,} jobs ran longer than requested: {said} (--overruns {scenario.overruns}).")
    if scenario.overruns == "cut":
        run = np.minimum(run, estimate)
    elif scenario.overruns == "stretch":
        estimate = np.maximum(run, estimate)
    return estimate, run


def _state(
    trace: Trace, between: tuple[float, float], submit: Any, run: Any, estimate: Any, notes: list[str]
) -> tuple[Any, ...]:
    """Return who is there at the moment, those running first, and who comes after it."""
    if not trace.has_waits:
        raise NotSupported("the log has no waiting times, so who was running at a moment is not known; leave it out")
    span = submit[-1] - submit[0]
    first, last = between
    now = first if math.isfinite(first) else submit[0] + FILLED * span
    start = submit + np.nan_to_num(trace.column("wait"))
    running = np.flatnonzero((start <= now) & (start + run > now))
    running = running[np.argsort(start[running], kind="stable")]
    waiting = np.flatnonzero((submit <= now) & (start > now))
    later = np.flatnonzero((submit > now) & (submit < last))
    place = np.concatenate([running, waiting, later])
    done = np.concatenate([now - start[running], np.zeros(len(waiting) + len(later))])
    waited = np.concatenate([np.zeros(len(running)), now - submit[waiting], np.zeros(len(later))])
    counted = np.concatenate([np.zeros(len(running), dtype=bool), np.ones(len(waiting) + len(later), dtype=bool)])
    notes.append(
        f"At second {now:,.0f} of the log {len(running):,} jobs were running and {len(waiting):,} waiting; "
        "the replay begins with these. Those running are served but not counted."
    )
    left = None if estimate is None else np.maximum(estimate[place] - done, 0.0)
    return place, np.maximum(submit[place], now), run[place] - done, left, waited, counted
