"""Exact response times of open MSJ FCFS under Markovian arrivals, and with jobs in some order, as rows.

The computation is ``open_dependent`` (means) and ``dependent_law`` (percentiles). Poisson arrivals of independent jobs
have a smaller chain (``exact_response``); the tests hold the two together where both apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, why_not_fcfs, without_load
from msj.analysis.chain_cost import level_cost
from msj.analysis.dependent_law import DependentLaw, operations
from msj.analysis.open_dependent import DependentOpen, solve_dependent
from msj.analysis.open_fcfs import MEMORY_LIMIT
from msj.analysis.percentile_row import PERCENTILES, percentile_row
from msj.analysis.reset import relative_arrivals
from msj.analysis.saturated_chain import SaturatedChain
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
from msj.model.assumptions import why_not_plain
from msj.results import Quantity

CITATION = "Neuts 1979 (MAP); Latouche & Ramaswami 1999 (QBD)"
METHOD = "QBD of counts, order and arrivals"


class DependentResponse(ResponseAnalysis):
    """Level-structured (QBD) solution with the phases of the arrivals and the states of the order."""

    name: ClassVar[str] = "dependent-response"
    summary: ClassVar[str] = "response and waiting times of FCFS under Markovian arrivals, jobs in any order"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD
    needs_poisson: ClassVar[bool] = False
    needs_independence: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        if why_not_plain(system) is None:
            return "arrivals are Poisson and jobs independent, which has a smaller chain of its own (exact-response)"
        return why_not_fcfs(system) or why_not_phase_type(system) or why_not_markovian(system)

    def concerns(self, system: System) -> bool:
        return is_fcfs(system) and why_not_plain(system) is not None

    def cost(self, system: System) -> Cost:
        sizes = _sizes(without_load(system))
        return Cost(operations=np.inf, bytes=np.inf) if sizes is None else level_cost(sizes, _memory(sizes))

    def percentile_cost(self, system: System) -> Cost:
        sizes = _sizes(without_load(system))
        if sizes is None:
            return Cost(operations=np.inf)
        # About as many jobs are met, and as long waited, as near saturation: E[T] as RESET predicts it.
        saturated = SaturatedChain().saturate(system)
        rate = system.arrival_rate_at(saturated.stability_threshold) or 0.9 * saturated.stability_threshold
        room = saturated.stability_threshold - rate
        delta = saturated.relative_completions_at_departure or 0.0
        stay = (1.0 + delta + relative_arrivals(system)[0]) / room if room > 0 else np.inf
        clock = system.servers * max(_fastest(c) for c in system.active_classes)
        return Cost(operations=operations(sizes, clock, max(stay, 1.0 / room), rate))

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:
        solved = dependent_at(system, rate)
        facts = {
            "phases": max(solved.model.level_sizes) * len(solved.form),
            "levels": len(solved.model.level_sizes),
            "exact_residual": solved.law.residual,
            "little_gap": solved.little_gap,
        }
        rows = [*mean_rows(solved), *(percentile_rows(solved) if percentiles else ())]
        poisson = system.arrivals.poisson
        return AtRate(
            rows=tuple(rows),
            facts=facts,
            reset_difference=(lambda: reset_remainder(solved.model.at(rate), solved.law, rate)) if poisson else None,
        )

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:
        solved = dependent_at(system, rate)
        timed = (~solved.form.passing).astype(float)
        vectors = [solved.law.level_vector(n) for n in range(last + 1)]
        return np.array([float(solved.fronts(vector, timed).sum()) for vector in vectors]) / solved.time


def why_not_markovian(system: System) -> str | None:
    """Return the reason if arrivals are no Markov chain of their own."""
    if system.arrivals.marks_classes:
        return "the arrivals say who comes, so those who wait tell about those to come; simulate it"
    if system.arrivals.markov_form(1.0) is None:
        return (
            f"'{system.arrivals.law}' arrivals are no finite Markov chain ({system.arrivals.assumption()}); simulate it"
        )
    return None


def dependent_at(system: System, rate: float, *, memory_limit: float = MEMORY_LIMIT) -> DependentOpen:
    """Solve the open system at an arrival rate below its threshold."""
    DependentResponse().require(system)
    system = system.only_active.replace(arrival_rate=rate)
    model = _open_model(without_load(system), memory_limit)
    with blas_threads(1):
        return solve_dependent(system, model, rate, memory_limit=memory_limit)


@lru_cache(maxsize=8)
def _sizes(system: System) -> tuple[int, ...] | None:
    form = system.arrivals.markov_form(1.0)
    try:
        sizes = open_level_sizes(system.only_active)
    except TooLarge:
        return None
    return tuple(size * (1 if form is None else len(form)) for size in sizes)


@lru_cache(maxsize=2)
def _open_model(system: System, memory_limit: float) -> OpenModel:
    sizes = _sizes(system)
    needed = np.inf if sizes is None else _memory(sizes)
    if sizes is None or needed > memory_limit:
        raise TooLarge(
            f"the exact response time needs {needed / 1e9:.1f} GB, and {memory_limit / 1e9:.1f} GB are allowed; "
            "simulate this system, or take fewer servers, classes or phases"
        )
    return open_fcfs(system)


def _memory(sizes: tuple[int, ...]) -> float:
    one_block = 8.0 * float(max(sizes)) ** 2
    if one_block > 1e12:
        return one_block
    return min(estimate_memory(sizes, segment=segment) for segment in possible_segments(len(sizes) - 1))


def _fastest(job_class: object) -> float:
    law = job_class.duration.as_phase_type()  # type: ignore[attr-defined]
    return float(-law.subgenerator.min())


def mean_rows(solved: DependentOpen) -> Iterator[Quantity]:
    """Rows of the means, overall and per class."""
    shares, rate = solved.shares, solved.arrival_rate
    waiting = solved.mean_waiting
    stays = solved.mean_waiting_time + solved.mean_durations
    for name, overall, per_class in (
        ("mean_response_time", solved.mean_jobs_in_system / rate, stays),
        ("mean_waiting_time", waiting.sum() / rate, solved.mean_waiting_time),
        ("mean_jobs_in_system", solved.mean_jobs_in_system, rate * shares * stays),
        ("mean_jobs_waiting", waiting.sum(), waiting),
        ("waiting_probability", float(shares @ solved.waiting_probability), solved.waiting_probability),
    ):
        yield _row(name, float(overall))
        for value, c in zip(per_class, solved.system.classes, strict=True):
            yield _row(name, float(value), c.name)
    yield _row("tail_decay_rate", solved.law.decay_rate)


def percentile_rows(solved: DependentOpen) -> Iterator[Quantity]:
    """Rows of the percentiles of waiting and response time, as arrivals find them, overall and per class."""
    with blas_threads(1):
        law = DependentLaw(solved)
        names = [None, *(c.name for c in solved.system.classes)]
        for name, curve in (("waiting_time_percentile", law.waiting), ("response_time_percentile", law.response)):
            found, errors = curve.percentiles(np.array(PERCENTILES))
            for level, row, off in zip(PERCENTILES, found, errors, strict=True):
                for i, job_class in enumerate(names):
                    yield percentile_row(
                        name, level, row[i - 1], off[i - 1], job_class, method=f"{METHOD}, uniformisation"
                    )


def _row(name: str, value: float, job_class: str | None = None) -> Quantity:
    return Quantity(name=name, value=value, kind="exact", method=METHOD, citation=CITATION, job_class=job_class)


VARIANT = DependentResponse
