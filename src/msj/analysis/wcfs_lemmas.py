"""Mean work, queueing time and front time of work-conserving finite-skip systems: bounds, and exact values beside them.

The bounds are those of wcfs, Lemmas 2, 3, 4 and 6, and the sharper ones of ``closed_forms.wcfs_terms``. The exact
values come from the levels of the open system, as long as these are few: with n the size of the front,

    E[T_Q] = E[(N − n)+]/lambda,   E[T_F] = E[min(N, n)]/lambda,   E[W] = E[W of those seen] + E[S]·E[number of others],

where a job that is seen, of some class and in some phase, has need/k times its mean remaining duration of work left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import TermAnalysis, without_load
from msj.analysis.finite_skip_response import MOST_PHASES, FiniteSkipResponse, front_levels
from msj.analysis.wcfs_bounds import BY_JOB, SHARPER, ResponseTimeBounds, wcfs_bounds
from msj.closed_forms.wcfs_terms import Between, WcfsTerms
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import MsjError
from msj.fronts.fcfs_counts import number_of_states
from msj.fronts.front_of import front_of, why_no_front
from msj.fronts.job_types import JobTypes
from msj.markov.blas import blas_threads
from msj.markov.level_process import solve as solve_levels
from msj.model import System
from msj.results import Quantity

#: Operations that the exact values may take: some seconds.
FEW = 2e10


class WcfsLemmas(TermAnalysis):
    """E[W], E[T_Q] and E[T_F] of WCFS systems."""

    name: ClassVar[str] = "wcfs-lemmas"
    summary: ClassVar[str] = "mean work, queueing time and front time where no server idles while enough jobs wait"
    citation: ClassVar[str] = "wcfs, Lemmas 2, 3, 4 and 6"

    def supports(self, system: System) -> str | None:
        return ResponseTimeBounds().supports(system)

    def concerns(self, system: System) -> bool:
        return ResponseTimeBounds().concerns(system)

    def terms(self, system: System, rate: float) -> list[Quantity]:
        found = wcfs_bounds(system, rate)
        assert found.paper is not None
        assert found.sharper is not None
        rows = [*_exact_rows(system, rate), *_rows(found.paper), *_rows(found.sharper, sharper=True)]
        exact = next((row.value for row in rows if row.name == "mean_work"), None)
        if exact is not None and found.front > 1:
            apart = (found.front - 1) * found.rem_sup
            rows.append(
                _bound("queueing_time_lower_bound_from_work", exact - apart, "E[W] − (n−1)·rem_sup", "wcfs, Lemma 2")
            )
            rows.append(_bound("queueing_time_upper_bound_from_work", exact, "E[W]", "wcfs, Lemma 2"))
        return rows


@dataclass(frozen=True, kw_only=True)
class ExactTerms:
    """E[W], E[T_Q] and E[T_F]."""

    mean_work: float
    mean_queueing_time: float
    mean_front_time: float


def exact_terms(system: System, arrival_rate: float) -> ExactTerms:
    """Return the exact terms of a WCFS system with phase-type durations.

    Examples
    --------
    >>> import msj
    >>> jobs = msj.JobClass(name="jobs", need=1, share=1, duration=msj.Exponential(mean=2))
    >>> found = exact_terms(msj.System(servers=2, classes=[jobs]), 0.5)
    >>> round(found.mean_work, 9), round(found.mean_queueing_time, 9), round(found.mean_front_time, 9)
    (1.333333333, 0.666666667, 2.0)
    """
    front_size = wcfs_bounds(system).front
    model, levels = front_of(without_load(system)), front_levels(system)
    capacity = system.service_capacity
    size, left = system.mean_work / capacity, mean_work_left(model.types, capacity)  # type: ignore[attr-defined]
    with blas_threads(1):
        law = solve_levels(levels.at(arrival_rate))
        masses = law.level_masses(last=front_size)
    in_front = front_size - float((front_size - np.arange(front_size)) @ masses[:front_size])
    work = size * float(law.repeating_first_moment.sum())
    for n, mass in enumerate((*law.boundary, law.repeating_mass)):
        for chance, front in zip(mass.tolist(), levels.fronts[n], strict=True):
            jobs = list(model.jobs(front))
            work += chance * (float(left[jobs].sum()) + (n - len(jobs)) * size)
    return ExactTerms(
        mean_work=work,
        mean_queueing_time=(law.mean_level() - in_front) / arrival_rate,
        mean_front_time=in_front / arrival_rate,
    )


def mean_work_left(types: JobTypes, capacity: float) -> NDArray[np.float64]:
    """Return, for each type of job, the mean work it still brings: need/capacity times its mean remaining duration."""
    changes = types.phase_changes
    generator = np.diag(changes.sum(axis=1) + types.completion_rates) - changes
    remaining = np.linalg.solve(generator, np.ones(len(types))) * types.needs / capacity
    return np.asarray(remaining, dtype=np.float64)


def _exact_rows(system: System, rate: float) -> Iterator[Quantity]:
    if why_no_front(system) is not None or not _few(system):
        return
    found = exact_terms(system, rate)
    for name in ("mean_work", "mean_queueing_time", "mean_front_time"):
        yield Quantity(
            name=name,
            value=getattr(found, name),
            kind="exact",
            method="QBD of the front",
            citation=FiniteSkipResponse.citation,
        )


def _few(system: System) -> bool:
    try:
        if is_fcfs(system) and number_of_states(system) > MOST_PHASES:
            return False
        cost: Cost = FiniteSkipResponse().cost(system)
        return cost.operations <= FEW and max(front_levels(system).level_sizes) <= MOST_PHASES
    except MsjError:  # too many fronts to count
        return False


def _rows(terms: WcfsTerms, *, sharper: bool = False) -> Iterator[Quantity]:
    bounds: tuple[tuple[str, Between, str, str], ...] = (
        ("work", terms.work, "M/G/1 work, and at most (n−1)·rem_sup", "wcfs, Lemma 3"),
        ("queueing_time", terms.queueing, "M/G/1 work ± (n−1)·rem_sup", "wcfs, Lemma 4"),
        ("front_time", terms.front, "E[S], and n·E[S]/b_inf", "wcfs, Lemma 6"),
    )
    for name, bound, method, citation in bounds:
        called = f"{name}_sharper" if sharper else name
        how, where = (SHARPER, BY_JOB) if sharper else (method, citation)
        yield _bound(f"{called}_lower_bound", bound.lower, how, where)
        yield _bound(f"{called}_upper_bound", bound.upper, how, where)


def _bound(name: str, value: float, method: str, citation: str) -> Quantity:
    return Quantity(name=name, value=value, kind="bound", method=method, citation=citation)


VARIANT = WcfsLemmas
