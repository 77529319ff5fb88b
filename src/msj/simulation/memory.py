"""Over which time a cluster forgets its past: what decides how long a run must be and how sure its means are.

The work in the queue behaves like a Brownian motion with drift −d, reflected at 0: d = (lambda* − lambda)·E[X] is the
rate at which a busy cluster works it off, X = need × duration, and V = lambda*·E[X²] the variance of what comes and
goes per unit of time. Its correlations add up to 2·V/d² (Harrison 1985; for M/M/1 this is 4/(1 − rho)² services, as
in Whitt 1989, *Planning queueing simulations*, Management Science 35). Jobs in service are remembered as long as they
last, so the memory is

    r + 2·V/d²,

r the longest of the classes' mean and mean residual durations, E[S] and E[S²]/(2·E[S]). For waiting times W the mean
over n jobs then has about the relative variance κ/N: N = n/(lambda × memory) independent ones, κ = Var(W)/E[W]².
Measured on exact values this is right to a tenth from half load to 98 % of the threshold.

**Other arrivals, other orders.** V is then the variance of the work that arrives with dependence and all: with the
index of dispersion I of the arrivals and successive jobs that are alike,

    V = lambda*·(E[X²] + (I − 1)·E[X]² + 2·sum_j Cov(X_0, X_j)),

and r is at least the time over which arrivals and order forget their own past.

Where lambda* is not known, the run's own queue says how much room there is: E[work waiting]/P(wait) = V/(2·d).

**Long jobs.** Where one job can hold up the rest (its need exceeds the servers to spare), the mean wait is driven by
the squares of the work X, and a further relative variance E[X⁴]/(n·E[X²]²) comes in; what an exponential law has of
it (6) is in κ/N already. If P(S > t) falls like t^(−a) and s jobs at once must be that long to hold up the rest, a
stretch of length t is blocked with probability about t^(−s(a − 1)), and the variance of a mean over many jobs is
finite only if s(a − 1) > 3 (Scheller-Wolf and Sigman 1997 for the moments of waits). If E[S²] is infinite, the past
is never forgotten.

**Jobs that begin anew when they are stopped** (``disciplines.restarting``). If P(S > t) falls like exp(−eta·t) and a
running job is stopped at rate b, it holds servers longer than t with a probability like t^(−eta/b) (Fiorini, Sheahan
and Lipsky 2005; Asmussen et al. 2008): even exponential durations have heavy tails then, of index a = eta/b. Here b is
taken as 2·lambda, as if every arrival and every completion stopped it. Bounded durations have no such tail; of laws
that are neither bounded nor phase type nothing is promised.
"""

from __future__ import annotations

import math

import numpy as np

from msj.disciplines.model import mean_speed, policy_of
from msj.disciplines.restarting import why_not_resumed
from msj.model import JobClass, System
from msj.model.assumptions import why_not_independent, why_not_plain
from msj.model.durations import Deterministic, Empirical, Uniform

EXPONENTIAL = 6.0  # E[X⁴]/E[X²]² of an exponential law
FILLS_UP = 5.0  # times the longest duration: an empty cluster is full but for exp(−5)
FORGETS = 2.0  # times its memory: a queue that began empty is as long as ever but for 1 %
RISK = 3.0  # s(a − 1) must exceed this
BOUNDED = (Deterministic, Empirical, Uniform)  # laws of durations that cannot be of any length


def memory_of(system: System, rate: float, threshold: float | None = None) -> float:
    """Return the time over which the cluster forgets its past; infinite at or above the threshold.

    Parameters
    ----------
    system, rate
        The cluster and how much arrives.
    threshold
        lambda*; the naive one stands in for it where it is not known.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=1, arrival_rate=0.5, classes=[
    ...     msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))])
    >>> memory_of(system, 0.5)
    17.0
    >>> round(memory_of(msj.read("examples/two_servers.toml"), 0.5, 0.9), 2)
    35.75
    """
    limit = system.naive_threshold if threshold is None else threshold
    if rate >= limit:
        return math.inf
    if math.isinf(limit):  # nobody ever waits
        return longest_duration(system)
    spare = (limit - rate) * system.mean_work
    return time_remembered(system, rate) + 2.0 * _variance(system, limit) / spare**2


def memory_seen(system: System, rate: float, mean_waiting_time: float, waiting_probability: float) -> float:
    """Return the memory that goes with the queue a run has seen, where lambda* is not known."""
    variance = _variance(system, system.naive_threshold)
    if waiting_probability <= 0 or variance == 0:
        return time_remembered(system, rate)
    waiting = rate * mean_waiting_time * system.mean_work / waiting_probability
    return time_remembered(system, rate) + 8.0 * waiting**2 / variance


def settling_time(system: System, rate: float, threshold: float | None = None) -> float:
    """Return how long a cluster that begins empty is not yet what it will be: the warm-up."""
    longest = time_remembered(system, rate)
    return FILLS_UP * longest + FORGETS * (memory_of(system, rate, threshold) - longest)


def longest_duration(system: System) -> float:
    """Return how long jobs in service are remembered: the longest mean, or mean residual, duration."""
    means = [(float(c.duration.mean), c.duration.second_moment) for c in system.active_classes]
    longest = max(max(mean, second / (2.0 * mean) if math.isfinite(second) else mean) for mean, second in means)
    return longest / mean_speed(system)


def time_remembered(system: System, rate: float) -> float:
    """Return how long what has come is remembered, queues apart: jobs in service, past arrivals, the jobs' order."""
    order = 0.0 if why_not_independent(system) is None else system.only_active.order_chain.memory / rate
    return max(longest_duration(system), system.arrivals.relaxation_time(rate), order)


def long_jobs(system: System, rate: float, threshold: float | None = None) -> float:
    """Return by how much long jobs add to the relative variance of a mean wait, times the number of jobs."""
    second = sum(float(c.share) * _work(system, c) ** 2 * c.duration.second_moment for c in system.active_classes)
    fourth = 0.0
    for c in system.active_classes:
        moment = c.duration.moment(4)
        if held_up_by(system, c, rate, threshold) == 1 and not math.isnan(moment):
            # Relative to the whole second moment, factor by factor: at the ends of the range powers would overflow.
            fourth += float(c.share) * (_work(system, c) ** 2 / second) * (_work(system, c) ** 2 / second * moment)
    return max(fourth - EXPONENTIAL, 0.0) if math.isfinite(second) else math.inf


def why_no_variance(system: System, rate: float, threshold: float | None = None) -> str | None:
    """Return why means over many jobs have no finite variance, known from the laws; None if they have one."""
    for c in system.active_classes:
        if math.isinf(c.duration.second_moment):
            return (
                f"durations of class '{c.name}' ({c.duration.law}) have infinite variance, so a run never forgets its "
                "longest jobs"
            )
        together = held_up_by(system, c, rate, threshold)
        if together * (_index_of_repeats(system, c, rate) - 1.0) <= RISK:
            return (
                f"jobs of class '{c.name}' ({c.duration.law}) that are stopped begin anew, and may do so so often that "
                "a mean of waiting times has no finite variance"
            )
        if together * (c.duration.tail_index - 1.0) <= RISK:
            jobs = "one job" if together == 1 else f"{together} jobs"
            return (
                f"{jobs} of class '{c.name}' can hold up the rest, and they may be so long ({c.duration.law}) "
                "that a mean of waiting times has no finite variance"
            )
    return None


def _index_of_repeats(system: System, c: JobClass, rate: float) -> float:
    """Return how fast, as a power, the time falls that a job holds servers in vain; infinite where it is resumed."""
    if why_not_resumed(system) is None or isinstance(c.duration, BOUNDED):
        return math.inf
    if policy_of(system).larger_needs_first and c.need == max(other.need for other in system.active_classes):
        return math.inf  # nobody stops the largest
    phase_type = c.duration.as_phase_type()
    if phase_type is None:
        return 0.0
    decay = -float(np.linalg.eigvals(phase_type.subgenerator).real.max())
    return decay / (2.0 * rate)


def held_up_by(system: System, c: JobClass, rate: float, threshold: float | None) -> int:
    """Return how many jobs of a class must run at once before the servers left to the others are too few."""
    limit = system.naive_threshold if threshold is None else threshold
    return math.floor(max(1.0 - rate / limit, 0.0) * system.servers / c.need) + 1


def _variance(system: System, rate: float) -> float:
    """Return the variance of the work that arrives per unit of time; laws without one are left out."""
    parts = [(float(c.share) * _work(system, c) ** 2, c.duration.second_moment) for c in system.active_classes]
    return rate * (sum(share * second for share, second in parts if math.isfinite(second)) + _clustered(system, rate))


def _clustered(system: System, rate: float) -> float:
    """Return what bursts, and jobs that are alike, add to the variance of the work of a job."""
    if why_not_plain(system) is None:
        return 0.0
    dispersion = system.arrivals.dispersion(rate)
    bursts = (dispersion - 1.0) * system.mean_work**2 if math.isfinite(dispersion) else 0.0
    if why_not_independent(system) is None:
        return bursts
    active = system.only_active
    works = np.array([active.work_of(c) for c in active.classes])
    # Regular arrivals and jobs that alternate may cancel out nearly all of it.
    least = -0.9 * sum(float(c.share) * work**2 for c, work in zip(active.classes, works, strict=True))
    return float(max(bursts + active.order_chain.covariances(works), least))


def _work(system: System, c: JobClass) -> float:
    """Return the servers a class holds per unit of its duration: its need, but for models that say otherwise."""
    return system.work_of(c) / float(c.duration.mean)
