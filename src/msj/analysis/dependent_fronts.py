"""Exact response times of finite-skip policies and models under Markovian arrivals.

The fronts of ``finite_skip_response``, with the phases of the arrivals beside them (``fronts.open_model``). Those
behind the front are independent of each other and of when they came, so they are a number still. Shares of time give
E[N_c] and E[T_c] by Little's law; what an arrival finds, pi·D1/lambda, gives the probability that it waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, without_load
from msj.analysis.chain_cost import level_cost
from msj.analysis.dependent_response import why_not_markovian
from msj.analysis.finite_skip_chain import number_of_fronts, why_not_a_front
from msj.analysis.finite_skip_response import (
    FrontMasses,
    chances_to_start,
    front_levels,
    front_rows,
    mean_wait_rows,
    rows_by_class,
    shares_of,
)
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.fronts.front_of import front_of
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.model import System
from msj.model.arrivals import MarkovForm
from msj.results import Quantity

Vector = NDArray[np.float64]


class DependentFronts(ResponseAnalysis):
    """The levels of a front under Markovian arrivals."""

    name: ClassVar[str] = "dependent-fronts"
    summary: ClassVar[str] = "means of finite-skip policies and models under Markovian arrivals"
    citation: ClassVar[str] = "Neuts 1979 (MAP); reset, section 7"
    method: ClassVar[str] = "QBD of the front and arrivals"
    needs_poisson: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        if system.arrivals.poisson:
            return "arrivals are Poisson, which has a smaller chain of its own (finite-skip-response)"
        return why_not_a_front(system) or why_not_markovian(system)

    def concerns(self, system: System) -> bool:
        return not is_fcfs(system) and not system.arrivals.poisson

    def cost(self, system: System) -> Cost:
        phases = number_of_fronts(system) * len(_form(system, 1.0))
        levels = front_of(system).most_jobs + 1
        return level_cost([phases] * levels, 8.0 * phases**2 * (levels + 8))

    def why_no_percentiles(self, system: System) -> str | None:
        return f"percentiles are known for Poisson arrivals only, and arrivals follow the law '{system.arrivals.law}'"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        names = [c.name if c.share > 0 else "" for c in system.classes]
        model, levels = front_of(system), front_levels(system)
        form, law = _solved(system, rate)
        timed = (~form.passing).astype(float)
        masses = [_fronts(mass, timed) for mass in (*law.boundary, law.repeating_mass)]
        time = sum(float(mass.sum()) for mass in masses)
        mean = sum(n * float(mass.sum()) for n, mass in enumerate(masses))
        mean += float(_fronts(law.repeating_first_moment, timed).sum())
        found = FrontMasses(masses=tuple(mass / time for mass in masses), mean=mean / time, decay=law.decay_rate)
        rows = list(front_rows(model, levels, found, rate, names))
        starts = chances_to_start(system)
        if starts is not None:
            arriving = form.rates_of_arrival / (rate * time)
            rows += _waits(model, law, arriving, starts, names)
        if model.one_speed:
            rows += mean_wait_rows(system, rows, names)
        return AtRate(rows=tuple(rows), facts={"exact_residual": law.residual})

    def jobs_law(self, system: System, rate: float, last: int) -> Vector:
        form, law = _solved(system, rate)
        timed = (~form.passing).astype(float)
        total = sum(float(_fronts(mass, timed).sum()) for mass in (*law.boundary, law.repeating_mass))
        return np.array([float(_fronts(law.level_vector(n), timed).sum()) for n in range(last + 1)]) / total


def _waits(
    model: Any, law: LevelLaw, arriving: Vector, starts: Sequence[Vector], names: Sequence[str]
) -> Iterator[Quantity]:
    at_once = sum(_fronts(mass, arriving) @ now for mass, now in zip(law.boundary, starts, strict=True))
    overall = shares_of(model) @ at_once
    yield from rows_by_class("waiting_probability", 1.0 - np.append(at_once, overall), names)


def _fronts(vector: Vector, weights: Vector) -> Vector:
    return np.asarray(vector.reshape(-1, len(weights)) @ weights)


def _form(system: System, rate: float) -> MarkovForm:
    form = system.arrivals.markov_form(rate)
    assert form is not None  # else it is not supported
    return form


def _solved(system: System, rate: float) -> tuple[MarkovForm, LevelLaw]:
    form = _form(system, rate)
    with blas_threads(1):
        return form, solve_levels(front_levels(without_load(system)).under(form))


VARIANT = DependentFronts
