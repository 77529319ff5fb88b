"""Intervals of 95 % for means and small probabilities, from batches and from what is known of their variance.

Batches of a run give an unbiased but noisy estimate of the variance of its mean, and a treacherous one: where few
busy spells make the mean, a run that has seen too few of them sees too little spread as well, and an interval built
on that alone misses four times as often as it says. But the variance is also known from theory, up to a constant near
1: relative variance κ/N for N memories (:mod:`msj.simulation.memory`). So both are pooled, like the variances of two
samples,

    v = ((B − 1)·v_batches + f·v_theory)/(B − 1 + f),

with B − 1 degrees of freedom from B batches and f for the theory. f is 60 where the run holds few independent
observations (1/v_theory) and dies out where it holds thousands, whose batches speak for themselves. Where the batches
spread more than twice as much as theory says, they are right: then they count alone.

- **Means** of waiting times are skewed; their interval is taken on the logarithm, m·exp(± t·sqrt(v)), t Student's
  quantile.
- **Probabilities** p (of waiting longer than x): the spread under the hypothesis counts, Var ∝ p, as in Wilson's
  score interval. Those p are in it for which (p̂ − p)² ≤ t²·v·p̂·p, v the pooled relative variance at p̂. With
  nothing seen at all v·p̂ = 1/N is what theory says and p < t²/N remains.
- **Other ratios** have Student's interval (Law, *Simulation Modeling and Analysis*, section 9.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

CONFIDENCE = 0.975
TRUST = 60.0  # degrees of freedom that theory is worth at most
FADES = 30_000.0  # theory counts TRUST as long as there are fewer independent observations than FADES/TRUST
FADES_FOR_TAILS = 2_000.0
TRUST_IN_LONG_JOBS = 12.0
SOME_BATCHES, CLOSE = 12, 10.0  # then theory counts for little more than the batches: 1 + CLOSE/batches times
TRUST_IN_SHARES = 12.0  # degrees of freedom at most, where controls have taken off a share of the variance
LIKE_THE_QUEUE = 0.15  # of the variance left over: then the remainder behaves as the queue itself does
UNSEEN, SKEWED = 0.1, 1.2  # more variance than batches see: always, and for each share left over; measured
LONG_JOBS_AT_MOST = 4.0  # times the spread of the batches
AT_MOST, MANY_BATCHES = 3.0, 20  # theory counts for no more than so many times the spread of so many batches
CONTRADICTED = 2.0  # times what theory says

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Variance:
    """A relative variance of a mean, and what it is worth in degrees of freedom."""

    value: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Half-width of the interval, relative to the mean."""
        return self.half_width_at(CONFIDENCE)

    def half_width_at(self, confidence: float) -> float:
        """Return the half-width that the mean is within on either side with this probability."""
        return float(stdtrit(self.freedom, confidence)) * math.sqrt(self.value)


def batch_variance(above: Floats, below: Floats) -> float:
    """Return the relative variance of the ratio of two sums over batches, from the batches' residuals.

    Examples
    --------
    >>> batch_variance(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    0.25
    """
    ratio = above.sum() / below.sum()
    return float(len(above) * np.var(above - ratio * below, ddof=1) / above.sum() ** 2)


def pooled(batches: float, count: int, theory: float, long_jobs: float = 0.0) -> Variance:
    """Return the relative variance from batches and theory together.

    Parameters
    ----------
    batches, count
        Relative variance according to the batches, and their number.
    theory, long_jobs
        What theory says: for the queue, and the further part of long jobs.
    """
    long_jobs = min(long_jobs, LONG_JOBS_AT_MOST * batches)
    if count >= MANY_BATCHES:  # jobs that differ each for itself, not by the queue they meet, spread less than theory
        theory = min(theory, AT_MOST * batches)
    expected = theory + long_jobs
    if batches > CONTRADICTED * expected or expected == 0:
        return Variance(batches, count - 1)
    trust = min(TRUST, FADES * expected)
    trust = (trust * theory + min(trust, TRUST_IN_LONG_JOBS) * long_jobs) / expected
    freedom = count - 1 + trust
    return Variance(((count - 1) * batches + trust * expected) / freedom, freedom)


def remaining(
    batches: float,
    count: int,
    left_over: float,
    left_over_finely: float,
    theory: tuple[float, float] | None,
) -> Variance:
    """Return the relative variance of a mean from which controls have taken a part.

    Theory is about the plain mean; how much of its variance is left is read off groups of pieces that are finer than
    the batches, and more. That share is itself uncertain, so theory is worth fewer degrees of freedom. Where controls
    leave next to nothing over, what is left has neither the queue's long memory nor its skewness, and the batches speak
    for themselves (:func:`likeness`).

    Parameters
    ----------
    batches, count
        Relative variance of the plain mean according to the batches, and their number.
    left_over, left_over_finely
        The share that controls leave over, according to the batches and to finer groups.
    theory
        What theory says of the plain mean, for the queue and for long jobs; None if nothing.
    """
    like = likeness(left_over_finely)
    more = unseen(left_over_finely)
    if theory is None:
        return Variance(batches * left_over * more, count - 1)
    # Both in the scale of the plain mean, so that theory counts for as much as it does there.
    seen, own = batches * left_over / left_over_finely, count - 1
    queue, long_jobs = theory
    if count >= SOME_BATCHES:  # what is left over has a shorter memory than the queue
        queue = min(queue, (1.0 + CLOSE / count) * seen)
    plain = pooled(seen, count, queue, long_jobs)
    trust = like * (plain.freedom - own)
    further = (plain.value - seen) * plain.freedom  # what theory adds, times the weight it has in the plain mean
    value = seen + like * further / (own + trust)
    return Variance(value * left_over_finely * more, own + in_parallel(trust, TRUST_IN_SHARES))


def unseen(left_over: float) -> float:
    """Return by how much the variance of a remainder exceeds what is seen of it.

    Slopes that were fitted suit the noise they were fitted to, and controls that look useful are used: the less they
    take off, the more of that is luck.
    """
    return 1.0 + UNSEEN + SKEWED * left_over


def likeness(left_over: float) -> float:
    """Return how much a remainder is like the queue it was taken from, 0 to 1, by the share of variance that is left.

    Examples
    --------
    >>> likeness(0.003), likeness(0.3)
    (0.02, 1.0)
    """
    return min(left_over / LIKE_THE_QUEUE, 1.0)


def in_parallel(freedom: float, other: float) -> float:
    """Return what a product of two estimates is worth in degrees of freedom: relative variances add."""
    return freedom * other / (freedom + other)


def mean_interval(mean: float, variance: Variance, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of a positive, skewed mean; each end holds with the probability ``confidence``."""
    width = min(variance.half_width_at(confidence), 700.0)
    return mean * math.exp(-width), mean * math.exp(width)


def probability_interval(seen: float, variance: Variance, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of a probability that was seen as ``seen``; ``variance`` is relative to the seen one.

    Each end holds with the probability ``confidence``.

    With nothing seen, ``variance.value`` is what one exceedance would stand for: the reciprocal of their effective
    number.

    Examples
    --------
    >>> low, high = probability_interval(0.0, Variance(0.01, 100.0))
    >>> low, round(high, 3)
    (0.0, 0.039)
    """
    spread = variance.half_width_at(confidence) ** 2 * (seen if seen > 0 else 1.0)  # (seen − p)² = spread · p
    middle = seen + spread / 2.0
    root = math.sqrt(spread * (seen + spread / 4.0))  # of middle² − seen², without cancellation
    return max(middle - root, 0.0), min(middle + root, 1.0)


def student_interval(above: Floats, below: Floats) -> tuple[float, float, float]:
    """Return a ratio of sums over batches and its interval.

    Examples
    --------
    >>> value, low, high = student_interval(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    >>> value, round(high, 3)
    (2.0, 14.706)
    """
    value = float(above.sum() / below.sum())
    error = math.sqrt(len(above) * float(np.var(above - value * below, ddof=1))) / float(below.sum())
    half = float(stdtrit(len(above) - 1, CONFIDENCE)) * error
    return value, value - half, value + half
