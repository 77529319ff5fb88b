"""Exact mean response times of policies that see only how many small and how many large jobs there are.

Small jobs (one server, rate 1/2) and large jobs (all four, rate 2/3) come equally often (wcfs, section 3.4.1; the same
as section 3.3 with thresholds 1 and 4). With exponential durations the numbers present, (small, large), are a Markov
chain under Most and Least Servers First, elastic and inelastic first, and MaxWeight, none of which is finite-skip. One
number is the level, the other the phase, cut where more are never seen; ``markov.level_process`` does the rest:

- under a priority rule the favoured class does not see the other: it is the phase, an M/M/1 or M/M/4 of its own;
- MaxWeight serves small jobs where 4·small > large, large jobs where it is less. The phase is the number of small
  jobs. Beyond 4·cut large jobs are always served, so that levels repeat. A tie is broken at random on entering it; the
  law of time needs only the two mean stays, so a tie is a state that serves either in proportion to them.

How much probability lies at the cut is returned with the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from msj.errors import NotAccurate
from msj.markov.level_process import LevelProcess, solve

SERVERS = 4
SMALL_RATE, LARGE_RATE = 1 / 2, 2 / 3
LARGEST_LOSS = 1e-9  # probability at the cut
#: (rate of small completions, rate of large completions) by (small, large) jobs present and the arrival rate
Serving = Callable[[int, int, float], tuple[float, float]]


def large_first(small: int, large: int, rate: float) -> tuple[float, float]:  # noqa: ARG001
    """Most Servers First, and threshold parallelism with elastic jobs first: here they are the same."""
    return (0.0, LARGE_RATE) if large else (min(small, SERVERS) * SMALL_RATE, 0.0)


def small_first(small: int, large: int, rate: float) -> tuple[float, float]:  # noqa: ARG001
    """Least Servers First: a large job needs all servers at once."""
    return min(small, SERVERS) * SMALL_RATE, LARGE_RATE if large and not small else 0.0


def inelastic_first(small: int, large: int, rate: float) -> tuple[float, float]:  # noqa: ARG001
    """Threshold parallelism with inelastic jobs first: the oldest large job has the servers that are left."""
    left = max(SERVERS - small, 0)
    return min(small, SERVERS) * SMALL_RATE, LARGE_RATE * left / SERVERS if large else 0.0


def max_weight(small: int, large: int, rate: float) -> tuple[float, float]:
    """MaxWeight with packings that are not limited to the jobs present, ties at random."""
    small_rate, large_rate = min(small, SERVERS) * SMALL_RATE, LARGE_RATE * min(large, 1)
    if SERVERS * small != large:
        return (small_rate, 0.0) if SERVERS * small > large else (0.0, large_rate)
    stays = 1 / (rate + small_rate), 1 / (rate + large_rate)
    return small_rate * stays[0] / sum(stays), large_rate * stays[1] / sum(stays)


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Mean numbers of jobs present, and the probability that was cut off or nearly so."""

    small: float
    large: float
    lost: float


def mean_numbers(serving: Serving, rate: float) -> Numbers:
    """Return the mean numbers present when jobs of both classes together arrive at ``rate``.

    Examples
    --------
    Large jobs first: for them it is an M/M/1 of load 3/4 · 0.8.

    >>> round(mean_numbers(large_first, 0.8).large, 9)
    1.5
    """
    favoured_small = serving is not large_first  # the phase
    cut, boundary = _cut(serving, rate)
    # The level's and the phase's completion rates, by level and phase.
    rates = np.array(
        [
            [serving(p, n, rate) if favoured_small else serving(n, p, rate)[::-1] for p in range(cut + 1)]
            for n in range(boundary + 1)
        ]
    )
    phase_down, level_down = rates[:, :, 0], rates[:, :, 1]
    law = solve(_levels(phase_down, level_down, rate / 2))
    masses = [*law.boundary, law.repeating_mass]
    phases = np.asarray(sum(masses), dtype=float)
    if phases[-1] > LARGEST_LOSS:
        raise NotAccurate(f"{phases[-1]:.1g} of the probability lies at the cut {cut}; lower the arrival rate {rate}")
    level, phase = law.mean_level(), float(phases @ np.arange(cut + 1))
    small, large = (phase, level) if favoured_small else (level, phase)
    return Numbers(small=small, large=large, lost=float(phases[-1]))


def mean_response_time(serving: Serving, rate: float) -> float:
    """Return E[T] by Little's law."""
    numbers = mean_numbers(serving, rate)
    return (numbers.small + numbers.large) / rate


def small_first_threshold() -> float:
    """Return the arrival rate at which Least Servers First becomes unstable.

    Large jobs have the servers to themselves while no small one is there: lambda/2 = 2/3·P(M/M/4 is empty).
    """

    def drift(rate: float) -> float:
        offered = rate / 2 / SMALL_RATE
        term, total = 1.0, 1.0
        for i in range(1, SERVERS):
            term *= offered / i
            total += term
        total += term * offered / SERVERS / (1 - offered / SERVERS)
        return rate / 2 - LARGE_RATE / total

    return float(optimize.brentq(drift, 0.01, 1.0, xtol=1e-15))


def _cut(serving: Serving, rate: float) -> tuple[int, int]:
    """Where the phase ends, and how many levels come before all are alike."""
    if serving is max_weight:
        # Near saturation 4·small = large, so work = small·(1/2 + 4·3/2) and small ~ Exp(mean 1.25/(1 - rho)/6.5).
        cut = ceil(21 * 1.25 / 6.5 / (1 - rate)) + 30
        return cut, SERVERS * cut + 1
    busy = rate / 2 / LARGE_RATE if serving is large_first else rate / 2 / SMALL_RATE / SERVERS
    return ceil(log(1e-13) / log(busy)) + SERVERS, SERVERS


def _levels(phase_down: NDArray[np.float64], level_down: NDArray[np.float64], rate: float) -> LevelProcess:
    """Return the chain in which both the level and the phase go up at ``rate``; the last row is that of all above."""
    size = phase_down.shape[1]
    up = rate * sparse.eye_array(size)
    phase_up = np.full(size, rate)
    phase_up[-1] = 0.0  # the cut: who would come is turned away
    local = []
    for down, lower in zip(phase_down, level_down, strict=True):
        leaving = phase_up + down + lower + rate
        local.append(sparse.diags_array((phase_up[:-1], down[1:], -leaving), offsets=(1, -1, 0)))
    down_blocks = [sparse.diags_array(row) for row in level_down]
    return LevelProcess(
        local=local[:-1],
        up=[up] * (len(local) - 1),
        down=[None, *down_blocks[1:]],
        repeating_up=up,
        repeating_local=local[-1],
        repeating_down=down_blocks[-1],
    )
