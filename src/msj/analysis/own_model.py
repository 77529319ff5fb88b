"""A finite-skip model of a user's own (``fronts.FrontModel``): threshold, RESET prediction, exact response times."""

from __future__ import annotations

import time
from typing import Any

from msj.analysis.finite_skip_chain import CITATION
from msj.analysis.finite_skip_response import front_at_rate, require_room
from msj.analysis.front_waiting import why_no_percentiles
from msj.analysis.reset import predicted_mean_response_time, require_stable, reset_row
from msj.errors import InvalidInput, TooLarge
from msj.fronts.compiled_fronts import saturated_fronts
from msj.fronts.front_chain import open_front
from msj.fronts.front_model import FrontModel
from msj.markov import solve
from msj.results import Outcome, Quantity, Result, provenance


def analyse_model(
    model: FrontModel[Any, Any],
    *,
    arrival_rate: float | None = None,
    load: float | None = None,
    name: str = "model",
    percentiles: bool | None = None,
) -> Result:
    """Return threshold, RESET prediction and exact response time of a finite-skip model of your own.

    Percentiles come with it where the model has them (``FrontModel.starts_at_once``), unless ``percentiles`` is False.
    If the open system is too large, a note says so and the rest is returned.

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
        rows.append(reset_row(predicted_mean_response_time(rate, run.throughput, delta)))
        several = model.class_names if len(model.class_names) > 1 else [""]
        try:
            require_room(chain.states)
            found = front_at_rate(model, open_front(model), rate, several, percentiles=percentiles is not False)
            rows += found.rows
            facts |= found.facts
            notes += found.notes
        except TooLarge as error:
            notes.append(f"Exact response times are left out: {error}.")
        reason = why_no_percentiles(model)
        if percentiles and reason is not None:
            notes.append(f"{reason[0].upper()}{reason[1:]}.")
    return Result(
        system={"name": name, "arrival_rate": rate},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **facts),
        notes=tuple(notes),
    )
