"""How long jobs stay at a load: one rule, whoever asks.

Exact analyses that apply, the cheapest first, as far as the effort allows; what they do not give is simulated, as long
as the effort allows. Percentiles are asked for apart: they may cost more than the means.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msj.analysis.base import BoundAnalysis, ResponseAnalysis, TermAnalysis, mean_time_alone
from msj.analysis.chain_cost import in_words
from msj.analysis.exact_response import open_at
from msj.analysis.open_fcfs import MEMORY_LIMIT, OpenSystem
from msj.analysis.reset import (
    difference_row,
    predicted_mean_response_time,
    relative_arrivals,
    require_stable,
    reset_row,
)
from msj.answers.question import SystemLike, as_system
from msj.answers.saturated import analyses, that_apply, why_none
from msj.answers.simulated import simulated
from msj.answers.threshold import UNANSWERED, Threshold, exact_threshold
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, NotAccurate, NotSupported, TooLarge
from msj.model import System
from msj.results import Outcome, Quantity
from msj.results.units import said

MEANS = ("mean_response_time", "mean_waiting_time", "waiting_probability")


@dataclass(frozen=True, kw_only=True)
class Response:
    """Rows at an arrival rate; where there are none, ``failure`` says why, and ``notes`` what else to know."""

    rows: tuple[Quantity, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    failure: Failure | None = None
    reset_difference: Callable[[], float] | None = None

    def find(self, name: str, job_class: str | None = None, level: float | None = None) -> Quantity | None:
        """Return the row of that name, class and level, the surer first."""
        key = (name, job_class, level)
        return next((row for row in self.rows if (row.name, row.job_class, row.level) == key), None)


def exact_response(
    system: System,
    rate: float,
    effort: Effort,
    *,
    exact: bool | None = None,
    percentiles: bool | None = None,
) -> Response:
    """Return exact response times at a rate below the threshold.

    ``exact`` and ``percentiles``: True asks whatever it costs, False leaves out, None asks within the effort and says
    in a note what is left out. Where no exact analysis applies there are no rows.
    """
    able = sorted(that_apply(ResponseAnalysis, system), key=lambda a: a.cost(system).operations)
    if not able:
        if exact:
            raise NotSupported(why_none(analyses(ResponseAnalysis), system))
        return Response(failure=Failure.NOT_SUPPORTED)
    analysis = able[0]
    cost = analysis.cost(system)
    if not (exact or percentiles or effort.allows(cost)):
        note = f"Exact response times are left out: they would take {in_words(cost)}; ask with exact (--exact)."
        return Response(notes=(note,), failure=Failure.TOO_LARGE)
    notes = []
    no_percentiles = analysis.why_no_percentiles(system)
    try:
        wanted = percentiles is not False and no_percentiles is None
        if wanted and percentiles is None and not effort.allows(tails := analysis.percentile_cost(system)):
            wanted = False
            notes.append(f"Percentiles are left out: they would take {in_words(tails)}; ask with --percentiles.")
        found = analysis.at_rate(system, rate, percentiles=wanted)
    except (TooLarge, NotAccurate) as error:
        if exact or percentiles:
            raise
        return Response(notes=(f"Exact response times are left out: {error}.",), failure=error.failure)
    if percentiles and no_percentiles is not None:
        notes.append(f"{no_percentiles[0].upper()}{no_percentiles[1:]}.")
    return Response(
        rows=found.rows, facts=found.facts, notes=(*notes, *found.notes), reset_difference=found.reset_difference
    )


def response(
    system: System,
    threshold: Threshold | None,
    effort: Effort,
    root: np.random.SeedSequence | None,
    *,
    wants: Collection[str] = MEANS,
    percentiles: bool | None = False,
    workers: int = 1,
) -> Response:
    """Return response times at the rate the system gives: exact within the effort, else simulated.

    Parameters
    ----------
    system
        The cluster, with an ``arrival_rate``.
    threshold
        What is known of its threshold; None if nothing is.
    effort
        What may be spent on exact answers, and how long a simulation may be.
    root
        Seed of a simulation; a fresh one if None.
    wants
        The quantities asked for; if exact analyses give only some of them, the others are simulated.
    percentiles
        As for :func:`exact_response`; simulations give them anyway.
    workers
        How many cores a simulation may use.
    """
    rate = float(system.arrival_rate)  # type: ignore[arg-type]
    if threshold is not None and rate >= threshold.highest:
        return Response(failure=Failure.UNSTABLE, notes=(not_below(rate, threshold.highest, system.time_unit),))
    try:
        exact = exact_response(system, rate, effort, percentiles=percentiles)
    except UNANSWERED as error:
        exact = Response(notes=(f"There are no exact response times: {error.message}.",))
    if all(exact.find(name) is not None for name in wants):
        return exact
    # A bracket is too vague to forbid a load, or to know the memory by.
    known = None if threshold is None or threshold.stability_threshold.bracket else threshold.value
    run = simulated(system, effort, root, threshold=known, workers=workers)
    if run.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    failure = FAILURES.get(run.outcome)
    surer = {(row.name, row.job_class, row.level) for row in exact.rows}
    rows = exact.rows + tuple(row for row in run if (row.name, row.job_class, row.level) not in surer)
    return Response(
        rows=() if failure is Failure.UNSTABLE else rows,
        facts={**run.provenance, **exact.facts},
        notes=run.notes,  # what exact methods would have cost is no news beside the simulated answer
        failure=failure,
    )


#: Simulations that ended without what was asked for.
FAILURES = {
    Outcome.UNSTABLE: Failure.UNSTABLE,
    Outcome.OUT_OF_TIME: Failure.OUT_OF_TIME,
    Outcome.TOO_SHORT: Failure.TOO_FEW_JOBS,
}


def not_below(rate: float, threshold: float, time_unit: str | None) -> str:
    """Say that a rate is too much."""
    most = said(threshold, "1/time", time_unit)
    return (
        f"The arrival rate {rate:.6g} is not below the stability threshold {most}: there is no steady state, "
        "so nothing is said about response times."
    )


def predicted(system: System, rate: float, threshold: Threshold) -> Response:
    """Return the RESET prediction where Delta(Y_d) is known; a note where it is no use."""
    delta = threshold.relative_completions
    if delta is None:
        return Response()
    arrivals, why = relative_arrivals(system)
    if why is not None:
        return Response(notes=(f"The RESET prediction is left out: {why}.",))
    value = predicted_mean_response_time(rate, threshold.value, delta.value + arrivals)
    alone = mean_time_alone(system)
    notes = []
    if alone is not None and value < alone:
        notes.append(
            f"The RESET prediction is below the mean duration {said(alone, 'time', system.time_unit)}: at this load "
            "the bounded term it leaves "
            "open is larger than the prediction itself; it is meant for loads near the threshold."
        )
    return Response(rows=(reset_row(value),), notes=tuple(notes))


def beside_prediction(found: Response, prediction: Response) -> tuple[Quantity, ...]:
    """Return the rows of both, with their difference where both are known."""
    stay = found.find("mean_response_time")
    if not prediction.rows or stay is None or stay.kind != "exact":
        return (*prediction.rows, *found.rows)
    ask = found.reset_difference
    try:
        difference = stay.value - prediction.rows[0].value if ask is None else ask()
    except NotAccurate:  # phases that do not reach each other: subtract, at the cost of some digits
        difference = stay.value - prediction.rows[0].value
    return (*prediction.rows, difference_row(difference), *found.rows)


def bounds(system: System, rate: float) -> list[Quantity]:
    """Return the bounds of every analysis that knows some."""
    return [row for analysis in that_apply(BoundAnalysis, system) for row in analysis.at_rate(system, rate)]


def terms(system: System, rate: float) -> list[Quantity]:
    """Return what bounds and limits are made of."""
    return [row for analysis in that_apply(TermAnalysis, system) for row in analysis.terms(system, rate)]


def open_system(system: SystemLike, *, memory_limit: float = MEMORY_LIMIT) -> OpenSystem:
    """Solve the open FCFS system at the load it gives.

    Examples
    --------
    >>> import msj
    >>> solved = msj.open_system("examples/two_servers.toml")
    >>> round(solved.mean_jobs_in_system / solved.arrival_rate, 6)
    7.517772
    >>> solved.law.level_masses(last=2).round(6).tolist()
    [0.169337, 0.151854, 0.108602]
    """
    system = as_system(system)
    threshold = exact_threshold(system, Effort(operations=np.inf, bytes=np.inf), completions=False).value
    rate = system.arrival_rate_at(threshold)
    if rate is None:
        raise InvalidInput("no load is given; set arrival_rate, load or utilisation")
    require_stable(rate, threshold)
    return open_at(system, rate, memory_limit=memory_limit)
