"""How much longer a job can be expected to take, at worst: the supremum over its age of the mean remaining duration.

m(a) = E[X − a | X > a], and the supremum over a >= 0 (wcfs, section 2.3; there of the size need × duration / k):

- laws that know it say so themselves (``Duration.largest_mean_remaining``): ageing laws, where m is never above m(0),
  have their mean; the heavy-tailed ones, where m grows without bound, infinity;
- phase type (alpha, T): m(a) = alpha·exp(Ta)·(−T)^(−1)·1 / alpha·exp(Ta)·1, that is the phase is *not* seen, only the
  age. P(X > a) ~ C·a^j·exp(−eta·a) with −eta the largest eigenvalue of T, so m(a) -> 1/eta (Neuts 1981, chapter 2);
  between 0 and infinity m is followed on a grid of ages, 128 to each doubling, and refined around its maxima.

A policy that is told durations may serve whom it likes by them, so a job's class is its duration and what remains of it
is known: the supremum is the longest duration there is, sup S (wcfs, section 2.3).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import minimize_scalar
from scipy.sparse.csgraph import connected_components

from msj.disciplines.model import policy_of
from msj.errors import InvalidInput, NotSupported
from msj.model import System
from msj.model.durations import Duration, PhaseType

Array: TypeAlias = NDArray[np.float64]

DOUBLINGS_PER_BLOCK = 8  # a block has 2^8 ages, half of them new: 128 to each doubling of the age
DOUBLINGS_PAST_THE_SLOWEST = 40  # ages up to 2^40/eta: two decay rates that differ by 1e-9 still part
FIRST_STEP = 1.0 / 32.0  # in units of 1 / (largest rate of leaving a phase)


def largest_mean_remaining(duration: Duration) -> float:
    """Return the supremum over age of the mean remaining duration; infinite where it is.

    Examples
    --------
    >>> from msj.model.durations import Empirical, Erlang, Hyperexponential, Pareto
    >>> largest_mean_remaining(Erlang(stages=3, mean=2))
    2.0
    >>> largest_mean_remaining(Hyperexponential(rates=[2, "2/3"], probabilities=[0.5, 0.5]))
    1.5
    >>> largest_mean_remaining(Empirical(values=[1, 2, 9]))
    7.0
    >>> largest_mean_remaining(Pareto(shape=3, minimum=1))
    inf
    """
    if duration.largest_mean_remaining is not None:
        return duration.largest_mean_remaining
    law = duration.as_phase_type()
    if law is None:
        raise NotSupported(_unknown(duration))
    return _largest_over_age(law)


def why_unknown(duration: Duration) -> str | None:
    """Return why the largest mean remaining duration cannot be told, or None if it can.

    A law is told if it says so itself (``Duration.largest_mean_remaining``), or if it is phase type.

    Examples
    --------
    >>> from msj.model.durations import Pareto
    >>> why_unknown(Pareto(shape=3, minimum=1)) is None
    True
    """
    told = duration.largest_mean_remaining is not None or duration.as_phase_type() is not None
    return None if told else _unknown(duration)


def _unknown(duration: Duration) -> str:
    return f"the largest mean remaining time of law '{duration.law}' is not known; use law = 'fit'"


def why_unbounded(duration: Duration) -> str | None:
    """Return why the mean remaining duration grows without bound, or None if it does not.

    Examples
    --------
    >>> from msj.model.durations import Lognormal
    >>> why_unbounded(Lognormal(mean=1, cv=2))
    'a lognormal duration (mean 1, cv 2) can be expected to last the longer the longer it has lasted, without bound'
    """
    if math.isfinite(largest_mean_remaining(duration)):
        return None
    options = ", ".join(f"{key} {value}" for key, value in duration.to_spec().items() if key != "law")
    law = f"a {duration.law} duration ({options})"
    return f"{law} can be expected to last the longer the longer it has lasted, without bound"


def why_endless(duration: Duration) -> str | None:
    """Return why a policy that is told durations has no bound on what remains, or None if it has one.

    Examples
    --------
    >>> from msj.model.durations import Exponential
    >>> why_endless(Exponential(mean=1))
    'the policy is told durations, and of exponential durations there is no longest one'
    """
    if math.isfinite(duration.longest):
        return None
    return f"the policy is told durations, and of {duration.law} durations there is no longest one"


def largest_remaining_size(system: System) -> float:
    """Return rem_sup: the supremum over class and age of the mean remaining size, size = need × duration / capacity.

    The scheduler sees needs, not classes, so classes of equal need could be taken together; by class is never less.
    Where it is told durations, what remains of a job is no longer a mean.

    Examples
    --------
    >>> from msj import Exponential, JobClass
    >>> half = [JobClass(name=f"{v}", need=v, share=0.5, duration=Exponential(mean=3)) for v in (1, 2)]
    >>> largest_remaining_size(System(servers=4, classes=half))
    1.5
    """
    told = policy_of(system).knows_durations
    remaining = (
        (c.need, c.duration.longest if told else largest_mean_remaining(c.duration)) for c in system.active_classes
    )
    return max(need * longest / system.service_capacity for need, longest in remaining)


def mean_remaining(law: PhaseType, age: float) -> float:
    """Return m(age), the mean remaining duration of a phase type that has lasted ``age``.

    Examples
    --------
    >>> two_stages = PhaseType(initial=[1, 0], generator=[[-1, 1], [0, -1]])
    >>> [round(mean_remaining(two_stages, age), 6) for age in (0, 1, 3)]
    [2.0, 1.5, 1.25]
    """
    if not 0 <= age < math.inf:
        raise InvalidInput(f"age = {age} must be a finite number of at least 0; give the time a job has lasted")
    eta = 1.0 / _limit(law.subgenerator)  # added to T so that the exponential does not underflow; it cancels
    phases = _normalised(law.alpha @ expm((law.subgenerator + eta * np.eye(len(law.alpha))) * age))
    return float(phases @ _means_from_phases(law.subgenerator))


@lru_cache(maxsize=64)
def _largest_over_age(law: PhaseType) -> float:
    """Maximum of m(0), the limit 1/eta, and the maxima in between."""
    generator, remaining = law.subgenerator, _means_from_phases(law.subgenerator)
    limit = _limit(generator)
    ages, phases = _followed(law.alpha, generator, limit)
    found = phases @ remaining
    best = max(limit, float(found.max()))
    # A maximum must stand out from its neighbours by more than the rounding that ripples a converged tail.
    inner = found[1:-1]
    peaks = (inner >= found[:-2]) & (inner >= found[2:]) & (inner - np.minimum(found[:-2], found[2:]) > 1e-12 * inner)
    for i in np.flatnonzero(peaks & (inner > 0.99 * best)):
        refined = minimize_scalar(
            lambda later, start=phases[i]: -float(_normalised(start @ expm(generator * later)) @ remaining),
            bounds=(0.0, float(ages[i + 2] - ages[i])),
            method="bounded",
            options={"xatol": 1e-7 * float(ages[i + 2] - ages[i])},
        )
        best = max(best, -float(refined.fun))
    return best


def _followed(alpha: Array, generator: Array, slowest: float) -> tuple[Array, Array]:
    """Ages, and the law of the phase at each of them given that the job still runs.

    exp(T·step·2^i) for all i by repeated squaring: of matrices without negative entries, so every entry keeps its
    relative accuracy and a branch of probability 1e-30 is followed as surely as any other.
    """
    fastest = float(-generator.diagonal().min())
    step = FIRST_STEP / fastest
    doublings = DOUBLINGS_PAST_THE_SLOWEST + math.ceil(math.log2(slowest / step))
    powers = [_small_exponential(generator, fastest, step)]
    # Beside a chain of s equal rates, growing as age^(s−1), its own diagonal would underflow; by then m has settled.
    while len(powers) <= doublings and powers[-1].diagonal().max() > 1e-140:
        square = powers[-1] @ powers[-1]
        powers.append(square / square.max())  # scaled against underflow; the scale cancels
    ages, laws = [], []
    for first in range(max(1, len(powers) - DOUBLINGS_PER_BLOCK)):
        # Each block begins at age 0 with steps twice as long; its first half is known from the block before.
        rows = alpha[None, :]
        for power in powers[first : first + DOUBLINGS_PER_BLOCK]:
            rows = np.vstack([rows, _normalised(rows @ power)])
        known = 0 if first == 0 else len(rows) // 2
        laws.append(rows[known:])
        ages.append(np.arange(known, len(rows)) * (step * 2.0**first))
    return np.concatenate(ages), np.vstack(laws)


def _small_exponential(generator: Array, fastest: float, step: float) -> Array:
    """exp(T·step) up to a factor: Taylor series of exp((T + fastest·I)·step), which has no negative terms."""
    shifted = (generator + fastest * np.eye(len(generator))) * step
    term = total = np.eye(len(generator))
    for order in range(1, 14):  # (1/32)^14 / 14! is far below rounding
        term = term @ shifted / order
        total = total + term
    return np.asarray(total)


def _limit(generator: Array) -> float:
    """1/eta. Each communicating class of phases apart: there the eigenvalue is simple, and found to full accuracy."""
    _, labels = connected_components(generator != 0, directed=True, connection="strong")
    blocks = (generator[np.ix_(labels == label, labels == label)] for label in np.unique(labels))
    return max(float(np.linalg.eigvals(np.linalg.inv(-block)).real.max()) for block in blocks)


def _means_from_phases(generator: Array) -> Array:
    return np.asarray(np.linalg.solve(-generator, np.ones(len(generator))))


def _normalised(rows: Array) -> Array:
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))
