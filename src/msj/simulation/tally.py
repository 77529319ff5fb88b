"""What is remembered of a stretch of jobs: sums per class, two sketches, and what the servers did meanwhile.

Waiting time is the time a job is present and not served, or served in vain (``disciplines.restarting``): for a job that
was never preempted, start − arrival, else finish − arrival − duration. It waits at all if it does not start on arrival.
Slowdown is response time over duration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.simulation.sketch import Sketch

COLUMNS = (
    "jobs",
    "response",
    "waiting",
    "waited",
    "slowdown",
    "preemptions",
)


@dataclass(frozen=True)
class Tally:
    """Sums over the jobs that arrived in a stretch of time (one row per class), their sketches, and that time."""

    sums: NDArray[np.float64]
    waiting: Sketch
    response: Sketch
    time: float
    wasted_area: float  # idle servers while jobs waited, integrated over the time
    busy_area: float  # busy servers, integrated over the time
    present: float  # jobs in the system at the end
    controls: NDArray[np.float64]  # sums over the jobs that arrived (:mod:`msj.simulation.controls`); empty without
    by_time_of_day: NDArray[
        np.float64
    ]  # steps of a cycle × jobs, waiting times, jobs that waited; empty without a clock
    areas: NDArray[np.float64]  # integrals over the time that the engine declares; often none

    @classmethod
    def total(cls, tallies: Sequence[Tally]) -> Tally:
        """Add tallies of stretches that came one after the other."""
        if len(tallies) == 1:
            return tallies[0]
        return cls(
            np.sum([tally.sums for tally in tallies], axis=0),
            Sketch.total([tally.waiting for tally in tallies]),
            Sketch.total([tally.response for tally in tallies]),
            sum(tally.time for tally in tallies),
            sum(tally.wasted_area for tally in tallies),
            sum(tally.busy_area for tally in tallies),
            tallies[-1].present,
            np.sum([tally.controls for tally in tallies], axis=0),
            np.sum([tally.by_time_of_day for tally in tallies], axis=0),
            np.sum([tally.areas for tally in tallies], axis=0),
        )

    def column(self, name: str, job_class: int | None = None) -> float:
        """Return a sum over all jobs or over one class."""
        values = self.sums[:, COLUMNS.index(name)]
        return float(values.sum() if job_class is None else values[job_class])
