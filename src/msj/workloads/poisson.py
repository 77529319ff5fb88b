"""Jobs of a system: Poisson arrivals, classes drawn by their shares, durations by their laws.

Gaps are exponential with mean 1/lambda; classes are drawn by Walker's alias method (one uniform per job); the three
streams are separate, so a change of one class's durations leaves arrivals and classes as they were.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msj.model import System
from msj.model.durations import Exponential
from msj.workloads.job_block import JobBlock
from msj.workloads.streams import Streams


class PoissonJobs:
    """An endless source of a system's jobs at a given arrival rate."""

    def __init__(self, system: System, *, arrival_rate: float, streams: Streams) -> None:
        self.system = system
        self.arrival_rate = float(arrival_rate)
        self.needs = np.array([c.need for c in system.classes], dtype=np.int64)
        self.means = np.array([float(c.duration.mean) for c in system.classes])
        self.accept, self.alias = alias_table(np.array([float(c.share) for c in system.classes]))
        self.exponential = all(isinstance(c.duration, Exponential) for c in system.active_classes)
        self.clock = 0.0
        self.real, self.whole = np.empty((3, 0)), np.empty((2, 0), dtype=np.int64)
        self.gaps = streams.generator("arrivals")
        self.classes = streams.generator("classes")
        self.durations = streams.generator("durations")

    def take(self, count: int) -> JobBlock:
        """Return the next ``count`` jobs; the block's arrays are used again by the next call."""
        if len(self.real[0]) != count:
            self.real, self.whole = np.empty((3, count)), np.empty((2, count), dtype=np.int64)
        (arrival, chosen, duration), (job_class, need) = self.real, self.whole
        self.gaps.standard_exponential(out=arrival)
        self.classes.random(out=chosen)
        self.clock = _fill(
            self.clock, self.arrival_rate, arrival, chosen, self.accept, self.alias, self.needs, job_class, need
        )
        if self.exponential:
            self.durations.standard_exponential(out=duration)
            _scale(duration, job_class, self.means)
        else:
            self._draw(duration, job_class)
        return JobBlock(arrival=arrival, job_class=job_class, need=need, duration=duration)

    def _draw(self, duration: NDArray[np.float64], job_class: NDArray[np.int64]) -> None:
        for index, c in enumerate(self.system.classes):
            here = np.flatnonzero(job_class == index)
            duration[here] = c.duration.sample(self.durations, len(here))


def alias_table(shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return Walker's table: class i keeps its slot with probability ``accept[i]``, else ``alias[i]`` takes it."""
    count = len(shares)
    accept = shares / shares.sum() * count
    alias = np.arange(count, dtype=np.int64)
    small = [i for i in range(count) if accept[i] < 1.0]
    large = [i for i in range(count) if accept[i] >= 1.0]
    while small and large:
        poor, rich = small.pop(), large[-1]
        alias[poor] = rich
        accept[rich] -= 1.0 - accept[poor]
        if accept[rich] < 1.0:
            small.append(large.pop())
    accept[large] = 1.0
    for left in small:  # only rounding leaves any; a class that never arrives must not keep its slot
        accept[left] = 1.0 if shares[left] > 0 else 0.0
        alias[left] = int(np.argmax(shares))
    return accept, alias


@njit(cache=True)
def _fill(clock, rate, arrival, chosen, accept, alias, needs, job_class, need):  # type: ignore[no-untyped-def]
    classes = len(accept)
    mean_gap = 1.0 / rate
    for i in range(len(arrival)):
        clock += arrival[i] * mean_gap
        arrival[i] = clock
        x = chosen[i] * classes
        slot = int(x)
        c = slot if x - slot < accept[slot] else alias[slot]
        job_class[i] = c
        need[i] = needs[c]
    return clock


@njit(cache=True)
def _scale(duration, job_class, means):  # type: ignore[no-untyped-def]
    for i in range(len(duration)):
        duration[i] *= means[job_class[i]]
