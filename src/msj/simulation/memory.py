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

**Capacity that changes by itself** (``disciplines.capacity_process``: environments, turns that go by a clock). The work
that could be done in a time t has a variance sigma²·t in the long run, which adds to V. Where turns serve some needs
and not others, each need is a queue of its own, with its own d and V, and the longest memory counts. r is at least the
time over which the capacity forgets its past.

**Jobs that the cluster drains for.** A job whose need exceeds the servers to spare keeps servers idle while it waits
for enough of them. Where such jobs are rare, each is an event of its own: it takes away X and what the cluster drains
for it, and V has the square of both. The waste at saturation, k − lambda*·E[X], says how much that is. Where they are
common, the queue's own noise has it (measured as above).

Where lambda* is not known, the run's own queue says how much room there is: E[work waiting]/P(wait) = V/(2·d).

**Long jobs** (``long_jobs``) bring a further variance. If P(S > t) falls like t^(−a) and s jobs at once must be that
long to hold up the rest, a stretch of length t is blocked with probability about t^(−s(a − 1)), and the variance of a
mean over many jobs is finite only if s(a − 1) > 3 (Scheller-Wolf and Sigman 1997 for the moments of waits). If E[S²] is
infinite, the past is never forgotten.

**Jobs that begin anew when they are stopped** (``disciplines.restarting``). If P(S > t) falls like exp(−eta·t) and a
running job is stopped at rate b, it holds servers longer than t with a probability like t^(−eta/b) (Fiorini, Sheahan
and Lipsky 2005; Asmussen et al. 2008): even exponential durations have heavy tails then, of index a = eta/b. Here b is
taken as 2·lambda, as if every arrival and every completion stopped it. Bounded durations have no such tail; of laws
that are neither bounded nor phase type nothing is promised.
"""

from __future__ import annotations

import math

import numpy as np

from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.model import mean_speed, model_of, policy_of
from msj.disciplines.restarting import why_not_resumed
from msj.model import JobClass, System
from msj.model.assumptions import why_not_independent, why_not_plain
from msj.model.durations import Deterministic, Empirical, Uniform

FILLS_UP = 5.0  # times the longest duration: an empty cluster is full but for exp(−5)
FORGETS = 2.0  # times its memory: a queue that began empty is as long as ever but for 1 %
EULER = 0.58  # 1 + 1/2 + ... + 1/n is about ln n + this
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
        return time_remembered(system, rate)
    spare = (limit - rate) * system.mean_work
    queue = 2.0 * _variance(system, limit) / spare**2
    return time_remembered(system, rate) + max(queue, _longest_of_needs(system, rate, threshold))


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
    own = [policy_of(system).relaxation_time(system), system.arrivals.relaxation_time(rate), order]
    if (model := model_of(system)) is not None:
        own.append(model.relaxation_time(system))
    own += [each.relaxation_time for each in capacity_processes(system)]
    return max(longest_duration(system), *own)


def capacity_processes(system: System) -> tuple[CapacityProcess, ...]:
    """Return what changes the capacity by itself: the policy's clock, and what surrounds the servers."""
    model = model_of(system)
    return policy_of(system).capacity_processes(system) + (() if model is None else model.capacity_processes(system))


def _longest_of_needs(system: System, rate: float, threshold: float | None) -> float:
    """Return the longest of the needs' own queues, where turns serve some needs and not others; 0 without."""
    own = [each for each in capacity_processes(system) if each.needs is not None]
    limits, memories = [], []
    for each in own:
        classes = [c for c in system.active_classes if c.need in (each.needs or ())]
        limits.append(each.mean / sum(float(c.share) * system.work_of(c) for c in classes))
    for each, limit in zip(own, limits, strict=True):
        classes = [c for c in system.active_classes if c.need in (each.needs or ())]
        # What the turns lose besides, the threshold knows.
        true = limit if threshold is None else limit * min(threshold / min(limits), 1.0)
        spare = each.mean * (true - rate) / limit
        second = sum(float(c.share) * work_per_time(system, c) ** 2 * c.duration.second_moment for c in classes)
        memories.append(2.0 * (limit * second + each.asymptotic_variance) / spare**2 if spare > 0 else math.inf)
    return max(memories, default=0.0)


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
    """Return the variance of the work that arrives, less what could be done, per unit of time.

    Laws without a variance are left out.
    """
    parts = [(float(c.share) * work_per_time(system, c) ** 2, c.duration.second_moment) for c in system.active_classes]
    capacity = sum(each.asymptotic_variance for each in capacity_processes(system) if each.needs is None)
    finite = sum(share * second for share, second in parts if math.isfinite(second))
    return rate * (finite + _clustered(system, rate) + _drained(system, rate)) + capacity


def _drained(system: System, limit: float) -> float:
    """Return what rare jobs that the cluster drains for add to the mean square of the work of a job."""
    if system.model is not None or limit >= system.naive_threshold:
        return 0.0
    waste = (system.naive_threshold / limit - 1.0) * system.mean_work  # of each job, on average
    drained = {
        c: drain_time(system, c) * c.need for c in system.active_classes if held_up_by(system, c, limit, limit) == 1
    }
    total = sum(float(c.share) * each for c, each in drained.items())
    if total == 0.0:
        return 0.0
    found = 0.0
    for c, each in drained.items():
        mean, own = system.work_of(c), each * min(waste / total, 1.0)
        among = limit * float(c.share) * (drain_time(system, c) + float(c.duration.mean))
        found += max(1.0 - among, 0.0) * float(c.share) * (2.0 * mean * own + own**2)
    return found


def drain_time(system: System, c: JobClass) -> float:
    """Return about how long it takes until as many servers are free as a class needs: the longest of its durations."""
    return longest_duration(system) * (math.log(c.need) + EULER) if c.need > 1 else 0.0


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


def work_per_time(system: System, c: JobClass) -> float:
    """Return the servers a class holds per unit of its duration: its need, but for models that say otherwise."""
    return system.work_of(c) / float(c.duration.mean)
