"""Mean response time against load, from an empty cluster to the edge of stability, in one call.

The saturated chain and the blocks of the open system do not depend on the arrival rate: they are made once and serve
every load. As the load goes to 0 a job meets nobody, and E[T] is its mean duration under FCFS; under another
finite-skip policy or model (a shared machine, a set-up time) it is what the open system gives at a load of 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.analysis.exact_response import ExactResponse, arriving, open_model
from msj.analysis.finite_skip_chain import QBD, FiniteSkipChain, front_rows
from msj.analysis.open_fcfs import solve_open
from msj.analysis.reset import predicted_mean_response_time
from msj.analysis.saturated import solve_saturated
from msj.errors import InvalidInput
from msj.markov.blas import blas_threads
from msj.model import System
from msj.model.numbers import number
from msj.results import Progress, Watch

Vector = NDArray[np.float64]
NOBODY_ELSE = 1e-9  # a load at which a job meets nobody
USUAL_LOADS = (*np.round(np.arange(0, 0.95, 0.05), 2).tolist(), 0.95, 0.97, 0.98, 0.99, 0.995, 0.999)


@dataclass(frozen=True, kw_only=True, eq=False)
class ResponseCurve:
    """Arrays over the loads: exact and predicted mean response time, per class too."""

    system: System
    stability_threshold: float
    loads: Vector
    arrival_rates: Vector
    mean_response_time: Vector
    mean_response_time_by_class: Vector  # loads × classes
    waiting_probability: Vector | None  # None where only means are known
    predicted_mean_response_time: Vector
    residual: Vector
    method: str
    citation: str
    threshold_method: str

    @property
    def difference(self) -> Vector:
        """Exact minus predicted: the bounded term the prediction leaves open."""
        return np.asarray(self.mean_response_time - self.predicted_mean_response_time)


def response_curve(
    system: System,
    loads: Iterable[float] = USUAL_LOADS,
    *,
    progress: Watch | None = None,
) -> ResponseCurve:
    """Return E[T] exactly at each of ``loads`` (shares of the threshold, 0 included), with the RESET prediction.

    Examples
    --------
    >>> import msj
    >>> curve = response_curve(msj.read("examples/two_servers.toml"), loads=[0, 0.5, 0.8, 0.95])
    >>> curve.mean_response_time.round(6).tolist()
    [1.333333, 2.815423, 7.517772, 31.320377]
    """
    wanted = [float(number(load, "load")) for load in loads]
    if not wanted:
        raise InvalidInput("no loads are given; give at least one, such as 0.5")
    for load in wanted:
        if not 0 <= load < 1:
            raise InvalidInput(f"load = {load:g} must be at least 0 and below 1, the stability threshold")
    if FiniteSkipChain().supports(system) is None:
        return _front_curve(system, wanted, progress)
    return _fcfs_curve(arriving(system), wanted, progress)


def _fcfs_curve(system: System, wanted: list[float], progress: Watch | None) -> ResponseCurve:
    model = open_model(system)
    saturated, _ = solve_saturated(system, "chain")
    threshold, delta = saturated.stability_threshold, saturated.relative_completions_at_departure
    assert delta is not None  # the chain always gives it
    shares = np.array([float(c.share) for c in system.classes])
    durations = np.array([float(c.duration.mean) for c in system.classes])
    exact, by_class, waits, predicted, residual = [], [], [], [], []
    with blas_threads(1):
        for done, load in enumerate(wanted):
            if progress is not None:
                progress(Progress(done=done / len(wanted), words=f"load {load:g}"))
            rate = load * threshold
            predicted.append(predicted_mean_response_time(rate, threshold, delta))
            if load == 0:
                exact.append(float(shares @ durations))
                by_class.append(durations)
                waits.append(0.0)
                residual.append(0.0)
                continue
            solved = solve_open(system, model, rate)
            exact.append(solved.mean_jobs_in_system / rate)
            by_class.append(solved.mean_waiting_time + durations)
            waits.append(float(shares @ solved.waiting_probability))
            residual.append(solved.law.residual)
    return ResponseCurve(
        system=system,
        stability_threshold=threshold,
        loads=np.array(wanted),
        arrival_rates=threshold * np.array(wanted),
        mean_response_time=np.array(exact),
        mean_response_time_by_class=np.array(by_class),
        waiting_probability=np.array(waits),
        predicted_mean_response_time=np.array(predicted),
        residual=np.array(residual),
        method="QBD",
        citation=ExactResponse.citation,
        threshold_method=saturated.method,
    )


def _front_curve(system: System, wanted: list[float], progress: Watch | None) -> ResponseCurve:
    saturated, _ = solve_saturated(system, "chain")
    threshold, delta = saturated.stability_threshold, saturated.relative_completions_at_departure
    assert delta is not None  # the chain always gives it
    exact, by_class, residual = [], [], []
    for done, load in enumerate(wanted):
        if progress is not None:
            progress(Progress(done=done / len(wanted), words=f"load {load:g}"))
        rows, error, _ = front_rows(system, max(load, NOBODY_ELSE) * threshold, percentiles=False)
        means = {row.job_class: row.value for row in rows if row.name == "mean_response_time"}
        exact.append(means[None])
        # One class alone has no rows of its own, one that never arrives no response time.
        alone = means[None] if len(system.active_classes) == 1 else 0.0
        by_class.append([means.get(c.name, alone if c.share > 0 else 0.0) for c in system.classes])
        residual.append(error)
    rates = threshold * np.array(wanted)
    return ResponseCurve(
        system=system,
        stability_threshold=threshold,
        loads=np.array(wanted),
        arrival_rates=rates,
        mean_response_time=np.array(exact),
        mean_response_time_by_class=np.array(by_class),
        waiting_probability=None,
        predicted_mean_response_time=np.array([predicted_mean_response_time(r, threshold, delta) for r in rates]),
        residual=np.array(residual),
        method="QBD of the front",
        citation=QBD,
        threshold_method=saturated.method,
    )
