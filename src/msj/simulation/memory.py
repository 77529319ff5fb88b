"""Over which time a cluster forgets its past, and how many jobs a simulation needs to outlast it."""

from __future__ import annotations

import math

from msj.model import System

MEMORIES = 40
REPLICATIONS = 20


def memory_of(system: System, rate: float, threshold: float | None = None) -> float:
    """Return the time over which a cluster forgets its past: longest mean duration plus the queue's own, 2V/d².

    ``threshold`` is lambda*; the naive one stands in for it where it is not known.
    """
    active = system.active_classes
    longest = max(float(c.duration.mean) for c in active)
    variance = rate * sum(float(c.share) * c.need**2 * c.duration.second_moment for c in active)
    drift = ((system.naive_threshold if threshold is None else threshold) - rate) * system.mean_work
    if not math.isfinite(variance) or drift <= 0:  # nothing is known of heavy tails; an overloaded queue never settles
        return longest
    return longest + 2.0 * variance / drift**2


def enough_jobs(system: System, rate: float, threshold: float | None = None) -> int:
    """Return how many jobs a simulation needs to outlast its beginning."""
    return math.ceil(min(REPLICATIONS * MEMORIES * memory_of(system, rate, threshold) * rate, 1e15))
