"""Exact response times of open MSJ FCFS where levels are too large for dense blocks: up to a thousand servers and more.

``exact_response`` solves the same system by dense blocks: cheaper while a level has some hundred states, refused beyond
some thousand. Here levels count waiting jobs, every block stays sparse, and ``markov.sparse_levels`` never forms the
rate matrix. Which of the two answers is a matter of :meth:`cost`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, why_not_fcfs, without_load
from msj.analysis.chain_cost import OPERATIONS_A_SECOND, chain_cost
from msj.analysis.exact_response import ExactResponse
from msj.analysis.open_sparse import OpenSparse, solve_open_sparse
from msj.analysis.percentile_row import CITATION, PERCENTILES, percentile_row
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import NotAccurate, TooLarge, Unstable
from msj.fronts.fcfs_waiting import WaitingModel, waiting_model, waiting_sizes
from msj.fronts.job_types import job_types, why_not_phase_type
from msj.markov.blas import blas_threads
from msj.markov.solution import LongRun
from msj.markov.solution import solve as solve_chain
from msj.markov.sparse_level_solver import estimate_memory
from msj.model import System
from msj.results import Quantity

MEMORY_LIMIT = 4e9  # bytes
USUAL_COEFFICIENTS, USUAL_LEVELS = 80, 400  # at most loads
START_SECONDS = 0.6  # loading what is compiled
SECONDS = 4.6e-8  # times unknowns^1.3: more of them take more steps, and leave the caches
STEP_SECONDS = 6e-9  # of an unknown, in one event of a descent
DENSE_INSTEAD = 2e11  # operations: most that dense blocks may spend where this gives no answer
METHOD = "sparse levels"


class SparseResponse(ResponseAnalysis):
    """Iterative solution of the open system by the number of waiting jobs."""

    name: ClassVar[str] = "sparse-response"
    summary: ClassVar[str] = "response and waiting times of FCFS at any load, phase-type durations, on large clusters"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD

    def supports(self, system: System) -> str | None:
        return why_not_fcfs(system) or why_not_phase_type(system)

    def concerns(self, system: System) -> bool:
        return is_fcfs(system)

    def cost(self, system: System) -> Cost:
        ground, states = _sizes(without_load(system))
        return chain_cost(states, len(job_types(system.only_active))) + levels_cost(ground, states)

    def percentile_cost(self, system: System) -> Cost:
        ground, states = _sizes(without_load(system))
        durations = [c.duration for c in system.active_classes]
        fastest = system.servers * max(1.0 / (c.need * float(c.duration.mean)) for c in system.active_classes)
        events = fastest * 10.0 * max(float(d.mean) for d in durations)
        seconds = STEP_SECONDS * events * (ground + states * USUAL_LEVELS)
        return Cost(operations=OPERATIONS_A_SECOND * seconds)

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:
        try:
            solved = open_sparse_at(system, rate)
        except NotAccurate:  # waits too rare to be told from rounding: dense blocks subtract nothing
            if not _dense_instead(system):
                raise
            return ExactResponse().at_rate(system, rate, percentiles=percentiles)
        facts = {
            "states": len(solved.model.counts),
            "blocked_states": len(solved.model.place),
            "coefficients": solved.law.coefficients,
            "exact_residual": solved.law.residual,
            "mean_error": solved.error,
            "little_gap": solved.little_gap,
        }
        return AtRate(rows=(*mean_rows(solved), *(percentile_rows(solved) if percentiles else ())), facts=facts)

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:
        try:
            return open_sparse_at(system, rate).jobs_law(last)
        except NotAccurate:
            if not _dense_instead(system):
                raise
            return ExactResponse().jobs_law(system, rate, last)


def _dense_instead(system: System) -> bool:
    return ExactResponse().cost(system).operations <= DENSE_INSTEAD


def open_sparse_at(system: System, rate: float, *, memory_limit: float = MEMORY_LIMIT) -> OpenSparse:
    """Solve the open system at an arrival rate below its threshold."""
    SparseResponse().require(system)
    system = system.only_active.replace(arrival_rate=rate)
    ground, states = _sizes(without_load(system))
    require_memory(ground, states, memory_limit)
    with blas_threads(1):
        model, saturated = _model(without_load(system))
        if rate >= saturated.throughput:
            raise Unstable(
                f"the arrival rate {rate:.6g} is not below the stability threshold {saturated.throughput:.6g}; lower it"
            )
        return solve_open_sparse(system, model, saturated, rate, memory_limit=memory_limit)


def levels_cost(ground: float, states: float) -> Cost:
    """Return the cost of sparse levels of so many states, at most loads; more than there is room for is infinite."""
    needed = estimate_memory(ground, states, USUAL_COEFFICIENTS, USUAL_LEVELS)
    if not needed <= MEMORY_LIMIT:
        return Cost(operations=np.inf, bytes=needed)
    seconds = START_SECONDS + SECONDS * (ground + states * USUAL_COEFFICIENTS) ** 1.3
    return Cost(operations=OPERATIONS_A_SECOND * seconds, bytes=needed)


def require_memory(ground: float, states: float, memory_limit: float) -> None:
    """Refuse, before anything is built, levels that would not fit."""
    needed = estimate_memory(ground, states, USUAL_COEFFICIENTS, USUAL_LEVELS)
    if not needed <= memory_limit:
        raise TooLarge(
            f"the exact response time needs {ground:,.0f} states and levels of {states:,.0f}, {needed / 1e9:.2g} GB or "
            f"more, and {memory_limit / 1e9:.2g} GB are allowed; use the RESET prediction (msj analyse), or simulate"
        )


@lru_cache(maxsize=64)
def _sizes(system: System) -> tuple[float, float]:
    return waiting_sizes(system.only_active)


@lru_cache(maxsize=1)
def _model(system: System) -> tuple[WaitingModel, LongRun]:
    model = waiting_model(system)
    return model, solve_chain(model.blocked.chain)


def mean_rows(solved: OpenSparse) -> Iterator[Quantity]:
    """Rows of the means, overall and per class."""
    shares, rate, waiting = solved.shares, solved.arrival_rate, solved.mean_waiting
    stays, jobs = solved.mean_waiting_time + solved.mean_durations, solved.mean_jobs_in_system
    for name, overall, per_class in (
        ("mean_response_time", jobs / rate, stays),
        ("mean_waiting_time", float(waiting.sum()) / rate, solved.mean_waiting_time),
        ("mean_jobs_in_system", jobs, waiting + rate * shares * solved.mean_durations),
        ("mean_jobs_waiting", float(waiting.sum()), waiting),
        ("waiting_probability", float(shares @ solved.waiting_probability), solved.waiting_probability),
    ):
        yield _row(name, overall)
        yield from (_row(name, value, c.name) for c, value in zip(solved.system.classes, per_class, strict=True))
    yield _row("tail_decay_rate", solved.law.ratio)


def percentile_rows(solved: OpenSparse) -> Iterator[Quantity]:
    """Rows of the percentiles of waiting and response time, overall and per class."""
    names = [None, *(c.name for c in solved.system.classes)]
    keys = ("waiting_time_percentile", "response_time_percentile")
    for key, curve in zip(keys, solved.survival(PERCENTILES), strict=True):
        found, errors = (np.roll(part, 1, axis=1) for part in curve.percentiles(np.array(PERCENTILES)))
        for level, row, off in zip(PERCENTILES, found, errors, strict=True):
            for value, error, name in zip(row, off, names, strict=True):
                yield percentile_row(key, level, value, error, name, method=f"{METHOD}, uniformisation")


def _row(name: str, value: float, job_class: str | None = None) -> Quantity:
    return Quantity(name=name, value=float(value), kind="exact", method=METHOD, citation=CITATION, job_class=job_class)


VARIANT = SparseResponse
