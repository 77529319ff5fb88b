"""A simulation as an answer: how long it lasts where nobody says, and what the exact side knows handed down.

A simulation starts empty and must forget that; how long that takes follows from the load and the threshold
(``simulation.memory``). So what is simulated unasked is as long as the cluster's memory demands, between a million jobs
and :data:`MOST_JOBS`; an effort that names a number of jobs is taken at its word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msj.effort import Effort
from msj.model import System
from msj.results import Result
from msj.simulation import compare_at_rate, simulate_at_rate
from msj.simulation.memory import enough_jobs
from msj.simulation.simulate import arrival_rate_of

LEAST_JOBS, MOST_JOBS = 1_000_000, 20_000_000


def simulated(
    system: System, effort: Effort, root: np.random.SeedSequence, *, threshold: float | None = None, workers: int = 1
) -> Result:
    """Simulate a system at the rate it gives; ``threshold`` is lambda* where it is known."""
    rate = arrival_rate_of(system)
    jobs = effort.jobs or jobs_unasked(system, rate, threshold)
    return simulate_at_rate(
        system,
        root=root,
        jobs=jobs,
        precision=effort.precision,
        processes=workers,
        progress=effort.progress,
        over=lambda: effort.over,
    )


def compared(
    system: System,
    policies: Sequence[Any],
    effort: Effort,
    root: np.random.SeedSequence,
    *,
    threshold: float | None = None,
    workers: int = 1,
) -> Result:
    """Serve the same jobs by each policy, at the rate the system gives."""
    return compare_at_rate(
        system,
        policies,
        root=root,
        jobs=effort.jobs or jobs_unasked(system, arrival_rate_of(system), threshold),
        processes=workers,
        progress=effort.progress,
        over=lambda: effort.over,
    )


def jobs_unasked(system: System, rate: float, threshold: float | None) -> int:
    """Return how many jobs are simulated where nobody says."""
    return min(max(enough_jobs(system, rate, threshold), LEAST_JOBS), MOST_JOBS)
