"""Exact response times of large open MSJ FCFS systems under Markovian arrivals, and with jobs in some order.

``dependent_response`` solves the same systems by dense blocks, which end at some thousand phases; here levels count
waiting jobs and every block stays sparse, as in ``sparse_response``. Which of the two answers is a matter of
:meth:`cost`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, why_not_fcfs, without_load
from msj.analysis.chain_cost import chain_cost
from msj.analysis.dependent_response import CITATION, why_not_markovian
from msj.analysis.open_sparse_dependent import OpenSparseDependent, solve_sparse_dependent
from msj.analysis.sparse_response import MEMORY_LIMIT, levels_cost, require_memory
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import Unstable
from msj.fronts.fcfs_waiting import WaitingModel, waiting_model, waiting_sizes
from msj.fronts.job_types import job_types, why_not_phase_type
from msj.markov.blas import blas_threads
from msj.markov.solution import LongRun
from msj.markov.solution import solve as solve_chain
from msj.model import System
from msj.model.assumptions import why_not_plain
from msj.results import Quantity

METHOD = "sparse levels of counts, order and arrivals"


class SparseDependent(ResponseAnalysis):
    """Iterative solution by the number of waiting jobs, with the phases of the arrivals and the states of the order."""

    name: ClassVar[str] = "sparse-dependent-response"
    summary: ClassVar[str] = "means of FCFS under Markovian arrivals, jobs in any order, on large clusters"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD
    needs_poisson: ClassVar[bool] = False
    needs_independence: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        if why_not_plain(system) is None:
            return "arrivals are Poisson and jobs independent, which has a smaller chain of its own (sparse-response)"
        return (
            why_not_fcfs(system)
            or why_not_phase_type(system)
            or why_not_markovian(system)
            or _why_not_one_by_one(system)
        )

    def concerns(self, system: System) -> bool:
        return is_fcfs(system) and why_not_plain(system) is not None

    def cost(self, system: System) -> Cost:
        ground, states = _sizes(without_load(system))
        form = system.arrivals.markov_form(1.0)
        phases = 1 if form is None else len(form)
        return chain_cost(states, len(job_types(system.only_active))) + levels_cost(ground * phases, states * phases)

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return "percentiles of clusters of this size are known for Poisson arrivals of independent jobs only"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        solved = sparse_dependent_at(system, rate)
        facts = {
            "states": len(solved.law.ground),
            "blocked_states": len(solved.law.levels),
            "coefficients": solved.law.coefficients,
            "exact_residual": solved.law.residual,
            "mean_error": solved.error,
            "little_gap": solved.little_gap,
        }
        return AtRate(rows=tuple(mean_rows(solved)), facts=facts)

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:
        return sparse_dependent_at(system, rate).jobs_law(last)


def _why_not_one_by_one(system: System) -> str | None:
    form = system.arrivals.markov_form(1.0)
    if form is not None and form.passing.any():
        return "jobs arrive in batches, and on large clusters this method knows arrivals one by one; simulate it"
    return None


def sparse_dependent_at(system: System, rate: float, *, memory_limit: float = MEMORY_LIMIT) -> OpenSparseDependent:
    """Solve the open system at an arrival rate below its threshold."""
    SparseDependent().require(system)
    system = system.only_active.replace(arrival_rate=rate)
    ground, states = _sizes(without_load(system))
    form = system.arrivals.markov_form(1.0)
    phases = 1 if form is None else len(form)
    require_memory(ground * phases, states * phases, memory_limit)
    with blas_threads(1):
        model, saturated = _model(without_load(system))
        if rate >= saturated.throughput:
            raise Unstable(
                f"the arrival rate {rate:.6g} is not below the stability threshold {saturated.throughput:.6g}; lower it"
            )
        return solve_sparse_dependent(system, model, saturated, rate, memory_limit=memory_limit)


@lru_cache(maxsize=64)
def _sizes(system: System) -> tuple[float, float]:
    return waiting_sizes(system.only_active)


@lru_cache(maxsize=1)
def _model(system: System) -> tuple[WaitingModel, LongRun]:
    model = waiting_model(system)
    return model, solve_chain(model.blocked.chain)


def mean_rows(solved: OpenSparseDependent) -> Iterator[Quantity]:
    """Rows of the means, overall and per class."""
    shares, rate, waiting = solved.shares, solved.arrival_rate, solved.mean_waiting
    stays, jobs = solved.mean_waiting_time + solved.mean_durations, solved.mean_jobs_in_system
    for name, overall, per_class in (
        ("mean_response_time", jobs / rate, stays),
        ("mean_waiting_time", float(waiting.sum()) / rate, solved.mean_waiting_time),
        ("mean_jobs_in_system", jobs, rate * shares * stays),
        ("mean_jobs_waiting", float(waiting.sum()), waiting),
        ("waiting_probability", float(shares @ solved.waiting_probability), solved.waiting_probability),
    ):
        yield _row(name, overall)
        yield from (_row(name, value, c.name) for c, value in zip(solved.system.classes, per_class, strict=True))
    yield _row("tail_decay_rate", solved.law.ratio)


def _row(name: str, value: float, job_class: str | None = None) -> Quantity:
    return Quantity(name=name, value=float(value), kind="exact", method=METHOD, citation=CITATION, job_class=job_class)


VARIANT = SparseDependent
