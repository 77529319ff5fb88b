"""Exact means of finite-skip policies and models whose fronts are too many for dense blocks.

Levels count the jobs behind the front (``fronts.front_waiting``), every block stays sparse, and
``markov.sparse_level_solver`` solves them. With pi the law, E[N] = E[jobs in the front] + E[q]; per class the front
says how many it holds and those behind are i.i.d.; E[T_i] = E[N_i]/(lambda·p_i) by Little's law.

"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, without_load
from msj.analysis.chain_cost import OPERATIONS_A_SECOND
from msj.analysis.counted import looks_at_counts
from msj.analysis.finite_skip_chain import (
    AS_LARGE_AS_IT_IS,
    FiniteSkipChain,
    number_of_fronts,
    solved_front_chain,
    why_not_a_front,
)
from msj.analysis.finite_skip_response import (
    MOST_PHASES,
    QBD,
    FrontMasses,
    followed_front,
    front_rows,
    mean_wait_rows,
    rows_by_class,
    shares_of,
)
from msj.analysis.sparse_response import MEMORY_LIMIT, levels_cost, require_memory
from msj.analysis.tagged_law import starts_at_once
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import Unstable
from msj.fronts.front_of import front_of
from msj.fronts.front_waiting import FrontWaiting, front_waiting
from msj.markov.blas import blas_threads
from msj.markov.sparse_level_operator import GroundFactors
from msj.markov.sparse_level_solver import solve as solve_levels
from msj.markov.sparse_levels import SparseLaw
from msj.model import System

Vector = NDArray[np.float64]
METHOD = "sparse levels of the front"
FRONT_SECONDS = 8e-5  # to visit a front, in plain Python
GROUND_FRONTS = 1.6  # fronts of q = 0 for each of q >= 1, about


class SparseFronts(ResponseAnalysis):
    """Iterative solution of the open system of any discipline with a finite front, by the jobs behind it."""

    name: ClassVar[str] = "sparse-fronts-response"
    summary: ClassVar[str] = "means of policies and models that pass over finitely many jobs, with many fronts"
    citation: ClassVar[str] = QBD
    method: ClassVar[str] = METHOD

    def supports(self, system: System) -> str | None:
        return why_not_a_front(system)

    def concerns(self, system: System) -> bool:
        return not is_fcfs(system) and not looks_at_counts(system)

    def cost(self, system: System) -> Cost:
        fronts = number_of_fronts(system)
        if fronts <= MOST_PHASES:  # dense blocks know more: percentiles
            return Cost(operations=np.inf)
        visits = OPERATIONS_A_SECOND * FRONT_SECONDS * (1.0 + GROUND_FRONTS) * fronts
        return levels_cost(GROUND_FRONTS * fronts, fronts) + Cost(operations=visits)

    def how_long(self, system: System) -> str:
        if FiniteSkipChain().in_a_moment(system) and number_of_fronts(system) <= MOST_PHASES:
            return "no: finite-skip-response tells more of so few fronts"
        return AS_LARGE_AS_IT_IS

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return f"percentiles are known for levels of up to {MOST_PHASES:,} fronts only"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        names = [c.name if c.share > 0 else "" for c in system.classes]
        model, waiting = front_of(system), _waiting(without_load(system))
        law = sparse_fronts_at(system, rate)
        masses = (law.ground, law.beyond_ground)
        in_front = sum(
            float(mass @ counts.sum(axis=1)) for mass, counts in zip(masses, waiting.class_counts, strict=True)
        )
        mean = in_front + law.mean_level()
        rows = list(front_rows(model, waiting, FrontMasses(masses=masses, mean=mean, decay=law.ratio), rate, names))
        if (followed := followed_front(system)) is not None:
            at_once = law.ground @ starts_at_once(followed, waiting)[0]
            rows += rows_by_class("waiting_probability", 1.0 - np.append(at_once, shares_of(model) @ at_once), names)
        if model.one_speed:
            rows += mean_wait_rows(system, rows, names)
        facts = {
            "fronts": len(law.levels),
            "coefficients": law.coefficients,
            "exact_residual": law.residual,
            "mean_error": law.level_error / mean,
        }
        return AtRate(rows=tuple(replace(row, method=METHOD) for row in rows), facts=facts)

    def jobs_law(self, system: System, rate: float, last: int) -> Vector:
        waiting, law = _waiting(without_load(system)), sparse_fronts_at(system, rate)
        sizes = [counts.sum(axis=1) for counts in waiting.class_counts]
        found: Vector = np.zeros(last + 1)
        np.add.at(found, np.minimum(sizes[0], last), np.where(sizes[0] <= last, law.ground, 0.0))
        for jobs in np.unique(sizes[1]).tolist():
            levels = law.levels[sizes[1] == jobs].sum(axis=0)
            further = max(last - jobs - law.cut, 0)
            behind = np.append(levels, levels[-1] * law.ratio ** np.arange(1.0, further + 1))
            room = found[jobs + 1 : jobs + 1 + len(behind)]
            room += behind[: len(room)]
        return found


def sparse_fronts_at(system: System, rate: float, *, memory_limit: float = MEMORY_LIMIT) -> SparseLaw:
    """Solve the open system at an arrival rate below its threshold."""
    SparseFronts().require(system)
    system = without_load(system)
    fronts = number_of_fronts(system)
    require_memory(GROUND_FRONTS * fronts, fronts, memory_limit)
    return _solved(system, rate, memory_limit)


@lru_cache(maxsize=2)
def _solved(system: System, rate: float, memory_limit: float) -> SparseLaw:
    with blas_threads(1):
        run = solved_front_chain(system)
        if rate >= run.throughput:
            raise Unstable(
                f"the arrival rate {rate:.6g} is not below the stability threshold {run.throughput:.6g}; lower it"
            )
        process = _waiting(system).at(rate)
        worth, load = max(1.0 + run.relative_completions_at_departure, 0.1), rate / run.throughput
        typical = float(run.time_average @ run.relative_completions**2) ** 0.5
        durations = [float(c.duration.mean) for c in system.active_classes]
        # What a stay at q = 0 looks like that begins where a full front makes room.
        entered = np.asarray(process.starting.sum(axis=0)).ravel() @ process.landing
        start = np.maximum(GroundFactors(process).solve(entered), 0.0)
        return solve_levels(
            process,
            start=start,
            anchor=0,
            ratio=worth * load / (1.0 - load + worth * load),
            throughput=run.throughput,
            spread=1.0 + 3.0 * typical,
            forgetting=max(durations),
            scale=0.05 * rate * sum(float(c.share) * float(c.duration.mean) for c in system.classes),
            memory_limit=memory_limit,
        )


@lru_cache(maxsize=2)
def _waiting(system: System) -> FrontWaiting:
    model: Any = front_of(system)
    return front_waiting(model)


VARIANT = SparseFronts
