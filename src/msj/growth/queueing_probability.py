"""The probability that an arriving job must wait, as it is: exact where the chain is small, simulated elsewhere.

A simulation from an empty cluster must outlast its beginning. What fades away slowest is the longest mean duration or
the queue's own memory, in heavy traffic 2·V/d² with V the variance of the work that arrives per unit of time and
d = (lambda* − lambda)·E[need × duration] the rate at which a full cluster works it off (a reflected Brownian motion's
relaxation time, up to a constant; Harrison 1985). Each replication runs for a hundred times the sum of both and leaves
out its first fifth, so the number of jobs grows with the cluster.

If no job waited at all, the interval is not [0, 0], and where only a few replications saw a wait Student's interval is
too narrow. Cut into stretches as long as that memory, the run holds about T/memory independent ones; a share p of
stretches with a wait would have been missed with probability e^(−p·T/memory), so with 95 % confidence p, and with it
the probability that a job waits, is at most 3·memory/T. Intervals wider than half their value are widened to that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from msj.analysis.exact_response import estimated_seconds, open_system
from msj.errors import MsjError
from msj.model import System
from msj.results import Outcome, Watch
from msj.simulation import simulate_at_rate
from msj.workloads import Rng, seed_sequence

REPLICATIONS = 20
MEMORIES = 100  # how many times its memory a replication runs
WARM_UP = 0.2
LEAST_JOBS = 1_000_000
MOST_JOBS = 100_000_000  # unasked: about a minute; close to saturation even this is too few, and is said to be
RARE = 0.5  # relative half-width beyond which waits are too rare for Student's interval
EXACT_SECONDS = 5.0  # a chain estimated to take longer is left out


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A probability; ``low`` and ``high`` are a simulation's 95 % interval, equal to the value where it is exact."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class QueueingProbability:
    """P(wait) for all jobs and for each class that arrives."""

    overall: Estimate
    by_class: dict[str, Estimate]
    jobs: int = 0  # simulated, warm-up included; 0 where it is exact
    enough_jobs: int = 0  # that outlast the cluster's memory a hundred times
    mean_jobs: dict[str, float] | None = None  # simulated mean number in system, by class

    @property
    def note(self) -> str:
        """A sentence where the simulation was too short to have forgotten its empty beginning, else nothing."""
        if self.jobs >= 0.5 * self.enough_jobs:
            return ""
        return (
            f"{self.jobs:,} jobs are few for this cluster, which began empty: the probability may be too low; "
            f"{self.enough_jobs:,} would be enough"
        )


def memory_of(system: System, rate: float, threshold: float | None = None) -> float:
    """Return the time over which a cluster forgets its past: longest mean duration plus the queue's own.

    ``threshold`` is lambda*; the naive one stands in for it where it is not known.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=1, arrival_rate=0.5, classes=[
    ...     msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))])
    >>> memory_of(system, 0.5)
    9.0
    >>> round(memory_of(msj.read("examples/two_servers.toml"), 0.5, 0.9), 2)
    20.75
    """
    active = system.active_classes
    longest = max(float(c.duration.mean) for c in active)
    variance = rate * sum(float(c.share) * c.need**2 * c.duration.second_moment for c in active)
    drift = ((system.naive_threshold if threshold is None else threshold) - rate) * system.mean_work
    return longest + (2.0 * variance / drift**2 if math.isfinite(variance) else 0.0)


def enough_jobs(
    system: System,
    rate: float,
    *,
    threshold: float | None = None,
    least: int = LEAST_JOBS,
    replications: int = REPLICATIONS,
) -> int:
    """Return how many jobs a simulation needs to outlast its beginning."""
    return max(least, math.ceil(replications * MEMORIES * memory_of(system, rate, threshold) * rate))


def exact_probability(system: System, *, most_seconds: float = EXACT_SECONDS) -> QueueingProbability | None:
    """Return P(wait) from the exact law of the open system; None where its chain is too large or has no answer."""
    if estimated_seconds(system)[0] > most_seconds:
        return None
    try:
        solved = open_system(system)
    except MsjError:
        return None
    values = dict(zip((c.name for c in solved.system.classes), map(float, solved.waiting_probability), strict=True))
    overall = float(solved.shares @ solved.waiting_probability)
    return QueueingProbability(
        overall=Estimate(value=overall, low=overall, high=overall),
        by_class={name: Estimate(value=value, low=value, high=value) for name, value in values.items()},
    )


def simulated_probability(
    system: System,
    rate: float,
    *,
    threshold: float | None = None,
    jobs: int | None = None,
    rng: Rng = None,
    processes: int = 1,
    progress: Watch | None = None,
) -> QueueingProbability | None:
    """Return P(wait) by simulation; None where the queue keeps growing.

    Parameters
    ----------
    system, rate
        The cluster and its arrival rate.
    threshold
        Its stability threshold, where it is known: by that the length of the simulation is chosen.
    jobs
        All replications together; by default :func:`enough_jobs`, but at most 100 million.
    rng, processes, progress
        See :func:`msj.simulate`.
    """
    total = min(enough_jobs(system, rate, threshold=threshold), MOST_JOBS) if jobs is None else jobs
    result = simulate_at_rate(
        system.replace(arrival_rate=rate),
        jobs=total,
        root=seed_sequence(rng),
        replications=REPLICATIONS,
        warm_up=WARM_UP,
        processes=processes,
        progress=progress,
    )
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if result.outcome is Outcome.UNSTABLE:
        return None
    done = result.provenance["jobs"]
    unseen = min(3.0 * memory_of(system, rate, threshold) * rate / ((1.0 - WARM_UP) * done), 1.0)
    names = [c.name for c in system.active_classes]
    rows = {row.job_class: row for row in result if row.name == "waiting_probability"}
    means = {row.job_class: row.value for row in result if row.name == "mean_jobs_in_system"}
    estimates = {}
    for name in (None, *names):
        row = rows.get(name, rows[None])  # the only class is all jobs
        estimates[name] = _with_rare_waits(row.value, row.low or 0.0, 1.0 if row.high is None else row.high, unseen)
    return QueueingProbability(
        overall=estimates[None],
        by_class={name: estimates[name] for name in names},
        jobs=done,
        enough_jobs=enough_jobs(system, rate, threshold=threshold, least=0),
        mean_jobs={name: means.get(name, means[None]) for name in names},
    )


def _with_rare_waits(value: float, low: float, high: float, unseen: float) -> Estimate:
    if high - value > RARE * value or value == 0.0:
        return Estimate(value=value, low=0.0, high=min(max(high, unseen), 1.0))
    return Estimate(value=value, low=low, high=min(high, 1.0))
