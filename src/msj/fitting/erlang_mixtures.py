"""Mixtures of Erlang laws by expectation and maximisation.

A branch m has s_m stages of rate r_m and probability p_m: f(x) = sum_m p_m·r_m^s_m·x^(s_m−1)·e^(−r_m·x)/(s_m−1)!. With
q_m(x) the probability that x is of branch m, one step sets p_m = E[q_m] and r_m = s_m·E[q_m]/E[q_m·x]; the likelihood
never falls, and after every step the mixture has the mean of the data (Thümmler, Buchholz and Telek 2006). The stages
are given; among several choices the one with the least BIC is taken. Hyperexponential and Erlang laws are among them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln

from msj.model.durations import Duration, Erlang, Exponential, Hyperexponential, PhaseType

STEPS, ENOUGH = 200, 1e-6  # steps of the iteration; a gain in log likelihood per job that is none
TAIL, SLICES = 50, 200  # points of the data: so many largest ones, so many slices of the others
MOST_STAGES = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class Points:
    """Data as few points with weights that sum to 1; ``count`` is how many there were."""

    value: NDArray[np.float64]
    weight: NDArray[np.float64]
    count: int

    @property
    def mean(self) -> float:
        """The mean of the data."""
        return float(self.weight @ self.value)

    @property
    def squared_cv(self) -> float:
        """The squared coefficient of variation."""
        return float(self.weight @ (self.value - self.mean) ** 2) / self.mean**2


def points_of(values: NDArray[np.float64]) -> Points:
    """Return data as points: the largest one by one, the others in slices, each at its mean.

    Examples
    --------
    >>> points_of(np.arange(1.0, 5.0)).weight.tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    ordered = np.sort(values)
    head, tail = ordered[: max(len(ordered) - TAIL, 0)], ordered[max(len(ordered) - TAIL, 0) :]
    slices = np.array_split(head, min(SLICES, len(head))) if len(head) else []
    value = np.concatenate([[part.mean() for part in slices], tail])
    weight = np.concatenate([[len(part) for part in slices], np.ones(len(tail))]) / len(ordered)
    return Points(value=value, weight=weight, count=len(ordered))


@dataclass(frozen=True, kw_only=True, eq=False)
class ErlangMixture:
    """Branches with their stages, rates and probabilities, and the BIC of the data under it."""

    stages: NDArray[np.int64]
    rates: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    bic: float

    def cdf(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P(X <= x)."""
        return np.asarray(gammainc(self.stages, np.outer(x, self.rates)) @ self.probabilities)

    def duration(self) -> Duration:
        """Return the law by its simplest name."""
        s, r = self.stages, np.array([float(f"{rate:.6g}") for rate in self.rates])
        p = _summing_to_one(self.probabilities)
        if len(s) == 1:
            mean = float(s[0] / r[0])
            return Exponential(mean=mean) if s[0] == 1 else Erlang(stages=int(s[0]), mean=mean)
        if (s == 1).all():
            return Hyperexponential(rates=tuple(map(float, r)), probabilities=p)
        size, starts = int(s.sum()), np.concatenate([[0], np.cumsum(s)[:-1]])
        rate = np.repeat(r, s)
        generator = np.diag(-rate)
        for first, count in zip(starts, s, strict=True):
            for i in range(first, first + count - 1):
                generator[i, i + 1] = rate[i]
        initial = np.zeros(size)
        initial[starts] = p
        return PhaseType(initial=tuple(map(float, initial)), generator=tuple(map(tuple, generator.tolist())))


def _summing_to_one(p: NDArray[np.float64]) -> tuple[float, ...]:
    """Return few digits of probabilities; the largest makes up for what the others lost."""
    found = [float(f"{value:.6g}") for value in p]
    largest = int(np.argmax(p))
    found[largest] = 0.0
    found[largest] = 1.0 - math.fsum(found)
    return tuple(found)


def best_mixture(points: Points, phases: int) -> ErlangMixture:
    """Return the mixture with the least BIC among those of at most ``phases`` phases, and plain Erlang laws."""
    return min((fitted_mixture(points, stages) for stages in _choices(points, phases)), key=lambda found: found.bic)


def _choices(points: Points, phases: int) -> Iterator[tuple[int, ...]]:
    squared = max(points.squared_cv, 1.0 / MOST_STAGES)
    near = round(1.0 / squared)
    yield from ((s,) for s in sorted({1, max(near, 1), max(near - 1, 1), min(near + 1, MOST_STAGES)}))
    for branches in range(2, phases + 1):
        yield from _stages(branches, phases, 1)


def _stages(branches: int, phases: int, least: int) -> Iterator[tuple[int, ...]]:
    """Return all ways to give so many branches at most so many phases, the shortest first."""
    if branches == 1:
        yield from ((s,) for s in range(least, phases + 1))
        return
    for first in range(least, phases // branches + 1):
        for rest in _stages(branches - 1, phases - first, first):
            yield (first, *rest)


def fitted_mixture(points: Points, stages: tuple[int, ...]) -> ErlangMixture:
    """Return the mixture of these stages that makes the data likeliest, as far as the iteration gets."""
    x, w, s = points.value, points.weight, np.array(stages)
    branches = len(s)
    share = np.cumsum(w) - w / 2
    means = np.array([_mean(x, w, (share >= b / branches) & (share < (b + 1) / branches)) for b in range(branches)])
    # Whether the short or the long branch has more stages is tried either way; with equal stages they are the same.
    starts = [means] if (s == s[0]).all() else [means, means[::-1]]
    found = [_iterated(x, w, s, s / start) for start in starts]
    likelihood, p, r = max(found, key=lambda one: one[0])
    bic = -2.0 * points.count * likelihood + (2 * branches - 1) * math.log(points.count)
    return ErlangMixture(stages=s, rates=r, probabilities=p, bic=bic)


def _mean(x: NDArray[np.float64], w: NDArray[np.float64], chosen: NDArray[np.bool_]) -> float:
    return float(w[chosen] @ x[chosen] / w[chosen].sum()) if chosen.any() else float(w @ x)


def _iterated(
    x: NDArray[np.float64], w: NDArray[np.float64], s: NDArray[np.int64], rates: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the log likelihood per job, the probabilities and the rates, from some rates on."""
    p, r = np.full(len(s), 1.0 / len(s)), np.asarray(rates, dtype=np.float64)
    logx, constant = np.log(x), gammaln(s)
    before = -math.inf
    for _ in range(STEPS):
        with np.errstate(divide="ignore"):
            log = np.log(p) + s * np.log(r) + np.outer(logx, s - 1) - np.outer(x, r) - constant
        most = log.max(axis=1, keepdims=True)
        weight = np.exp(log - most)
        total = weight.sum(axis=1, keepdims=True)
        likelihood = float(w @ (most + np.log(total)).ravel())
        q = weight / total * w[:, None]
        p = q.sum(axis=0)
        p = np.maximum(p, 1e-12) / np.maximum(p, 1e-12).sum()
        r = s * q.sum(axis=0).clip(1e-300) / (q.T @ x).clip(1e-300)
        if likelihood - before < ENOUGH:
            break
        before = likelihood
    return likelihood, p, r
