"""Random duration laws, wrapped in a class of this file, so that msj takes them for a user's.

Coefficients of variation go up to 10, the index of Pareto laws goes down to 1.5. Each law declares some of what it
could: the distribution function, the phase type, the fourth moment.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import stats

import msj
from msj.model.durations import Duration

DECLARES = ("cdf", "as_phase_type", "moment")


@dataclass(frozen=True, kw_only=True)
class Wrapped(Duration):
    """A law of msj as a user's: it declares its mean, its second moment and what ``declares`` names."""

    law: ClassVar[str] = "wrapped"
    summary: ClassVar[str] = "another law"

    inner: Any
    distribution: Any  # callable: P(X <= x)
    declares: tuple[str, ...] = ()
    factor: float = 1.0  # of the samples

    @property
    def mean(self):
        return self.inner.mean

    @property
    def second_moment(self):
        return self.inner.second_moment

    def moment(self, order):
        return self.inner.moment(order) if "moment" in self.declares else float("nan")

    def as_phase_type(self):
        return self.inner.as_phase_type() if "as_phase_type" in self.declares else None

    def cdf(self, x):
        return self.distribution(x) if "cdf" in self.declares else None

    def sample(self, rng, size):
        return self.factor * self.inner.sample(rng, size)

    def scaled(self, factor):
        return self.replace(inner=self.inner.scaled(factor), distribution=lambda x: self.distribution(x / factor))


@dataclass(frozen=True, kw_only=True)
class BoundedPareto(Duration):
    """A power law between 1 and ``largest``: P(X > x) falls like x^(-index)."""

    law: ClassVar[str] = "bounded-pareto"
    summary: ClassVar[str] = "a power law on an interval"

    index: float
    largest: float
    unit: float = 1.0

    def moment(self, order):
        a, mass = self.index, 1.0 - self.largest**-self.index
        if order == a:
            return self.unit**order * a * np.log(self.largest) / mass
        return self.unit**order * a * (self.largest ** (order - a) - 1.0) / (order - a) / mass

    @property
    def mean(self):
        return float(self.moment(1))

    @property
    def second_moment(self):
        return float(self.moment(2))

    def cdf(self, x):
        inside = np.clip(np.asarray(x) / self.unit, 1.0, self.largest)
        return (1.0 - inside**-self.index) / (1.0 - self.largest**-self.index)

    def sample(self, rng, size):
        mass = 1.0 - self.largest**-self.index
        return self.unit * (1.0 - mass * rng.random(size)) ** (-1.0 / self.index)

    def scaled(self, factor):
        return self.replace(unit=self.unit * factor)


def some_law(rng, *, max_cv=10.0):
    """Return a random law and its distribution function."""
    mean = float(10.0 ** rng.uniform(-3, 3))
    kind = int(rng.integers(12 if max_cv > 3 else 10))
    if kind == 0:
        return msj.Exponential(mean=mean), stats.expon(scale=mean).cdf
    if kind == 1:
        stages = int(rng.integers(2, 20))
        return msj.Erlang(stages=stages, mean=mean), stats.gamma(stages, scale=mean / stages).cdf
    if kind in (2, 3):
        cv2 = rng.uniform(1.05, max_cv) ** 2
        p = 0.5 * (1.0 + np.sqrt((cv2 - 1.0) / (cv2 + 1.0)))
        rates, shares = [2 * p / mean, 2 * (1 - p) / mean], [p, 1 - p]
        law = msj.Hyperexponential(rates=rates, probabilities=shares)
        return law, lambda x: sum(-q * np.expm1(-r * np.asarray(x)) for q, r in zip(shares, rates, strict=True))
    if kind in (4, 5):
        cv = rng.uniform(0.05, max_cv)
        width = np.sqrt(np.log1p(cv**2))
        return msj.Lognormal(mean=mean, cv=cv), stats.lognorm(width, scale=mean / np.exp(width**2 / 2)).cdf
    if kind == 6:
        shape = rng.uniform(0.5, 5.0)
        law = msj.Weibull(shape=shape, mean=mean)
        scale = mean / float(stats.weibull_min(shape).mean())
        return law, stats.weibull_min(shape, scale=scale).cdf
    if kind == 7:
        return msj.Deterministic(value=mean), lambda x: (np.asarray(x) >= mean).astype(float)
    if kind == 8:
        low = mean * rng.uniform(0, 1)
        return msj.Uniform(low=low, high=low + mean), stats.uniform(low, mean).cdf
    if kind == 9:
        values = np.sort(mean * rng.lognormal(0.0, 0.8, int(rng.integers(2, 9))))
        return msj.Empirical(values=values.tolist()), lambda x: np.searchsorted(values, x, side="right") / len(values)
    if kind == 10:
        shape = rng.uniform(1.5, 5.0)
        return msj.Pareto(shape=shape, minimum=mean), stats.pareto(shape, scale=mean).cdf
    law = BoundedPareto(index=rng.uniform(1.5, 3.0), largest=10.0 ** rng.uniform(1, 6), unit=mean)
    return law, law.cdf


def wrapped_law(rng, *, max_cv=10.0, factor=1.0):
    """Return a random law as a user would write it; of at most ``max_cv`` where that is below 10."""
    while True:
        law, distribution = some_law(rng, max_cv=max_cv)
        declares = tuple(name for name in DECLARES if rng.random() < 0.5)
        if max_cv >= 10 or law.cv <= max_cv:
            return Wrapped(inner=law, distribution=distribution, declares=declares, factor=factor)
