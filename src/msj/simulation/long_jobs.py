"""How much a few long jobs add to the variance of a mean wait.

**One at a time.** Where one job can hold up the rest (its need exceeds the servers to spare), the mean wait is driven
by the squares of the work X, and a further relative variance E[X⁴]/(n·E[X²]²) of a mean over n jobs comes in; what an
exponential law has of it (6) is in that of the queue already.

**Several at once.** Else the rest is held up while jobs that will last longer than t hold more than the servers to
spare. Jobs in service that will last longer than t are Poisson, by class, of mean lambda·E[S; S_e > t], S_e the
residual duration; let H(t) be the probability that they need more servers than there are to spare. Spells of being held
up then bring, per unit of time, a sum of squares 2·∫H and of fourth powers 12·∫t²·H, so that over a time T waits have a
further relative variance

    3·∫t²·H(t) dt / (T·(∫H(t) dt)²).

For one job at a time it is E[S⁴]/(n·E[S²]²) again. What exponential laws of the same means have of it is in the
variance of the queue already.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.model import mean_speed
from msj.model import System
from msj.model.durations import Duration, Exponential
from msj.simulation.memory import held_up_by, work_per_time

EXPONENTIAL = 6.0  # E[X⁴]/E[X²]² of an exponential law
DRAWN = 2**17  # durations by which residual ones are told: every law can be drawn from
STEPS = 160  # of the time
UNITS = 256  # of the servers to spare: more are counted in larger units
MANY = 500.0  # jobs in service: their number is then normal
FROM = 1e-4  # of the shortest mean duration: where the time begins

Floats = NDArray[np.float64]


def long_jobs(system: System, rate: float, threshold: float | None = None) -> float:
    """Return by how much long jobs add to the relative variance of a mean wait, times the number of jobs."""
    second = sum(
        float(c.share) * work_per_time(system, c) ** 2 * c.duration.second_moment for c in system.active_classes
    )
    if not math.isfinite(second):
        return math.inf
    fourth = 0.0
    for c in system.active_classes:
        moment = c.duration.moment(4)
        if held_up_by(system, c, rate, threshold) == 1 and not math.isnan(moment):
            # Relative to the whole second moment, factor by factor: at the ends of the range powers would overflow.
            part = work_per_time(system, c) ** 2 / second
            fourth += float(c.share) * part * (part * moment)
    one = max(fourth - EXPONENTIAL, 0.0)
    heavy = [c for c in system.active_classes if c.duration.cv > 1.0]
    if one == math.inf or all(held_up_by(system, c, rate, threshold) == 1 for c in heavy):
        return one
    return max(one, several_at_once(system, rate, threshold))


def several_at_once(system: System, rate: float, threshold: float | None = None) -> float:
    """Return the same where it takes several long jobs at once to hold up the rest.

    Examples
    --------
    >>> import msj
    >>> def cluster(law):
    ...     return msj.System(servers=4, classes=[msj.JobClass(name="all", need=1, share=1, duration=law)])
    >>> several_at_once(cluster(msj.Exponential(mean=1)), 2.0)
    0.0
    >>> several_at_once(cluster(msj.Lognormal(mean=1, cv=4)), 2.0) > 100
    True
    """
    active = system.active_classes
    if all(c.duration.cv <= 1.0 for c in active):
        return 0.0
    limit = system.naive_threshold if threshold is None else threshold
    if not rate < limit < math.inf:
        return 0.0
    laws = [c.duration for c in active]
    speed = mean_speed(system)
    means = np.array([float(law.mean) for law in laws]) / speed
    jobs = np.array([rate * float(c.share) for c in active]) * means
    needs = np.array([c.need for c in active])
    spare = max(1.0 - rate / limit, 0.0) * system.servers
    found = _relative_variance(laws, means, jobs, needs, spare)
    usual = _relative_variance([Exponential(mean=1)] * len(laws), means, jobs, needs, spare)
    return max(rate * (found - usual), 0.0)


def _relative_variance(
    laws: list[Duration], means: Floats, jobs: Floats, needs: NDArray[np.int64], spare: float
) -> float:
    """Return 3·∫t²H/(∫H)²."""
    residual = [_Residual(law) if not isinstance(law, Exponential) else None for law in laws]
    longest = max(
        mean * (each.longest if each is not None else 40.0) for mean, each in zip(means, residual, strict=True)
    )
    times = np.geomspace(FROM * means.min(), longest, STEPS)
    lasting = np.array(
        [
            np.exp(-times / mean) if each is None else each.beyond(times / mean)
            for mean, each in zip(means, residual, strict=True)
        ]
    )
    unit = max(spare / UNITS, 1.0)
    sizes = np.ceil(needs / unit - 1e-9).astype(int)
    most = math.floor(spare / unit + 1e-9)
    held_up = np.array([_more_than(most, jobs * lasting[:, i], sizes) for i in range(STEPS)])
    total = float(np.trapezoid(held_up, times) + held_up[0] * times[0])
    square = float(np.trapezoid(times**2 * held_up, times))
    return 3.0 * square / total**2 if total > 0 else 0.0


def _more_than(most: int, means: Floats, sizes: NDArray[np.int64]) -> float:
    """Return P(sum of sizes × Poisson numbers > most), by Panjer's recursion; normal where there are many."""
    if means.sum() > MANY:
        apart = (most + 0.5 - means @ sizes) / math.sqrt(means @ sizes**2)
        return 0.5 * math.erfc(apart / math.sqrt(2.0))
    chances = np.zeros(most + 1)
    chances[0] = math.exp(-means.sum())
    weights = np.bincount(np.minimum(sizes, most + 1), weights=means, minlength=most + 2)[: most + 1]
    steps = np.flatnonzero(weights)
    for n in range(1, most + 1):
        use = steps[steps <= n]
        chances[n] = float((use * weights[use]) @ chances[n - use]) / n
    return min(max(1.0 - float(chances.sum()), 0.0), 1.0)


class _Residual:
    """P(S_e > t) of a law in units of its mean, from many draws with a fixed seed."""

    def __init__(self, law: Duration) -> None:
        drawn = np.sort(law.scaled(1 / law.mean).sample(np.random.default_rng(1), DRAWN))
        self.drawn = drawn
        self.longest = float(drawn[-1])
        self.above = np.zeros((2, DRAWN + 1))
        self.above[:, :-1] = np.cumsum(drawn[::-1] ** np.arange(2)[:, None], axis=1)[:, ::-1] / DRAWN

    def beyond(self, times: Floats) -> Floats:
        count, first = self.above[:, np.searchsorted(self.drawn, times, side="right")]
        return np.asarray(np.maximum(first - times * count, 0.0))
