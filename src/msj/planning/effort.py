"""What is worth computing unasked: chains that take seconds, and simulations long enough to mean something.

A simulation starts empty and must forget that. Each replication must last many times the longest mean duration plus the
relaxation time 2·V/d² of the work in the queue, V the variance of the work that arrives per unit of time and
d = (lambda* − lambda)·E[need × duration] the rate at which a full cluster works it off (reflected Brownian motion, up
to a constant). Near the threshold, and for a million servers, that may be more jobs than anybody wants to wait for.
"""

from __future__ import annotations

import math

from msj.analysis.saturated import WORTH_THE_WAIT, saturated_analyses
from msj.answers import analyse
from msj.disciplines.fcfs import is_fcfs
from msj.errors import TooLarge
from msj.fronts.fcfs_counts import number_of_states
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.results import Result

MOST_JOBS = 5_000_000
MOST_MOVES = 1_000_000  # states times classes: some seconds
MEMORIES = 20  # a replication lasts at least so many times what the cluster remembers


def analyse_quickly(system: System, *, percentiles: bool | None = None) -> Result:
    """Analyse a system, or say that its chain is too large to be solved unasked.

    Examples
    --------
    >>> import msj
    >>> round(analyse_quickly(msj.read("examples/two_servers.toml"))["stability_threshold"], 12)
    0.9
    """
    closed = any(analysis.closed_form and analysis.supports(system) is None for analysis in saturated_analyses())
    plain = is_fcfs(system) and why_not_phase_type(system) is None
    if plain and not closed:
        states, classes = number_of_states(system), len(system.active_classes)
        if states > WORTH_THE_WAIT or states * classes > MOST_MOVES:
            raise TooLarge(
                f"the exact chain of {classes} classes has {states:,.0f} states and would take long; "
                "msj analyse solves it if it fits"
            )
    return analyse(system, percentiles=percentiles)


def enough_jobs(
    system: System, arrival_rate: float, jobs: int, *, replications: int, stability_threshold: float | None = None
) -> int:
    """Return ``jobs``, or as many more as a simulation needs to forget its empty start.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> enough_jobs(system, 0.81, 10_000, replications=20, stability_threshold=0.9) // 1000
    195
    """
    least = replications * MEMORIES * _memory(system, arrival_rate, stability_threshold) * arrival_rate
    if not least <= MOST_JOBS:
        raise TooLarge(
            f"{least:.3g} jobs would have to be simulated for {system.servers:,} servers at this load to settle, more "
            f"than {MOST_JOBS:,}; ask msj simulate for that many, or about a smaller cluster"
        )
    return max(jobs, math.ceil(least))


def _memory(system: System, arrival_rate: float, stability_threshold: float | None) -> float:
    """Return over which time the cluster forgets its past: the longest mean duration plus 2V/d²."""
    longest = max(float(c.duration.mean) for c in system.active_classes)
    threshold = system.naive_threshold if stability_threshold is None else stability_threshold
    spare = (threshold - arrival_rate) * system.mean_work
    variance = arrival_rate * sum(float(c.share) * c.need**2 * c.duration.second_moment for c in system.active_classes)
    if not math.isfinite(variance) or spare <= 0:  # nothing is known of heavy tails; an overloaded queue never settles
        return longest
    return longest + 2.0 * variance / spare**2
