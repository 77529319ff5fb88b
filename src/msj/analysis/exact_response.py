"""Exact response times of open MSJ FCFS at any load below the threshold, as rows.

The computation is ``open_fcfs`` (means) and ``waiting_law`` (percentiles); this file says whether it fits and what it
costs, and writes the answers down.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, why_not_fcfs, without_load
from msj.analysis.chain_cost import descent_cost, level_cost
from msj.analysis.open_fcfs import MEMORY_LIMIT, OpenSystem, solve_open
from msj.analysis.percentile_row import CITATION, PERCENTILES, percentile_row
from msj.analysis.waiting_law import WaitingLaw
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import TooLarge
from msj.fronts.fcfs_open import open_fcfs, open_level_sizes
from msj.fronts.job_types import why_not_phase_type
from msj.fronts.open_model import OpenModel
from msj.markov.blas import blas_threads
from msj.markov.level_process import estimate_memory, possible_segments
from msj.markov.reset_remainder import reset_remainder
from msj.model import System
from msj.results import Quantity


class ExactResponse(ResponseAnalysis):
    """Level-structured (QBD) solution of the open system."""

    name: ClassVar[str] = "exact-response"
    summary: ClassVar[str] = "response and waiting times of FCFS at any load, phase-type durations: means, percentiles"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = "QBD"

    def supports(self, system: System) -> str | None:
        return why_not_fcfs(system) or why_not_phase_type(system)

    def concerns(self, system: System) -> bool:
        return is_fcfs(system)

    def cost(self, system: System) -> Cost:
        sizes = _sizes(without_load(system))
        return Cost(operations=np.inf, bytes=np.inf) if sizes is None else level_cost(sizes, _memory(sizes))

    def percentile_cost(self, system: System) -> Cost:
        sizes = _sizes(without_load(system))
        return Cost(operations=np.inf) if sizes is None else descent_cost(sizes, len(system.classes) + 1)

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:
        solved = open_at(system, rate)
        facts = {
            "phases": max(solved.model.level_sizes),
            "levels": len(solved.model.level_sizes),
            "exact_residual": solved.law.residual,
            "little_gap": solved.little_gap,
        }
        rows = [*mean_rows(solved), *(percentile_rows(solved) if percentiles else ())]
        return AtRate(
            rows=tuple(rows),
            facts=facts,
            reset_difference=lambda: reset_remainder(solved.model.at(rate), solved.law, rate),
        )

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:
        return open_at(system, rate).law.level_masses(last=last)


def open_at(system: System, rate: float, *, memory_limit: float = MEMORY_LIMIT) -> OpenSystem:
    """Solve the open system at an arrival rate below its threshold."""
    # Of classes that never arrive nothing is known, or asked.
    system = system.only_active.replace(arrival_rate=rate)
    model = open_model(system, memory_limit=memory_limit)
    with blas_threads(1):
        return solve_open(system, model, rate, memory_limit=memory_limit)


def open_model(system: System, *, memory_limit: float = MEMORY_LIMIT) -> OpenModel:
    """Return the open model of a system, checked to fit into memory before it is built; the last ones are kept."""
    ExactResponse().require(system)
    return _open_model(without_load(system), memory_limit)


@lru_cache(maxsize=8)
def _sizes(system: System) -> tuple[int, ...] | None:
    try:
        return open_level_sizes(system.only_active)
    except TooLarge:
        return None


@lru_cache(maxsize=2)
def _open_model(system: System, memory_limit: float) -> OpenModel:
    sizes = open_level_sizes(system)  # the same count that cost() made
    needed = _memory(sizes)
    if needed > memory_limit:
        raise TooLarge(
            f"the exact response time needs {len(sizes)} levels of up to {max(sizes):,} phases, {needed / 1e9:.1f} GB, "
            f"and {memory_limit / 1e9:.1f} GB are allowed; use the RESET prediction (msj analyse), or simulate"
        )
    return open_fcfs(system)


def _memory(sizes: tuple[int, ...]) -> float:
    one_block = 8.0 * float(max(sizes)) ** 2
    if one_block > 1e12:
        return one_block  # hopeless, and trying out how to cut a million levels would take long to say so
    return min(estimate_memory(sizes, segment=segment) for segment in possible_segments(len(sizes) - 1))


def mean_rows(solved: OpenSystem) -> Iterator[Quantity]:
    """Rows of the means, overall and per class."""
    shares, rate = solved.shares, solved.arrival_rate
    yield from _both(
        solved,
        "mean_response_time",
        solved.mean_jobs_in_system / rate,
        solved.mean_waiting_time + solved.mean_durations,
    )
    waiting = solved.mean_waiting
    yield from _both(solved, "mean_waiting_time", waiting.sum() / rate, solved.mean_waiting_time)
    yield from _both(
        solved, "mean_jobs_in_system", solved.mean_jobs_in_system, waiting + rate * shares * solved.mean_durations
    )
    yield from _both(solved, "mean_jobs_waiting", waiting.sum(), waiting)
    yield from _both(
        solved, "waiting_probability", float(shares @ solved.waiting_probability), solved.waiting_probability
    )
    yield _row("tail_decay_rate", solved.law.decay_rate)


def percentile_rows(solved: OpenSystem) -> Iterator[Quantity]:
    """Rows of the percentiles of waiting and response time, overall and per class."""
    with blas_threads(1):
        law = WaitingLaw(solved)
        found = {
            "waiting_time_percentile": law.waiting.percentiles(np.array(PERCENTILES)),
            "response_time_percentile": law.response.percentiles(np.array(PERCENTILES)),
        }
    names = [*(c.name for c in solved.system.classes), None]
    for name, (values, errors) in found.items():
        for level, row, off in zip(PERCENTILES, values, errors, strict=True):
            for value, error, job_class in sorted(zip(row, off, names, strict=True), key=lambda x: x[2] is not None):
                yield percentile_row(name, level, value, error, job_class)


def _both(solved: OpenSystem, name: str, overall: float, per_class: NDArray[np.float64]) -> Iterator[Quantity]:
    yield _row(name, overall)
    for c, value in zip(solved.system.classes, per_class, strict=True):
        yield _row(name, value, job_class=c.name)


def _row(name: str, value: float, *, job_class: str | None = None) -> Quantity:
    return Quantity(name=name, value=float(value), kind="exact", method="QBD", citation=CITATION, job_class=job_class)


VARIANT = ExactResponse
