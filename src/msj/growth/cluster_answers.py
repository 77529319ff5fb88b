"""What is known of one cluster at one load, exact where that takes seconds and simulated elsewhere.

Saturated: closed forms, the chain up to some ten thousand states, then :mod:`msj.simulation.saturated_line`. At a
load: the QBD, or a simulation of 20 replications, each at least 40 times as long as the cluster's memory: its longest
mean duration plus 2·V/d², V the variance of the work that arrives per unit of time and
d = (lambda* − lambda)·E[need × duration] the rate at which a full cluster works it off (the relaxation time of a
reflected Brownian motion, up to a constant).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from msj.analysis.base import Saturated, why_not_fcfs
from msj.analysis.exact_response import estimated_seconds
from msj.analysis.saturated import saturated_analyses, solve_saturated
from msj.answers.analyse import analyse
from msj.errors import MsjError, NotAccurate, NotSupported, TooLarge, Unstable
from msj.fronts.fcfs_counts import number_of_states
from msj.fronts.job_types import why_not_phase_type
from msj.growth.queueing_probability import memory_of
from msj.growth.waste_limit import limiting_waste
from msj.model import System
from msj.results import Outcome, Quantity, Watch
from msj.simulation import simulate_at_rate
from msj.simulation.saturated_line import SaturatedLine, saturated_line

EXACT_SECONDS = 4.0
EXACT_STATES = 60_000
REPLICATIONS = 20
MEMORIES = 40
WARM_UP = 0.2
LEAST_JOBS = 1_000_000
MOST_JOBS = 20_000_000
AT_LOAD = ("waiting_probability", "mean_waiting_time", "mean_response_time")


@dataclass(frozen=True, kw_only=True)
class AtLoad:
    """P(wait) and mean times; ``too_short`` if they are simulated and the run still remembers its empty beginning."""

    quantities: tuple[Quantity, ...]
    too_short: bool = False


def saturated_answer(system: System, root: np.random.SeedSequence) -> Saturated | SaturatedLine | None:
    """Return what is known of the saturated system: exact in seconds, else simulated, else None."""
    closed = any(a.closed_form and a.supports(system) is None for a in saturated_analyses())
    fcfs = why_not_fcfs(system) is None
    try:
        if closed:
            return solve_saturated(system, "closed-form")[0]
        if not fcfs or (why_not_phase_type(system) is None and number_of_states(system) <= EXACT_STATES):
            return solve_saturated(system)[0]
    except (NotSupported, TooLarge, NotAccurate):
        if not fcfs:
            return None
    return saturated_line(system, rng=root)


def threshold_of(saturated: Saturated | SaturatedLine | None) -> float | None:
    """Return the stability threshold where it is known."""
    return None if saturated is None else saturated.stability_threshold


def saturated_rows(system: System, saturated: Saturated | SaturatedLine | None) -> list[Quantity]:
    """Return threshold and waste as rows."""
    if saturated is None:
        return []
    return [*_known_rows(system.servers, saturated), *_limit_rows(system)]


def _limit_rows(system: System) -> list[Quantity]:
    if why_not_fcfs(system) is not None:
        return []
    value, method = limiting_waste(system), "renewal process of the needs"
    return [Quantity(name="limiting_wasted_servers", value=value, kind="asymptotic", method=method)]


def _known_rows(k: int, saturated: Saturated | SaturatedLine) -> list[Quantity]:
    if isinstance(saturated, Saturated):
        values = {"stability_threshold": saturated.stability_threshold, "wasted_servers": saturated.wasted_servers}
        values["wasted_share"] = saturated.wasted_servers / k
        return [
            Quantity(name=name, value=value, kind="exact", method=saturated.method, citation=saturated.citation)
            for name, value in values.items()
        ]
    method = f"saturated system, simulated with {saturated.jobs:,} jobs"
    waste, low, high = saturated.ends
    columns = {
        "stability_threshold": [saturated.threshold_at(w) for w in (waste, high, low)],
        "wasted_servers": [waste, low, high],
        "wasted_share": [waste / k, low / k, high / k],
    }
    return [
        Quantity(
            name=name, value=value, low=low, high=high, kind="simulated", method=method, citation="reset, section 3.5"
        )
        for name, (value, low, high) in columns.items()
    ]


def load_rows(system: System, rate: float, saturated: Saturated | SaturatedLine | None) -> list[Quantity]:
    """Return how much arrives, said in three ways; the load is as sure as the threshold."""
    method = "definition"
    rows = [
        Quantity(name="arrival_rate", value=rate, kind="exact", method=method),
        Quantity(name="utilisation", value=rate / system.naive_threshold, kind="exact", method=method),
    ]
    if isinstance(saturated, SaturatedLine):
        value, low, high = (rate / saturated.threshold_at(w) for w in saturated.ends)
        rows.append(Quantity(name="load", value=value, low=low, high=high, kind="simulated", method=method))
    elif saturated is not None:
        value = rate / saturated.stability_threshold
        rows.append(Quantity(name="load", value=value, kind="exact", method=method))
    return rows


def answer_at_load(
    system: System,
    rate: float,
    threshold: float | None,
    *,
    root: np.random.SeedSequence,
    jobs: int | None = None,
    progress: Watch | None = None,
) -> AtLoad:
    """Return P(wait) and mean times: exact in seconds, else simulated; a simulated queue that grows is an error."""
    exact = _exact_at_load(system)
    if len(exact) == len(AT_LOAD):
        return AtLoad(quantities=tuple(exact.values()))
    memory = memory_of(system, rate, threshold)
    wanted = REPLICATIONS * MEMORIES * memory * rate
    jobs = jobs or math.ceil(min(max(wanted, LEAST_JOBS), MOST_JOBS))
    result = simulate_at_rate(
        system, root=root, jobs=jobs, replications=REPLICATIONS, warm_up=WARM_UP, progress=progress
    )
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if result.outcome is Outcome.UNSTABLE:
        raise Unstable("the simulated queue keeps growing")
    # Outside FCFS the exact answers may be fewer; what there is replaces its estimate.
    rows = {name: _unseen(row, memory * rate / jobs) for name, row in _chosen(result).items()} | exact
    return AtLoad(quantities=tuple(rows.values()), too_short=jobs < wanted)


def _exact_at_load(system: System) -> dict[str, Quantity]:
    """Return what is known exactly within seconds."""
    fcfs = why_not_fcfs(system) is None
    if fcfs and (why_not_phase_type(system) is not None or estimated_seconds(system)[0] > EXACT_SECONDS):
        return {}
    try:
        return _chosen(analyse(system, percentiles=False))
    except MsjError:
        return {}  # no exact answer: simulate


def _chosen(result: Iterable[Quantity]) -> dict[str, Quantity]:
    rows = {row.name: row for row in result if row.job_class is None and row.level is None}
    return {name: rows[name] for name in AT_LOAD if name in rows}


def _unseen(row: Quantity, memories: float) -> Quantity:
    """Widen the interval of a probability of which nothing was seen.

    Cut into stretches as long as the cluster's memory, a run holds 1/``memories`` of them. A wait in a share p of them
    would have been missed with probability e^(-p/memories): with 95 % confidence p is at most three times ``memories``.
    """
    if row.name != "waiting_probability" or row.value > 0:
        return row
    return dataclasses.replace(row, low=0.0, high=min(3.0 * memories / (1.0 - WARM_UP), 1.0))
