"""How much a few long jobs say about the share of jobs that wait longer than x.

A job of need v and duration S that holds up the rest (its need exceeds the servers to spare) takes v/k of the servers
away and so makes about a·S jobs wait, a = (v/k)·lambda/(1 − rho): those that come meanwhile, and those that come until
the queue is gone again. About a·(S − x)⁺ of them wait longer than x. So in n jobs the number beyond x has, from such
jobs, the variance

    n·sum_c p_c·a_c²·E[((S_c − x)⁺)²],

a sum over the classes that hold up the rest, of those whose durations are more variable than exponential ones
(E[S⁴] > 6·E[S²]²). Batches estimate it by what they have seen, and their estimate v has itself the relative variance

    kappa = n·sum_c p_c·a_c⁴·E[((S_c − x)⁺)⁴]/(n⁴·v²),

beside the 2/(B − 1) of B batches. So they are worth 1/(1/(B − 1) + kappa/2) degrees of freedom
(:mod:`msj.simulation.percentile_interval`). E[S⁴] stands in for the partial moment, which the far tail makes.

On 128 servers under EASY with lognormal durations of cv 2 to 3, 4 million jobs, kappa is 1: batches count for 2 degrees
of freedom, not 23. Theory gives the 95th percentile of waiting, 58, a standard deviation of 3.3; ten seeds had 3.0, and
what their batches said alone was between 1.5 and 3.7.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.model import mean_speed
from msj.model import JobClass, System
from msj.model.durations import Duration
from msj.simulation.long_jobs import EXPONENTIAL
from msj.simulation.memory import held_up_by
from msj.simulation.sketch import BINS, Sketch

Floats = NDArray[np.float64]
NOTHING = np.zeros(0, dtype=np.int64)
ROUNDING = 1e-9
DRAWN = 2**18  # durations by which E[((S − x)⁺)²] is told: every law can be drawn from, few know their partial moments


class LongSpells:
    """What long jobs do to the number of jobs beyond x, for each job counted; nothing in most systems.

    ``fourth`` is the sum of p·a⁴·E[S⁴].

    Examples
    --------
    >>> import msj
    >>> def cluster(law):
    ...     return msj.System(servers=4, classes=[msj.JobClass(name="all", need=4, share=1, duration=law)])
    >>> LongSpells(cluster(msj.Exponential(mean=1)), 0.5).at(np.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    >>> heavy = LongSpells(cluster(msj.Lognormal(mean=1, cv=3)), 0.5)
    >>> [round(float(value), 1) for value in heavy.at(np.array([0.0, 20.0]))]  # by a² = 1 and E[S²] = 10
    [9.6, 2.5]
    """

    def __init__(self, system: System, rate: float, threshold: float | None = None) -> None:
        limit, speed = system.naive_threshold if threshold is None else threshold, mean_speed(system)
        each = rate / (1.0 - rate / limit) / (system.servers * speed) if rate < limit else 0.0
        chosen = [c for c in system.active_classes if _heavy(c) and held_up_by(system, c, rate, threshold) == 1]
        self.parts: list[tuple[float, float, _Beyond]] = []
        for c in chosen:
            law = _of_mean_one(c)  # many classes may have one law but for its mean
            beyond = next((made for *_, made in self.parts if made.law == law), None)
            mean = float(c.duration.mean)
            self.parts.append((float(c.share) * (c.need * each * mean) ** 2, mean / speed, beyond or _Beyond(law)))
        self._in_bins: dict[int, Floats] = {}
        self.fourth = sum(float(c.share) * (c.need * each * float(c.duration.mean)) ** 4 * _fourth(c) for c in chosen)

    def in_bins(self, lowest: int) -> Floats:
        """Return the variance at the upper end of every bin of a sketch: the same for all classes."""
        if lowest not in self._in_bins:
            self._in_bins[lowest] = self.at(Sketch.of(lowest, NOTHING).edges(np.arange(1, BINS + 1)))
        return self._in_bins[lowest]

    def at(self, edges: Floats) -> Floats:
        """Return the variance at each of these times."""
        found = np.zeros(len(edges))
        for weight, mean, beyond in self.parts:
            found += weight * beyond.square_at(edges / mean)
        return found


def _heavy(c: JobClass) -> bool:
    exponential = EXPONENTIAL * _of_mean_one(c).second_moment ** 2
    return math.isfinite(exponential) and _fourth(c) > exponential * (1.0 + ROUNDING)


def _fourth(c: JobClass) -> float:
    """Return E[S⁴]/E[S]⁴; that of an exponential law where the law does not say."""
    fourth = _of_mean_one(c).moment(4)
    return EXPONENTIAL * _of_mean_one(c).second_moment ** 2 if math.isnan(fourth) else fourth


def _of_mean_one(c: JobClass) -> Duration:
    """Return the law in units of its mean: at the ends of the range powers would overflow."""
    return c.duration.scaled(1 / c.duration.mean)


class _Beyond:
    """E[((S − x)⁺)²] of a law, from many draws with a fixed seed."""

    def __init__(self, law: Duration) -> None:
        self.law = law
        self.drawn = np.sort(law.sample(np.random.default_rng(1), DRAWN))
        self.above = np.zeros((3, DRAWN + 1))  # sums of powers 0, 1 and 2 of what is drawn, from the largest down
        self.above[:, :-1] = np.cumsum(self.drawn[::-1] ** np.arange(3)[:, None], axis=1)[:, ::-1] / DRAWN

    def square_at(self, edges: Floats) -> Floats:
        count, first, second = self.above[:, np.searchsorted(self.drawn, edges, side="right")]
        return np.asarray(np.maximum(second - 2.0 * edges * first + edges**2 * count, 0.0))
