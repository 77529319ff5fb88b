"""Arrivals by the clock: a rate for each hour of the day, times a factor for each day of the week.

Rates are jobs over the time that the log spends in that hour of the day; factors, jobs on that weekday over what the
log's mean rate would bring. Where the log does not say what time it is, days and weeks are counted from its second 0.
Over windows of length t, with L the mean number of arrivals in one, I(t) = 1 + Var L/E L, the variance over where in
the week the window begins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from msj.model.arrivals import DailyArrivals

HOUR, DAY, HOURS, DAYS = 3600.0, 86400.0, 24, 7
LEAST_DAYS, LEAST_WEEKS = 4, 3  # of a log from which the hours of a day, and the days of a week, are learned
THURSDAY = 3  # 1970 began on one; weeks begin on Monday
STARTS = 1008  # of windows: every ten minutes of a week


def fit_clock(submit: NDArray[np.float64], begins: float | None) -> DailyArrivals | None:
    """Return the daily cycle; None where the log is too short for one."""
    moment = submit + (0.0 if begins is None else begins + THURSDAY * DAY)
    first, last = float(moment[0]), float(moment[-1])
    if last - first < LEAST_DAYS * DAY:
        return None
    jobs = np.bincount((moment % DAY // HOUR).astype(np.int64), minlength=HOURS)
    hours = jobs / _spent(first, last, HOUR, HOURS)
    weekly: tuple[float, ...] = ()
    if last - first >= LEAST_WEEKS * DAYS * DAY:
        days = np.bincount((moment // DAY).astype(np.int64) % DAYS, minlength=DAYS) / _spent(first, last, DAY, DAYS)
        weekly = tuple(float(f"{factor:.4g}") for factor in days / days.mean())
    if not hours.any():
        return None
    return DailyArrivals(rates=tuple(float(f"{rate:.6g}") for rate in hours), cycle=DAY, weekly=weekly)


def _spent(first: float, last: float, step: float, count: int) -> NDArray[np.float64]:
    """Return how much time between two moments falls into each step of a cycle."""

    def up_to(moment: float) -> NDArray[np.float64]:
        cycles, rest = divmod(moment, step * count)
        return np.asarray(cycles * step + np.clip(rest - step * np.arange(count), 0.0, step))

    return np.asarray(up_to(last) - up_to(first))


def clock_dispersion(clock: DailyArrivals, window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return I(t) of arrivals by the clock."""
    rates, period = clock.all_rates, clock.period
    edges = np.linspace(0.0, period, len(rates) + 1)
    above = np.concatenate([[0.0], np.cumsum(rates * np.diff(edges))])
    starts = np.linspace(0.0, period, STARTS, endpoint=False)

    def up_to(moment: NDArray[np.float64]) -> NDArray[np.float64]:
        cycles, rest = np.divmod(moment, period)
        return np.asarray(cycles * above[-1] + np.interp(rest, edges, above))

    found = []
    for length in window:
        mean = up_to(starts + length) - up_to(starts)
        found.append(1.0 + float(mean.var() / mean.mean()))
    return np.array(found)
