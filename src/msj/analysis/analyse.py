"""All that is known about a system, in one call."""

from __future__ import annotations

import time
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
from msj.analysis.reset import predicted_mean_response_time, require_stable
from msj.analysis.saturated import Method, solve_saturated
from msj.analysis.wcfs_bounds import ResponseTimeBounds, bound_rows
from msj.errors import TooLarge
from msj.model import System
from msj.results import Outcome, Quantity, Result, provenance

WORTH_THE_WAIT = 10.0  # seconds: what is not asked for and takes longer is left out, with a note


def analyse(
    system: System, *, method: Method = "auto", exact: bool | None = None, percentiles: bool | None = None
) -> Result:
    """Return threshold and waste and, if a load is given, response times: exact and predicted.

    Parameters
    ----------
    system
        The cluster.
    method
        ``"auto"`` uses a closed form where one applies and the chain elsewhere; ``"chain"`` and ``"closed-form"``
        force either.
    exact, percentiles
        Whether to solve the open system for exact response times, and for their percentiles. None does so where it
        takes seconds.

    Examples
    --------
    >>> import msj
    >>> result = msj.analyse(msj.read("examples/two_servers.toml"))
    >>> round(result["stability_threshold"], 12), round(result["wasted_servers"], 12)
    (0.9, 0.2)
    >>> round(result["mean_response_time"], 6), round(result["predicted_mean_response_time"], 6)
    (7.517772, 7.944444)
    """
    started = time.perf_counter()
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
    if rate is not None:
        rows += _at_load(system, saturated, rate)
        predicted = rows[-1].value if rows[-1].name == "predicted_mean_response_time" else None
        alone = mean_time_alone(system)
        if predicted is not None and alone is not None and predicted < alone:
            notes.append(
                f"The RESET prediction is below the mean duration {alone:.6g}: at this load the bounded term it leaves "
                "open is larger than the prediction itself; it is meant for loads near the threshold."
            )
        if ResponseTimeBounds().supports(system) is None:
            rows += bound_rows(system, rate)
        rows += _exact_rows(system.replace(arrival_rate=rate), exact, percentiles, predicted, facts, notes)
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **facts),
        notes=tuple(notes),
    )


def _at_load(system: System, saturated: Saturated, rate: float) -> list[Quantity]:
    threshold = saturated.stability_threshold
    require_stable(rate, threshold)
    given = {"arrival_rate": rate, "load": rate / threshold, "utilisation": rate / system.naive_threshold}
    rows = [
        Quantity(name=name, value=value, kind="exact", method="as given" if getattr(system, name) else "from the load")
        for name, value in given.items()
    ]
    delta = saturated.relative_completions_at_departure
    if delta is not None:
        rows.append(
            Quantity(
                name="predicted_mean_response_time",
                value=predicted_mean_response_time(rate, threshold, delta),
                kind="asymptotic",
                method="RESET/MARC",
                citation="reset, Theorem 4.2",
            )
        )
    return rows


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
