"""All that is known about a system, in one call."""

from __future__ import annotations

import time
from typing import Literal

from msj.analysis.base import Saturated, SaturatedAnalysis, rows_of
from msj.analysis.reset import predicted_mean_response_time, require_stable
from msj.errors import NotSupported
from msj.model import System
from msj.registry import ANALYSES
from msj.results import Outcome, Quantity, Result, provenance

Method = Literal["auto", "chain", "closed-form"]


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
    saturated = _saturated(system, method)
    rows = rows_of(saturated, ["stability_threshold"])
    rows.append(
        Quantity(
            name="naive_threshold",
            value=system.naive_threshold,
            kind="bound",
            method="servers / E[need x duration]",
            citation="twoclass, section 1",
        )
    )
    names = ["wasted_servers", "saturated_utilisation", "relative_completions_at_departure"]
    rows += rows_of(saturated, names)
    rate = system.arrival_rate_at(saturated.stability_threshold)
    if rate is not None:
        rows += _at_load(system, saturated, rate)
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if rate is not None else Outcome.NO_LOAD_GIVEN,
        provenance=provenance(seconds=round(time.perf_counter() - started, 6), **saturated.facts),
    )


def _saturated(system: System, method: Method) -> Saturated:
    reasons = []
    for analysis in ANALYSES:
        if isinstance(analysis, type) and issubclass(analysis, SaturatedAnalysis):
            reason = analysis().supports(system)
            if reason is None:
                return analysis().saturate(system)
            reasons.append(f"{analysis.name}: {reason}")
    raise NotSupported("; ".join(reasons))


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
