"""How unevenly jobs and their work arrive, over windows from minutes to days.

With N(t) the number of arrivals in a window of length t and W(t) their server-time, w that of one job,

    I_N(t) = Var N(t)/E N(t),    I_W(t) = Var W(t)/(E w·E W(t)).

If jobs know nothing of each other or of when they come, I_W(t) = I_N(t) + c² with c the cv of w. In logs it is not so:
bursts are often bursts of short jobs, and who has sent much work waits for it before sending more. So I_W(t) − c² is
the dispersion of arrivals that matters to a queue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_WINDOWS = 30  # of the longest length: fewer say nothing about a variance
JOBS_IN_SHORTEST = 2.0
STEP = 2.0  # from one length to the next


@dataclass(frozen=True, kw_only=True, eq=False)
class Dispersion:
    """Indices of dispersion over windows, with standard errors; those of work are less c²."""

    window: NDArray[np.float64]
    jobs: NDArray[np.float64]
    jobs_error: NDArray[np.float64]
    work: NDArray[np.float64]
    work_error: NDArray[np.float64]
    squared_cv: float
    span: float
    count: int


def dispersion_of(submit: NDArray[np.float64], work: NDArray[np.float64]) -> Dispersion:
    """Return the indices of dispersion of the arrivals and of their work."""
    span = float(submit[-1] - submit[0])
    mean, squared_cv = float(work.mean()), float(work.var() / work.mean() ** 2)
    window = windows(span, len(submit))
    rows = []
    for length in window:
        count = int(span // length)
        place = ((submit - submit[0]) // length).astype(np.int64)
        inside = place < count
        jobs = np.bincount(place[inside], minlength=count).astype(np.float64)
        carried = np.bincount(place[inside], weights=work[inside], minlength=count).astype(np.float64)
        rows.append((*_index(jobs, 1.0), *_index(carried, mean)))
    table = np.array(rows).reshape(len(window), 4)
    return Dispersion(
        window=window,
        jobs=table[:, 0],
        jobs_error=table[:, 1],
        work=table[:, 2] - squared_cv,
        work_error=table[:, 3],
        squared_cv=squared_cv,
        span=span,
        count=len(submit),
    )


def windows(span: float, count: int) -> NDArray[np.float64]:
    """Return lengths of windows, each twice the one before: two jobs in the shortest, 30 of the longest."""
    first, last = JOBS_IN_SHORTEST * span / count, span / LEAST_WINDOWS
    steps = np.arange(max(math.floor(np.log(last / first) / np.log(STEP)) + 1, 0), dtype=np.float64)
    return np.asarray(first * STEP**steps)


def _index(values: NDArray[np.float64], unit: float) -> tuple[float, float]:
    """Return variance over mean in units, and its standard error (by the fourth moment)."""
    centred = values - values.mean()
    second, fourth = float((centred**2).mean()), float((centred**4).mean())
    scale = unit * float(values.mean())
    return second / scale, float(np.sqrt(max(fourth - second**2, 0.0) / len(values))) / scale
