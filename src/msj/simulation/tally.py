"""What is remembered of many jobs: sums per class and two sketches. Tallies of disjoint jobs add.

Waiting time is the time a job is present and not served: for a job that was never preempted, start − arrival, else
finish − arrival − duration. It waits at all if it does not start on arrival. Slowdown is response time over duration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msj.engines.completed import Completed
from msj.simulation.sketch import BINS, SHIFT, Sketch

COLUMNS = ("jobs", "response", "waiting", "waited", "work", "slowdown", "preemptions")
NO_PREEMPTIONS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Tally:
    """Sums over jobs (one row per class), sketches per class, and the time they stand for."""

    sums: NDArray[np.float64]
    waiting: tuple[Sketch, ...]
    response: tuple[Sketch, ...]
    time: float
    wasted_area: float
    present: float  # jobs in the system at the end

    @classmethod
    def total(cls, tallies: Sequence[Tally]) -> Tally:
        """Add tallies of jobs that came one after the other."""
        return cls(
            np.sum([tally.sums for tally in tallies], axis=0),
            tuple(Sketch.total(rows) for rows in zip(*(tally.waiting for tally in tallies), strict=True)),
            tuple(Sketch.total(rows) for rows in zip(*(tally.response for tally in tallies), strict=True)),
            sum(tally.time for tally in tallies),
            sum(tally.wasted_area for tally in tallies),
            tallies[-1].present,
        )

    def column(self, name: str, job_class: int | None = None) -> float:
        """Return a sum over all jobs or over one class."""
        values = self.sums[:, COLUMNS.index(name)]
        return float(values.sum() if job_class is None else values[job_class])


class Counter:
    """Counts jobs as they come out of a kernel, until a tally is taken."""

    def __init__(self, *, classes: int, lowest: int) -> None:
        self.lowest = lowest
        self.sums = np.zeros((classes, len(COLUMNS)))
        self.histograms = np.zeros((2, classes, BINS), dtype=np.int64)

    def add(self, done: Completed) -> None:
        """Count jobs."""
        _count(
            done.arrival,
            done.job_class,
            done.need,
            done.duration,
            done.start,
            done.finish,
            NO_PREEMPTIONS if done.preemptions is None else done.preemptions,
            self.lowest,
            self.sums,
            self.histograms,
            np.empty(2),
        )

    def take(self, *, time: float, wasted_area: float, present: float) -> Tally:
        """Return what was counted and begin again."""
        sketches = [tuple(Sketch.of(self.lowest, row) for row in rows) for rows in self.histograms]
        tally = Tally(self.sums.copy(), sketches[0], sketches[1], time, wasted_area, present)
        self.sums[:] = 0.0
        self.histograms[:] = 0
        return tally


@njit(cache=True, error_model="numpy")
def _count(
    arrival: NDArray[np.float64],
    job_class: NDArray[np.int64],
    need: NDArray[np.int64],
    duration: NDArray[np.float64],
    start: NDArray[np.float64],
    finish: NDArray[np.float64],
    preemptions: NDArray[np.int64],
    lowest: int,
    sums: NDArray[np.float64],
    histograms: NDArray[np.int64],
    pair: NDArray[np.float64],
) -> Any:
    bits = pair.view(np.int64)
    top = histograms.shape[2] - 1
    for i in range(len(arrival)):
        c = job_class[i]
        waiting = start[i] - arrival[i]
        response = finish[i] - arrival[i]
        row = sums[c]
        row[0] += 1.0
        row[3] += 1.0 if waiting > 0.0 else 0.0
        if len(preemptions) and preemptions[i] > 0:
            waiting = max(response - duration[i], waiting)
            row[6] += preemptions[i]
        row[1] += response
        row[2] += waiting
        row[4] += need[i] * duration[i]
        row[5] += response / duration[i]
        pair[0] = waiting
        pair[1] = response
        histograms[0, c, min(max((bits[0] >> SHIFT) - lowest, 0), top)] += 1
        histograms[1, c, min(max((bits[1] >> SHIFT) - lowest, 0), top)] += 1
