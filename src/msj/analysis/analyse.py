"""All that is known about a system, in one call."""

from __future__ import annotations

import time
from msj.analysis.base import Saturated, rows_of
from msj.analysis.reset import predicted_mean_response_time, require_stable
from msj.analysis.saturated import Method, solve_saturated
from msj.model import System
from msj.results import Outcome, Quantity, Result, provenance


def analyse(system: System, *, method: Method = "auto") -> Result:
    """Return threshold, waste and, if a load is given, predicted response time.

    Parameters
    ----------
    system
        The cluster.
    method
        ``"auto"`` uses a closed form where one applies and the chain elsewhere; ``"chain"`` and ``"closed-form"``
        force either.

    Examples
    --------
    >>> import msj
    >>> result = msj.analyse(msj.read("examples/two_servers.toml"))
    >>> round(result["stability_threshold"], 12), round(result["wasted_servers"], 12)
    (0.9, 0.2)
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
    rate = system.arrival_rate_at(saturated.stability_threshold)
    if rate is not None:
        rows += _at_load(system, saturated, rate)
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **saturated.facts),
        notes=tuple(notes),
    )


def _at_load(system: System, saturated: Saturated, rate: float) -> list[Quantity]:
    threshold = saturated.stability_threshold
    require_stable(rate, threshold)
    given = {"arrival_rate": rate, "load": rate / threshold, "utilisation": rate / system.naive_threshold}
    rows = [Quantity(name=name, value=value, kind="exact", method="as given") for name, value in given.items()]
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
