"""A law for the run times of a class, and how near it is.

Phase types (mixtures of Erlang laws, ``erlang_mixtures``) are what exact methods understand; lognormal (log X has the
mean and the variance of the data's logarithms, which is likeliest) and empirical laws are for simulation.

Where nobody says which, the first law that the jobs do not contradict is taken: phase type, lognormal. If they
contradict both, as large logs do, the first whose distance is good (``goodness``) and whose cv is within a tenth of the
jobs'; if there is none, the recorded run times themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from msj.errors import InvalidInput
from msj.fitting.erlang_mixtures import best_mixture, points_of
from msj.fitting.goodness import GOOD, distance, not_contradicted, word_for
from msj.model.durations import Deterministic, Duration, Empirical, Lognormal
from msj.options.fitting import MAX_PHASES
from msj.registry import nearest

LAWS = ("auto", "phase-type", "lognormal", "empirical")
PHASES = MAX_PHASES
VALUES = 200  # that an empirical law has at most
NEAR_CV = 0.1
ROUNDING = 1e-5  # of a value that is written with six digits


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedDuration:
    """A law, how far it is from the data, and of how many jobs; ``mean`` and ``cv`` are those of the data."""

    duration: Duration
    distance: float
    jobs: int
    mean: float
    cv: float
    how: str

    @property
    def word(self) -> str:
        """How good the fit is, in a word."""
        return word_for(self.distance, self.jobs)

    @property
    def contradicted(self) -> bool:
        """Whether the data contradict the law."""
        return not not_contradicted(self.distance, self.jobs)


def fit_duration(values: NDArray[np.float64], law: str = "auto", *, phases: int = PHASES) -> FittedDuration:
    """Return a law for run times.

    Examples
    --------
    >>> drawn = np.random.default_rng(1).exponential(5.0, 20_000)
    >>> fit_duration(drawn).duration.law, fit_duration(drawn, "lognormal").word
    ('exponential', 'fair')
    """
    check_law(law)
    values = np.asarray(values, dtype=np.float64)
    if float(values.max()) == float(values.min()):
        return _found(values, Deterministic(value=float(values[0])), 0.0, "all jobs ran equally long")
    if law == "phase-type":
        return _phase_type(values, phases)
    if law == "lognormal":
        return _lognormal(values)
    if law == "empirical":
        return _empirical(values)
    tried = (_phase_type(values, phases), _lognormal(values))
    for found in tried:
        if not found.contradicted:
            return found
    for found in tried:
        if found.distance <= GOOD and abs(found.duration.cv - found.cv) <= NEAR_CV * found.cv:
            return found
    return _empirical(values)


def check_law(law: str) -> None:
    """Refuse a law that run times cannot be fitted by."""
    if law not in LAWS:
        raise InvalidInput(f"durations '{law}' is no law to fit; {nearest(law, LAWS)}")


def _found(values: NDArray[np.float64], duration: Duration, far: float, how: str) -> FittedDuration:
    mean = float(values.mean())
    return FittedDuration(
        duration=duration, distance=far, jobs=len(values), mean=mean, cv=float(values.std()) / mean, how=how
    )


def _phase_type(values: NDArray[np.float64], phases: int) -> FittedDuration:
    mixture = best_mixture(points_of(values), phases)
    branches = len(mixture.stages)
    how = f"{branches} Erlang branches by EM" if branches > 1 else "an Erlang law by its mean"
    return _found(values, mixture.duration(), distance(values, mixture.cdf), how)


def _lognormal(values: NDArray[np.float64]) -> FittedDuration:
    logs = np.log(values)
    centre, spread = float(logs.mean()), float(logs.std())
    cv = math.sqrt(math.expm1(min(spread**2, 500.0)))
    law = Lognormal(mean=math.exp(centre + spread**2 / 2.0), cv=cv)
    far = distance(values, lambda x: ndtr((np.log(x) - centre) / spread))
    return _found(values, law, far, "mean and variance of the logarithms")


def _empirical(values: NDArray[np.float64]) -> FittedDuration:
    ordered = np.sort(values)
    kept, how = ordered, "the recorded run times"
    if len(ordered) > VALUES:
        # The sum of the shortest jobs, a line between jobs: slices of equal size keep the mean.
        total = np.concatenate([[0.0], np.cumsum(ordered)])
        cuts = np.interp(np.linspace(0.0, len(ordered), VALUES + 1), np.arange(len(total)), total)
        kept, how = np.diff(cuts) * VALUES / len(ordered), f"{VALUES} equally likely values, each the mean of a slice"
    law = Empirical(values=tuple(float(f"{value:.6g}") for value in kept))
    points = np.unique(ordered) * (1.0 + ROUNDING)
    parts = (ordered, law.recorded)
    ours, theirs = (np.searchsorted(part, points, side="right") / len(part) for part in parts)
    return _found(values, law, float(np.abs(ours - theirs).max()), how)
