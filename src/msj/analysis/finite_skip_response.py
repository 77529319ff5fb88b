"""Exact response times of finite-skip policies other than FCFS, and of finite-skip models.

The levels of the open system give the exact law of the number of jobs. Per class: the front says how many of each it
holds, and the jobs behind it are i.i.d., so E[N_i] = E[in front, of class i] + p_i·E[behind]; E[T_i] =
E[N_i]/(lambda·p_i) by Little's law. Where jobs start in order of arrival the laws of waiting times follow too
(``front_waiting``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from msj.analysis.base import AtRate, ResponseAnalysis, without_load
from msj.analysis.chain_cost import descent_cost, level_cost
from msj.analysis.finite_skip_chain import AS_LARGE_AS_IT_IS, FiniteSkipChain, number_of_fronts, why_not_a_front
from msj.analysis.front_waiting import FrontWaitingLaw, waiting_rows, why_no_percentiles
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import TooLarge
from msj.fronts.front_chain import FrontLevels, open_front
from msj.fronts.front_model import FrontModel
from msj.fronts.front_of import front_of
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.markov.reset_remainder import reset_remainder
from msj.model import System
from msj.results import Quantity

MOST_PHASES = 2_000
QBD = "Latouche & Ramaswami 1999 (QBD)"


class FiniteSkipResponse(ResponseAnalysis):
    """Level-structured (QBD) solution of the open system of any discipline with a finite front."""

    name: ClassVar[str] = "finite-skip-response"
    summary: ClassVar[str] = "exact response times of policies and models that pass over finitely many jobs"
    citation: ClassVar[str] = QBD

    def supports(self, system: System) -> str | None:
        return why_not_a_front(system)

    def concerns(self, system: System) -> bool:
        return not is_fcfs(system)

    def cost(self, system: System) -> Cost:
        fronts, levels = number_of_fronts(system), front_of(system).most_jobs + 1
        return level_cost([fronts] * levels, 8.0 * fronts**2 * (levels + 8))

    def how_long(self, system: System) -> str:
        return "yes" if FiniteSkipChain().in_a_moment(system) else AS_LARGE_AS_IT_IS

    def percentile_cost(self, system: System) -> Cost:
        levels = _levels(without_load(system))
        return descent_cost(levels.level_sizes, len(system.classes) + 1)

    def why_no_percentiles(self, system: System) -> str | None:
        return why_no_percentiles(front_of(system))

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:
        names = [c.name if c.share > 0 else "" for c in system.classes]
        return front_at_rate(front_of(system), _levels(without_load(system)), rate, names, percentiles=percentiles)


@lru_cache(maxsize=4)
def _levels(system: System) -> FrontLevels:
    require_room(number_of_fronts(system))  # known before any level is made
    return open_front(front_of(system))


def require_room(fronts: int) -> None:
    """Refuse levels too large for dense blocks."""
    if fronts > MOST_PHASES:
        raise TooLarge(
            f"the open system has levels of {fronts:,} fronts and at most {MOST_PHASES:,} can be solved; "
            "use the RESET prediction, or simulate"
        )


def front_at_rate(
    model: FrontModel[Any, Any], levels: FrontLevels, rate: float, names: Sequence[str], *, percentiles: bool
) -> AtRate:
    """Return what a front model says at an arrival rate; ``names`` of the classes ("" leaves one out)."""
    require_room(max(levels.level_sizes))
    with blas_threads(1):
        law = solve_levels(levels.at(rate))
    rows, notes = list(_rows(model, levels, law, rate, names)), []
    if why_no_percentiles(model) is None:
        waiting = FrontWaitingLaw(model, levels, law, rate)
        rows += waiting_rows(waiting, names, percentiles=percentiles)
        if percentiles and waiting.service is None:
            notes.append("Percentiles of response times are not known: others may affect a job that has started.")
    return AtRate(
        rows=tuple(rows),
        facts={"exact_residual": law.residual},
        notes=tuple(notes),
        reset_difference=lambda: reset_remainder(levels.at(rate), law, rate),
    )


def _rows(
    model: FrontModel[Any, Any], levels: FrontLevels, law: LevelLaw, rate: float, names: Sequence[str]
) -> Iterator[Quantity]:
    shares = np.zeros(len(model.class_names))
    for job, chance in model.fresh():
        shares[model.class_of(job)] += chance
    mean = law.mean_level()
    masses = [*law.boundary, law.repeating_mass]
    in_front = np.asarray(sum(mass @ levels.class_counts[n] for n, mass in enumerate(masses)), dtype=float)
    per_class = in_front + shares * (mean - in_front.sum())
    for key, overall, by_class in (
        ("mean_response_time", mean / rate, per_class / np.where(shares > 0, rate * shares, 1.0)),
        ("mean_jobs_in_system", mean, per_class),
    ):
        yield _row(key, overall)
        yield from (_row(key, value, name) for value, name in zip(by_class, names, strict=True) if name)
    yield _row("tail_decay_rate", law.decay_rate)
    for key in model.measures(levels.fronts[0][0]):  # time averages of what the model says about its fronts
        values = (np.array([model.measures(front)[key] for front in fronts]) for fronts in levels.fronts)
        yield _row(key, sum(float(mass @ value) for mass, value in zip(masses, values, strict=True)))


def _row(name: str, value: float, job_class: str | None = None) -> Quantity:
    return Quantity(
        name=name, value=float(value), kind="exact", method="QBD of the front", citation=QBD, job_class=job_class
    )


VARIANT = FiniteSkipResponse
