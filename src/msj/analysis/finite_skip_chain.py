"""Finite-skip policies other than FCFS, and finite-skip models of a user's own.

The front model (``fronts.front_model``) gives the saturated chain, hence threshold, waste and RESET prediction
(reset, section 7), and the levels of the open system, hence the exact law of the number of jobs. Per class: the front
says how many of each it holds, and the jobs behind it are i.i.d., so E[N_i] = E[in front, of class i] + p_i·E[behind];
E[T_i] = E[N_i]/(lambda·p_i) by Little's law.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from msj.analysis.base import Saturated, SaturatedAnalysis
from msj.analysis.front_waiting import FrontWaitingLaw, waiting_rows, why_no_percentiles
from msj.analysis.reset import predicted_mean_response_time, require_stable
from msj.disciplines.fcfs import is_fcfs
from msj.errors import InvalidInput, NotSupported, TooLarge
from msj.fronts.compiled_fronts import saturated_fronts
from msj.fronts.front_chain import FrontLevels, open_front
from msj.fronts.front_model import FrontModel
from msj.fronts.front_of import front_of, why_no_front
from msj.markov import LongRun, solve
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.model import System
from msj.results import Outcome, Quantity, Result, provenance

CITATION = "reset, section 7 and Appendix H.1"
MOST_PHASES = 2_000
WORTH_THE_WAIT = 10.0  # seconds: percentiles that are not asked for and take longer are left out, with a note
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
        if is_fcfs(system):
            return "fcfs has a much smaller chain of its own (saturated-chain)"
        return why_no_front(system)

    def saturate(self, system: System) -> Saturated:
        """See :meth:`SaturatedAnalysis.saturate`."""
        run, wasted, states = _saturated(_without_load(system))
        return Saturated(
            stability_threshold=run.throughput,
            wasted_servers=wasted,
            saturated_utilisation=1.0 - wasted / system.servers,
            relative_completions_at_departure=run.relative_completions_at_departure,
            method="saturated chain of the front",
            citation=getattr(system.model, "citation", self.citation),
            facts={"states": states, "solver": run.method, "residual": run.residual},
        )


def _without_load(system: System) -> System:
    return system.replace(arrival_rate=None, load=None, utilisation=None, name="")


@lru_cache(maxsize=4)
def _saturated(system: System) -> tuple[LongRun, float, int]:
    chain, busy = saturated_fronts(front_of(system))
    if busy is None:
        called = system.policy.name if system.model is None else system.model.name
        raise NotSupported(f"'{called}' does not say how many servers are busy; add busy_servers(front) to its front")
    run = solve(chain)
    return run, float(run.time_average @ (system.servers - busy)), chain.states


@lru_cache(maxsize=4)
def _levels(system: System) -> FrontLevels:
    _, _, states = _saturated(system)
    _require_room(states)  # known before any level is made
    return open_front(front_of(system))


def estimated_seconds(system: System) -> float:
    """Return a rough time for the open system, to decide whether to go ahead unasked; infinite if it is refused."""
    _, _, states = _saturated(_without_load(system))
    return 2e-10 * states**3 * (front_of(system).most_jobs + 15) if states <= MOST_PHASES else np.inf


def front_rows(
    system: System, arrival_rate: float, *, percentiles: bool | None = None
) -> tuple[list[Quantity], float, list[str]]:
    """Return rows of the open system under a finite-skip policy, the residual, and notes on what is left out."""
    levels = _levels(_without_load(system))
    names = [c.name if c.share > 0 else "" for c in system.classes]
    return _open_rows(front_of(system), levels, arrival_rate, names, percentiles)


def analyse_model(
    model: FrontModel[Any, Any],
    *,
    arrival_rate: float | None = None,
    load: float | None = None,
    name: str = "model",
    percentiles: bool | None = None,
) -> Result:
    """Return threshold, RESET prediction and exact response time of a finite-skip model of your own.

    Percentiles come with it where the model has them (``FrontModel.starts_at_once``); None leaves out slow ones. If the
    open system is too large, a note says so and the rest is returned.

    Examples
    --------
    Two machines of different speed; the oldest job is on the fast one:

    >>> from msj.fronts import FrontModel
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
    chain, _ = saturated_fronts(model)
    run = solve(chain)
    delta = run.relative_completions_at_departure
    rows = [
        Quantity(name=key, value=value, kind="exact", method="saturated chain of the front", citation=CITATION)
        for key, value in (("stability_threshold", run.throughput), ("relative_completions_at_departure", delta))
    ]
    facts: dict[str, Any] = {"states": chain.states, "residual": run.residual}
    notes: list[str] = []
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
        several = model.class_names if len(model.class_names) > 1 else [""]
        try:
            _require_room(chain.states)
            exact, facts["exact_residual"], notes = _open_rows(model, open_front(model), rate, several, percentiles)
            rows += exact
        except TooLarge as error:
            notes.append(f"Exact response times are left out: {error}.")
    return Result(
        system={"name": name, "arrival_rate": rate},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **facts),
        notes=tuple(notes),
    )


def _require_room(phases: int) -> None:
    if phases > MOST_PHASES:
        raise TooLarge(
            f"the open system has levels of {phases:,} fronts and at most {MOST_PHASES:,} can be solved; "
            "use the RESET prediction, or simulate"
        )


def _open_rows(
    model: FrontModel[Any, Any], levels: FrontLevels, rate: float, names: Sequence[str], percentiles: bool | None
) -> tuple[list[Quantity], float, list[str]]:
    _require_room(max(levels.level_sizes))
    with blas_threads(1):
        law = solve_levels(levels.at(rate))
    rows, notes = list(_rows(model, levels, law, rate, names)), []
    reason = why_no_percentiles(model)
    if reason is None:
        waiting = FrontWaitingLaw(model, levels, law, rate)
        seconds = waiting.estimated_seconds()
        wanted = seconds <= WORTH_THE_WAIT if percentiles is None else percentiles
        rows += waiting_rows(waiting, names, percentiles=wanted)
        if percentiles is None and not wanted:
            notes.append(f"Percentiles are left out: they would take about {seconds:.0f} seconds; ask for them.")
        if wanted and waiting.service is None:
            notes.append("Percentiles of response times are not known: others may affect a job that has started.")
    elif percentiles:
        notes.append(f"{reason[0].upper()}{reason[1:]}.")
    return rows, law.residual, notes


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


VARIANT = FiniteSkipChain
