"""The Gittins rank of a job by its age: how long it is expected to take per completion, stopping when that is best.

r(a) = inf over b > a of E[min(D, b) − a | D > a]/P(D <= b | D > a), from the law of D alone; small ranks go first. For
exponential durations it is the mean, whatever the age. Elsewhere it is tabulated: for phase types from their exact
survival function, for other laws from ``SAMPLES`` draws with a fixed seed (so it is the rank of a law close by). A
table is constant between its ages; a job's rank is looked at again whenever it passes one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from msj.model.durations import Duration, Exponential
from msj.model.durations.phase_type import PhaseType

Vector = NDArray[np.float64]
AGES = 96
SAMPLES = 200_000
TAIL = 1e-7  # of a phase type, beyond which its rank no longer changes


@lru_cache(maxsize=64)
def gittins_ranks(law: Duration) -> tuple[Vector, Vector]:
    """Return ages, the first of them 0, and the rank from each of them on.

    Examples
    --------
    >>> from msj.model.durations import Deterministic, Exponential, Hyperexponential
    >>> [part.tolist() for part in gittins_ranks(Exponential(mean=3))]
    [[0.0], [3.0]]
    >>> ages, ranks = gittins_ranks(Hyperexponential(rates=[10, 0.1], probabilities=[0.9, 0.1]))
    >>> bool((np.diff(ranks) >= 0).all()), round(float(ranks[-1]), 2)
    (True, 10.0)
    """
    if isinstance(law, Exponential):
        return np.zeros(1), np.array([law.moment(1)])
    phase_type = law.as_phase_type()
    ages, survival, beyond = _sampled(law) if phase_type is None else _of_phases(phase_type)
    # Over b: the time spent until b, by what is expected beyond each age, over the chance to be through by then.
    spent = beyond[:, None] - np.append(beyond, 0.0)[None, :]
    through = survival[:, None] - np.append(survival, 0.0)[None, :]
    later = np.arange(len(ages) + 1)[None, :] > np.arange(len(ages))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(later & (through > 0), spent / through, np.inf)
    ranks = ratios.min(axis=1)
    kept = np.append(True, np.abs(np.diff(ranks)) > 1e-6 * ranks[:-1])
    return ages[kept], ranks[kept]


def _of_phases(law: PhaseType) -> tuple[Vector, Vector, Vector]:
    """Return ages, P(D > age) and E[(D − age)+]."""
    slowest = -float(np.linalg.eigvals(law.subgenerator).real.max())
    fastest = -float(np.diag(law.subgenerator).min())
    ages = np.append(0.0, np.geomspace(0.02 / fastest, -np.log(TAIL) / slowest, AGES - 1))
    ones = np.ones(len(law.alpha))
    mean = np.linalg.solve(-law.subgenerator, ones)
    states = [law.alpha @ expm(law.subgenerator * age) for age in ages]
    return ages, np.array([state @ ones for state in states]), np.array([state @ mean for state in states])


def _sampled(law: Duration) -> tuple[Vector, Vector, Vector]:
    drawn = np.sort(law.sample(np.random.default_rng(1), SAMPLES))
    # Closer together where the tail is: half by the jobs that are through, half by those that are left.
    levels = np.concatenate(
        [np.linspace(0, 1, AGES // 2, endpoint=False), 1 - np.geomspace(1, 20 / SAMPLES, AGES // 2)]
    )
    ages = np.unique(np.append(0.0, np.quantile(drawn, np.clip(levels, 0, 1))))
    places = np.searchsorted(drawn, ages, side="right")
    sums = np.append(np.cumsum(drawn[::-1])[::-1], 0.0)
    left = SAMPLES - places
    ages, places, left = ages[left > 0], places[left > 0], left[left > 0]
    return ages, left / SAMPLES, (sums[places] - left * ages) / SAMPLES
