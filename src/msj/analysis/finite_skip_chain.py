"""Finite-skip policies other than FCFS, and finite-skip models of a user's own.

The front model (``finite_skip.front_model``) gives the saturated chain, hence threshold, waste and RESET prediction
(reset, section 7), and the levels of the open system, hence the exact law of the number of jobs. Per class: the front
says how many of each it holds, and the jobs behind it are i.i.d., so E[N_i] = E[in front, of class i] + p_i·E[behind];
E[T_i] = E[N_i]/(lambda·p_i) by Little's law.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import Saturated, SaturatedAnalysis
from msj.analysis.reset import predicted_mean_response_time, require_stable
from msj.errors import InvalidInput, TooLarge
from msj.finite_skip.front_chain import FrontLevels, open_front, saturated_front
from msj.finite_skip.front_model import FrontModel
from msj.finite_skip.job_types import why_not_phase_type
from msj.finite_skip.policy_front import policy_front, why_not_finite
from msj.markov import LongRun, solve
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.model import System
from msj.results import Outcome, Quantity, Result, provenance

CITATION = "reset, section 7 and Appendix H.1"
MOST_PHASES = 2_000
QBD = "Latouche & Ramaswami 1999 (QBD)"


class FiniteSkipChain(SaturatedAnalysis):
    """The saturated chain of any policy with a finite front, built by the policy's own function."""

    name: ClassVar[str] = "finite-skip-chain"
    summary: ClassVar[str] = "threshold, waste, RESET and exact E[T] of policies that pass over finitely many jobs"
    citation: ClassVar[str] = CITATION
    closed_form: ClassVar[bool] = False
    preference: ClassVar[int] = 10

    def supports(self, system: System) -> str | None:
        """See :meth:`Analysis.supports`."""
        if system.policy.name == "fcfs":
            return "fcfs has a much smaller chain of its own (saturated-chain)"
        return why_not_finite(system) or why_not_phase_type(system)

    def saturate(self, system: System) -> Saturated:
        """See :meth:`SaturatedAnalysis.saturate`."""
        run, wasted, states = _saturated(_without_load(system))
        return Saturated(
            stability_threshold=run.throughput,
            wasted_servers=wasted,
            saturated_utilisation=1.0 - wasted / system.servers,
            relative_completions_at_departure=run.relative_completions_at_departure,
            method="saturated chain of the front",
            citation=self.citation,
            facts={"states": states, "solver": run.method, "residual": run.residual},
        )


def _without_load(system: System) -> System:
    return system.replace(arrival_rate=None, load=None, utilisation=None, name="")


@lru_cache(maxsize=4)
def _saturated(system: System) -> tuple[LongRun, float, int]:
    model = policy_front(system)
    fronts, chain = saturated_front(model)
    run = solve(chain)
    free = np.array([system.servers - model.busy_servers(front) for front in fronts])
    return run, float(run.time_average @ free), chain.states


@lru_cache(maxsize=4)
def _levels(system: System) -> FrontLevels:
    return open_front(policy_front(system))


def front_rows(system: System, arrival_rate: float) -> tuple[list[Quantity], float]:
    """Return rows of the open system under a finite-skip policy, and the residual."""
    levels = _levels(_without_load(system))
    shares = np.array([float(c.share) for c in system.classes])
    names = [c.name if c.share > 0 else "" for c in system.classes]
    rows, residual = _open_rows(levels, arrival_rate, shares, names)
    return list(rows), residual


def analyse_model(
    model: FrontModel[Any, Any],
    *,
    arrival_rate: float | None = None,
    load: float | None = None,
    name: str = "model",
) -> Result:
    """Return threshold, RESET prediction and exact response time of a finite-skip model of your own.

    Examples
    --------
    Two machines of different speed; the oldest job is on the fast one:

    >>> from msj.finite_skip import FrontModel
    >>> class FastAndSlow(FrontModel):
    ...     most_jobs = 2
    ...     def fresh(self):
    ...         yield "job", 1.0
    ...     def steps(self, front):
    ...         for position, speed in enumerate([2.0, 0.5][: len(front)]):
    ...             yield speed, front[:position] + front[position + 1 :], True
    >>> result = analyse_model(FastAndSlow(), load=0.8)
    >>> round(result["stability_threshold"], 12), round(result["mean_response_time"], 6)
    (2.5, 2.083333)
    """
    started = time.perf_counter()
    if arrival_rate is not None and load is not None:
        raise InvalidInput("arrival_rate and load are both given; say how much arrives in one way only")
    _, chain = saturated_front(model)
    run = solve(chain)
    delta = run.relative_completions_at_departure
    rows = [
        Quantity(name=key, value=value, kind="exact", method="saturated chain of the front", citation=CITATION)
        for key, value in (("stability_threshold", run.throughput), ("relative_completions_at_departure", delta))
    ]
    facts: dict[str, Any] = {"states": chain.states, "residual": run.residual}
    rate = arrival_rate if load is None else load * run.throughput
    if rate is not None:
        require_stable(rate, run.throughput)
        predicted = predicted_mean_response_time(rate, run.throughput, delta)
        rows.append(
            Quantity(
                name="predicted_mean_response_time",
                value=predicted,
                kind="asymptotic",
                method="RESET/MARC",
                citation="reset, Theorem 4.2",
            )
        )
        shares = np.zeros(len(model.class_names))
        for job, chance in model.fresh():
            shares[model.class_of(job)] += chance
        several = model.class_names if len(model.class_names) > 1 else [""]
        exact, facts["exact_residual"] = _open_rows(open_front(model), rate, shares, several)
        rows += exact
    return Result(
        system={"name": name, "arrival_rate": rate},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **facts),
    )


def _open_rows(
    levels: FrontLevels, rate: float, shares: NDArray[np.float64], names: Any
) -> tuple[Iterator[Quantity], float]:
    if max(levels.level_sizes) > MOST_PHASES:
        raise TooLarge(
            f"the open system has levels of {max(levels.level_sizes):,} fronts and at most {MOST_PHASES:,} can be "
            "solved; use the RESET prediction, or simulate"
        )
    with blas_threads(1):
        law = solve_levels(levels.at(rate))
    return _rows(levels, law, rate, shares, names), law.residual


def _rows(
    levels: FrontLevels, law: LevelLaw, rate: float, shares: NDArray[np.float64], names: Any
) -> Iterator[Quantity]:
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


def _row(name: str, value: float, job_class: str | None = None) -> Quantity:
    return Quantity(
        name=name, value=float(value), kind="exact", method="QBD of the front", citation=QBD, job_class=job_class
    )


VARIANT = FiniteSkipChain
