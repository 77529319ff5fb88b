"""A simulation as an answer: how long it lasts where nobody says, and what the exact side knows handed down.

A simulation starts empty and must forget that; how long that takes follows from the load and the threshold
(``simulation.memory``). So what is simulated unasked is as long as the cluster's memory demands, between a million jobs
and :data:`MOST_JOBS`; an effort that names a number of jobs is taken at its word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from msj.answers.known import known_of
from msj.answers.threshold import exceeded
from msj.effort import Effort
from msj.model import System
from msj.results import Result
from msj.simulation import Known, compare_at_rate, simulate_at_rate
from msj.simulation.plan import Pace
from msj.simulation.question import arrival_rate_of

LEAST_JOBS, MOST_JOBS = 1_000_000, 20_000_000
LONGER = 2.0  # times what is enough for an interval: a little more, that it be a useful one


def simulated(
    system: System,
    effort: Effort,
    root: np.random.SeedSequence | None,
    *,
    threshold: float | None = None,
    workers: int = 1,
) -> Result:
    """Simulate a system at the rate it gives; ``threshold`` is lambda* where it is known."""
    threshold = exceeded(system) if threshold is None else threshold
    jobs = effort.jobs or max(jobs_for_an_interval(system, threshold), LEAST_JOBS)
    return simulate_at_rate(
        system,
        root=np.random.SeedSequence() if root is None else root,
        effort=effort.replace(jobs=jobs),
        known=known_of(system, threshold),
        workers=workers,
    )


def compared(
    system: System,
    policies: Sequence[Any],
    effort: Effort,
    root: np.random.SeedSequence,
    *,
    known: Sequence[float | None],
    workers: int = 1,
) -> Result:
    """Serve the same jobs by each policy, at the rate the system gives; ``known`` are their thresholds."""
    return compare_at_rate(
        system,
        policies,
        root=root,
        effort=effort,
        known={index: known_of(system.replace(policy=policies[index]), each) for index, each in enumerate(known)},
        workers=workers,
    )


def jobs_for_an_interval(system: System, threshold: float | None) -> int:
    """Return how many jobs a simulation takes to be sure of something, but no more than anybody would wait for."""
    pace = Pace.of(system, arrival_rate_of(system), Known(stability_threshold=threshold))
    return math.ceil(min(LONGER * pace.enough, MOST_JOBS))
