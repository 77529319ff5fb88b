"""All that is known about a system without simulating it, in one call."""

from __future__ import annotations

from typing import Any

from msj.analysis.base import Saturated, mean_time_alone, rows_of
from msj.analysis.exact_response import (
    ExactResponse,
    difference_row,
    estimated_seconds,
    mean_rows,
    open_system,
    percentile_rows,
)
from msj.analysis.finite_skip_chain import FiniteSkipChain, front_rows
from msj.analysis.finite_skip_chain import estimated_seconds as estimated_front_seconds
from msj.analysis.percentile_row import CITATION
from msj.analysis.reset import predicted_mean_response_time
from msj.analysis.saturated import Method, solve_saturated
from msj.analysis.saturated_chain import saturate
from msj.analysis.wcfs_bounds import ResponseTimeBounds, bound_rows
from msj.answers.question import SystemLike, as_system, question
from msj.disciplines.fcfs import is_fcfs
from msj.errors import TooLarge
from msj.fronts.fcfs_counts import MOST_STATES, number_of_states
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.model.numbers import whole
from msj.results import Outcome, Progress, Quantity, Result, Watch, provenance

WORTH_THE_WAIT = 10.0  # seconds: what is not asked for and takes longer is left out, with a note


@question
def analyse(
    system: SystemLike,
    *,
    method: Method = "auto",
    exact: bool | None = None,
    percentiles: bool | None = None,
    states: int = 0,
    law: int | None = None,
    progress: Watch | None = None,
) -> Result:
    """Return threshold and waste and, if a load is given, response times: exact and predicted.

    Parameters
    ----------
    system
        The cluster, or the file that describes it.
    method
        ``"auto"`` uses a closed form where one applies and the chain elsewhere; ``"chain"`` and ``"closed-form"``
        force either.
    exact, percentiles
        Whether to solve the open system for exact response times, and for their percentiles. None does so where it
        takes seconds.
    states
        How many of the likeliest saturated states to list, with their probabilities and relative completions.
    law
        List P(0), ..., P(law jobs in the system) too.
    progress
        Told before something takes unusually long.

    Examples
    --------
    >>> import msj
    >>> result = msj.analyse("examples/two_servers.toml")
    >>> round(result["stability_threshold"], 12), round(result["wasted_servers"], 12)
    (0.9, 0.2)
    >>> round(result["mean_response_time"], 6), round(result["predicted_mean_response_time"], 6)
    (7.517772, 7.944444)
    """
    system = as_system(system)
    warn_of_waiting(system, progress)
    saturated, notes = solve_saturated(system, method)
    threshold, *others = rows_of(saturated)
    naive = Quantity(
        name="naive_threshold",
        value=system.naive_threshold,
        kind="bound",
        method="servers / E[need x duration]",
        citation="twoclass, section 1",
    )
    rows = [threshold, naive, *others]
    facts = dict(saturated.facts)
    rate = system.arrival_rate_at(saturated.stability_threshold)
    outcome = Outcome.SOLVED
    if rate is None:
        outcome = Outcome.NO_LOAD_GIVEN
    elif rate >= saturated.stability_threshold:
        outcome = Outcome.UNSTABLE
        rows += _load_rows(system, saturated, rate)
        notes.append(
            f"The arrival rate {rate:.6g} is not below the stability threshold {saturated.stability_threshold:.6g}: "
            "there is no steady state, so nothing is said about response times."
        )
    else:
        rows += _at_load(system, saturated, rate, exact, percentiles, facts, notes)
    if states:
        rows += _state_rows(system, whole(states, "states"))
    if law is not None and outcome is not Outcome.UNSTABLE:
        rows += _law_rows(system, whole(law, "law", least=0))
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=outcome,
        provenance=provenance(**facts),
        notes=tuple(notes),
    )


def warn_of_waiting(system: System, progress: Watch | None) -> None:
    """Say so before a chain that takes a while."""
    if progress is None or not is_fcfs(system) or why_not_phase_type(system) is not None:
        return
    if 50_000 < (states := number_of_states(system)) <= MOST_STATES:
        progress(Progress(done=0.0, words=f"a chain of {states:,.0f} states: this may take a minute", notice=True))


def _load_rows(system: System, saturated: Saturated, rate: float) -> list[Quantity]:
    """The load in the three ways it can be said."""
    threshold = saturated.stability_threshold
    given = {"arrival_rate": rate, "load": rate / threshold, "utilisation": rate / system.naive_threshold}
    return [Quantity(name=name, value=value, kind="exact", method="definition") for name, value in given.items()]


def _at_load(
    system: System,
    saturated: Saturated,
    rate: float,
    exact: bool | None,
    percentiles: bool | None,
    facts: dict[str, Any],
    notes: list[str],
) -> list[Quantity]:
    rows = _load_rows(system, saturated, rate)
    delta, predicted = saturated.relative_completions_at_departure, None
    if delta is not None:
        predicted = predicted_mean_response_time(rate, saturated.stability_threshold, delta)
        rows.append(reset_row(predicted))
        alone = mean_time_alone(system)
        if alone is not None and predicted < alone:
            notes.append(
                f"The RESET prediction is below the mean duration {alone:.6g}: at this load the bounded term it leaves "
                "open is larger than the prediction itself; it is meant for loads near the threshold."
            )
    if ResponseTimeBounds().supports(system) is None:
        rows += bound_rows(system, rate)
    return rows + _exact_rows(system.replace(arrival_rate=rate), exact, percentiles, predicted, facts, notes)


def reset_row(predicted: float) -> Quantity:
    """Row of the RESET prediction."""
    return Quantity(
        name="predicted_mean_response_time",
        value=predicted,
        kind="asymptotic",
        method="RESET/MARC",
        citation="reset, Theorem 4.2",
    )


def _state_rows(system: System, most: int) -> list[Quantity]:
    """The likeliest states of the saturated system."""
    solved = saturate(system)
    columns = {
        "state_probability": solved.time_average,
        "state_probability_at_departure": solved.departure_average,
        "relative_completions": solved.relative_completions,
    }
    rows = []
    for s in solved.time_average.argsort()[::-1][:most]:
        state = ", ".join(
            f"{count} {label}" for label, count in zip(solved.labels, solved.counts[s], strict=True) if count
        )
        rows += [
            Quantity(
                name=name,
                value=float(values[s]),
                kind="exact",
                method="saturated chain",
                citation="reset, sections 3.5-3.11",
                at={"state": state},
            )
            for name, values in columns.items()
        ]
    return rows


def _law_rows(system: System, last: int) -> list[Quantity]:
    """P(n jobs in the system) for n up to ``last``."""
    masses = open_system(system).law.level_masses(last=last).tolist()
    return [
        Quantity(
            name="jobs_in_system_probability", value=mass, kind="exact", method="QBD", citation=CITATION, at={"jobs": n}
        )
        for n, mass in enumerate(masses)
    ]


def _exact_rows(
    system: System,
    exact: bool | None,
    percentiles: bool | None,
    predicted: float | None,
    facts: dict[str, Any],
    notes: list[str],
) -> list[Quantity]:
    if exact is not False and FiniteSkipChain().supports(system) is None:
        return _front_rows(system, exact, percentiles, predicted, facts, notes)
    reason = ExactResponse().supports(system)
    if exact is False or (exact is None and reason is not None):
        return []
    means, tails = estimated_seconds(system) if reason is None else (0.0, 0.0)
    if exact is None and not percentiles and means > WORTH_THE_WAIT:
        how_long = f"about {means:.0f} seconds" if means < 3600 else "too long"
        notes.append(f"Exact response times are left out: they would take {how_long}; ask with exact (--exact).")
        return []
    solved = open_system(system)
    facts |= {"phases": max(solved.model.level_sizes), "levels": len(solved.model.level_sizes)}
    facts |= {"exact_residual": solved.law.residual, "little_gap": solved.little_gap}
    rows = list(mean_rows(solved))
    if predicted is not None:
        rows.insert(0, difference_row(rows[0].value - predicted))
    if percentiles or (percentiles is None and tails <= WORTH_THE_WAIT):
        rows += percentile_rows(solved)
    elif percentiles is None:
        notes.append(f"Percentiles are left out: they would take about {tails:.0f} seconds; ask with --percentiles.")
    return rows


def _front_rows(
    system: System,
    exact: bool | None,
    percentiles: bool | None,
    predicted: float | None,
    facts: dict[str, Any],
    notes: list[str],
) -> list[Quantity]:
    """Rows for a finite-skip model or a policy other than FCFS."""
    assert system.arrival_rate is not None
    seconds = estimated_front_seconds(system)
    if exact is None and not percentiles and WORTH_THE_WAIT < seconds < float("inf"):
        notes.append(
            f"Exact response times are left out: they would take about {seconds:.0f} seconds; ask with --exact."
        )
        return []
    try:
        rows, facts["exact_residual"], more = front_rows(system, float(system.arrival_rate), percentiles=percentiles)
    except TooLarge as error:
        if exact:
            raise
        notes.append(f"Exact response times are left out: {error}.")
        return []
    notes += more
    return [difference_row(rows[0].value - predicted), *rows] if predicted is not None else rows
