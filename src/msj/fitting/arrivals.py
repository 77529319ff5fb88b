"""When jobs come: Poisson, bursts (MMPP of two states), or by the clock.

Arrivals are Poisson where their dispersions do not contradict it: |I_N(t) − 1| within three standard errors in all
windows. Else each law is judged by the curve of dispersions, that of work (``dispersion``): the nearest is taken, by
the root mean square of the difference of the logarithms. Where work arrives less unevenly than the number of jobs (by
three standard errors in some window), laws are fitted to what the work does, as far as the order of jobs does not
explain it: a queue is of work. Which curve that was is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.fitting.bursts import fit_bursts
from msj.fitting.clock import clock_dispersion, fit_clock
from msj.fitting.dispersion import Dispersion, dispersion_of
from msj.model.arrivals import Arrivals, PoissonArrivals
from msj.registry import nearest

ARRIVALS = ("auto", "poisson", "mmpp", "daily")
SURE = 3.0  # standard errors
LEAST_JOBS = 200  # for anything but Poisson arrivals
FLOOR = 0.05  # a dispersion of this much: logarithms of less say nothing


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedArrivals:
    """Arrivals, how far each law's curve of dispersions is from the log's, and the curves themselves."""

    arrivals: Arrivals
    rate: float
    dispersion: Dispersion
    target: NDArray[np.float64]
    by_work: bool
    distances: dict[str, float]
    how: str


def fit_arrivals(
    submit: NDArray[np.float64],
    work: NDArray[np.float64],
    *,
    begins: float | None = None,
    order_excess: float = 0.0,
    law: str = "auto",
) -> FittedArrivals:
    """Return the law of arrivals; ``order_excess`` is what the order of jobs adds to the dispersion of work.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> submit = np.cumsum(rng.exponential(1.0, 20_000))
    >>> fit_arrivals(submit, rng.exponential(1.0, 20_000)).arrivals.law
    'poisson'
    """
    if law not in ARRIVALS:
        raise InvalidInput(f"arrivals '{law}' is no law to fit; {nearest(law, ARRIVALS)}")
    rate = (len(submit) - 1) / float(submit[-1] - submit[0])
    found = dispersion_of(submit, work)
    carried = found.work - order_excess
    by_work = len(submit) >= LEAST_JOBS and bool(((found.jobs - carried) / found.work_error).max() > SURE)
    target = np.minimum(found.jobs, carried) if by_work else found.jobs
    laws: dict[str, Arrivals] = {"poisson": PoissonArrivals()}
    curves = {"poisson": np.ones(len(found.window))}
    if len(submit) >= LEAST_JOBS:
        bursts = fit_bursts(submit, found.window, target, found.work_error if by_work else found.jobs_error)
        clock = fit_clock(submit, begins)
        if bursts is not None:
            laws["mmpp"], curves["mmpp"] = bursts.arrivals(), bursts.dispersion(found.window)
        if clock is not None:
            laws["daily"], curves["daily"] = clock, clock_dispersion(clock, found.window)
    base = found.squared_cv + order_excess
    distances = {name: _apart(base + curve, base + target) for name, curve in curves.items()}
    if law == "auto":
        law, how = _chosen(found, distances)
    else:
        how = "as asked"
    if law not in laws:
        raise InvalidInput(
            f"arrivals '{law}' cannot be fitted: "
            + ("the log is too short for a daily cycle" if law == "daily" else "jobs do not come in bursts")
            + "; leave it to the default"
        )
    return FittedArrivals(
        arrivals=laws[law], rate=rate, dispersion=found, target=target, by_work=by_work, distances=distances, how=how
    )


def _apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if not len(one):
        return 0.0
    difference = np.log(np.maximum(one, FLOOR)) - np.log(np.maximum(other, FLOOR))
    return float(np.sqrt((difference**2).mean()))


def _chosen(found: Dispersion, distances: dict[str, float]) -> tuple[str, str]:
    # The variance of a variance: of so many windows with Poisson counts, about 2/windows.
    error = np.sqrt((2.0 + 1.0 / np.maximum(_mean_jobs(found), 1e-9)) / _windows(found))
    if len(found.window) == 0 or bool((np.abs(found.jobs - 1.0) <= SURE * error).all()):
        return "poisson", "the number of jobs in windows of any length varies as it does by chance"
    nearest_one = min(distances, key=distances.__getitem__)
    apart = ", ".join(f"{name} {value:.2f}" for name, value in distances.items())
    return nearest_one, f"nearest to how work arrives (difference of log dispersions: {apart})"


def _windows(found: Dispersion) -> NDArray[np.float64]:
    return np.asarray(found.span // found.window)


def _mean_jobs(found: Dispersion) -> NDArray[np.float64]:
    return np.asarray(found.count * found.window / found.span)
