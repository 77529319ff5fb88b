"""Jobs of a system: arrivals by their law, classes in their order, durations by their laws.

Poisson gaps are exponential with mean 1/lambda, other laws draw their own (``model.arrivals``). Independent classes are
drawn by Walker's alias method, others by a walk through the states of their order (``model.orders``), either way with
one uniform per job, unless the arrivals say who comes. The three streams are separate, so a change of one class's
durations leaves arrivals and classes as they were. Jobs are drawn in blocks of fixed size and handed out as asked, so
that the same jobs come whoever asks for how many.

**Time keeps its digits.** Where jobs are rare, the clock would run away from the durations and differences of times
would lose their digits. The sum of the work of all jobs so far, less the time that passed, bounds the time until the
cluster is empty, whoever is served, if somebody is. Of a gap a thousand times as long only a thousandth matters to
nobody: the rest is cut out of the clock and kept in ``skipped``, which belongs to the time that passed all the same.
Where all servers may stand idle although jobs are present, nothing is cut.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msj.model import System
from msj.model.arrivals.walk import walk_through_states
from msj.model.durations import Exponential
from msj.model.orders import OrderChain
from msj.model.trials import try_laws
from msj.workloads.job_block import JobBlock
from msj.workloads.streams import Streams

BLOCK = 32768  # jobs: small enough that a block stays in the cache, large enough that Python's share is small
LONG_EMPTY = 1000.0  # times what would empty the cluster: longer gaps are cut


class SystemJobs:
    """An endless source of a system's jobs at a given arrival rate.

    ``least_busy`` says how many servers work at least while a job is present; 0 if perhaps none does.
    """

    def __init__(self, system: System, *, arrival_rate: float, streams: Streams, least_busy: float = 1.0) -> None:
        try_laws(system)
        self.system = system
        self.arrival_rate = float(arrival_rate)
        self.needs = np.array([c.need for c in system.classes], dtype=np.int64)
        self.means = np.array([float(c.duration.mean) for c in system.classes])
        self.accept, self.alias = alias_table(np.array([float(c.share) for c in system.classes]))
        self.exponential = all(isinstance(c.duration, Exponential) for c in system.active_classes)
        # A model may let a cluster without jobs change (set-up times): then no gap is cut.
        cuts = system.model is None and least_busy > 0.0
        self.least_gap = LONG_EMPTY * float(self.means.max()) / min(least_busy, 1.0) if cuts else np.inf
        self.long_empty = LONG_EMPTY / min(least_busy, 1.0) if cuts else np.inf
        self.times = np.zeros(3)  # the clock, what was cut out of it, a bound on the time until the cluster is empty
        self.real, self.whole = np.empty((3, BLOCK)), np.empty((2, BLOCK), dtype=np.int64)
        self.used = BLOCK
        self.gaps = streams.generator("arrivals")
        self.classes = streams.generator("classes")
        self.durations = streams.generator("durations")
        names = [c.name for c in system.classes]
        self.told = system.arrivals.marks_classes
        # Poisson arrivals and independent jobs have a loop of their own, below.
        self.arrivals = (
            None
            if system.arrivals.poisson and not self.told
            else system.arrivals.sampler(self.arrival_rate, self.gaps, names)
        )
        self.order = None if system.order.independent or self.told else OrderWalk(system.order_chain, self.classes)
        if system.arrivals.period is not None:
            self.least_gap = np.inf  # the clock must stay what it is

    @property
    def clock(self) -> float:
        """When the last job that was handed out arrives."""
        return float(self.real[0, self.used - 1]) if self.times[0] > 0 else 0.0

    @property
    def skipped(self) -> float:
        """Time cut out of the clock before the last job that was handed out, while the cluster was empty."""
        return float(self.real[1, self.used - 1]) if self.times[0] > 0 else 0.0

    @property
    def at_hand(self) -> int:
        """How many jobs can be handed out without drawing more and putting the two together."""
        return BLOCK - self.used or BLOCK

    def take(self, count: int) -> JobBlock:
        """Return the next ``count`` jobs; the block's arrays are used again by later calls."""
        parts = []
        while count > 0:
            if self.used == BLOCK:
                self._draw()
            here = slice(self.used, min(self.used + count, BLOCK))
            parts.append((self.real[:, here], self.whole[:, here]))
            count -= here.stop - here.start
            self.used = here.stop
            if count > 0:  # the rest is drawn over what lies here
                parts[-1] = (parts[-1][0].copy(), parts[-1][1].copy())
        real, whole = (
            parts[0] if len(parts) == 1 else (np.concatenate(kind, axis=1) for kind in zip(*parts, strict=True))
        )
        return JobBlock(arrival=real[0], job_class=whole[0], need=whole[1], duration=real[2])

    def _draw(self) -> None:
        (arrival, chosen, duration), (job_class, need) = self.real, self.whole
        if self.arrivals is None:
            self.gaps.standard_exponential(out=arrival)
        else:
            self.arrivals.draw(arrival, job_class)
        if self.order is not None:
            self.order.draw(job_class)
        drawn = self.order is not None or self.told
        if self.exponential:
            self.durations.standard_exponential(out=duration)
        if drawn:
            need[:] = self.needs[job_class]
            if self.exponential:
                duration *= self.means[job_class]
        else:
            self.classes.random(out=chosen)
            scaled = duration if self.exponential else duration[:0]
            _choose(chosen, self.accept, self.alias, self.needs, job_class, need, self.means, scaled)
        if not self.exponential:
            # Class by class in one array, then to their places in one pass: the time does not grow with the classes.
            counts = np.bincount(job_class, minlength=len(self.needs))
            drawn_by_class = [
                c.duration.sample(self.durations, count)
                for c, count in zip(self.system.classes, counts.tolist(), strict=True)
                if count
            ]
            _put_in_place(job_class, np.cumsum(counts) - counts, np.concatenate(drawn_by_class), duration)
        rate = self.arrival_rate if self.arrivals is None else 1.0  # gaps of other laws have their length already
        _arrive(self.times, rate, self.least_gap, self.long_empty, need, duration, arrival, chosen)
        self.used = 0


class OrderWalk:
    """Classes of successive jobs, by a walk through the states of their order."""

    def __init__(self, chain: OrderChain, rng: np.random.Generator) -> None:
        self.cumulative, self.states, self.rng = chain.cumulative, chain.states, rng
        self.state = np.array([rng.choice(chain.states, p=chain.law / chain.law.sum())])

    def draw(self, job_class: NDArray[np.int64]) -> None:
        """Fill the classes of the next jobs."""
        chosen = self.rng.random(len(job_class))
        walk_through_states(chosen, self.state, self.cumulative, self.states, job_class)


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


@njit(cache=True, nogil=True)
def _choose(chosen, accept, alias, needs, job_class, need, means, duration):  # type: ignore[no-untyped-def]
    # Durations that are there already are exponential with mean 1, and get their class's mean on the way.
    classes, scale = len(accept), len(duration) > 0
    for i in range(len(chosen)):
        x = chosen[i] * classes
        slot = int(x)
        c = slot if x - slot < accept[slot] else alias[slot]
        job_class[i] = c
        need[i] = needs[c]
        if scale:
            duration[i] *= means[c]


@njit(cache=True, nogil=True)
def _put_in_place(job_class, first, by_class, duration):  # type: ignore[no-untyped-def]
    """Hand out what lies sorted by class, ``first`` of each class first."""
    for i in range(len(job_class)):
        c = job_class[i]
        duration[i] = by_class[first[c]]
        first[c] += 1


@njit(cache=True, nogil=True)
def _arrive(times, rate, least_gap, long_empty, need, duration, arrival, before):  # type: ignore[no-untyped-def]
    clock, skipped, busy = times[0], times[1], times[2]
    mean_gap = 1.0 / rate
    # As long as no gap is long, as always but where jobs are rare, nothing is cut, and a rough bound will do: what was
    # there and has not passed, and all that came since.
    short, work = 0, 0.0
    while short < len(arrival) and arrival[short] * mean_gap <= least_gap:
        clock += arrival[short] * mean_gap
        arrival[short], before[short] = clock, skipped
        work += need[short] * duration[short]
        short += 1
    busy = max(busy - (clock - times[0]), 0.0) + work
    for i in range(short, len(arrival)):
        gap = arrival[i] * mean_gap
        longest = long_empty * busy + least_gap
        if gap > longest:
            skipped += gap - longest
            gap = longest
        clock += gap
        arrival[i], before[i] = clock, skipped
        busy = max(busy - gap, 0.0) + need[i] * duration[i]
    times[0], times[1], times[2] = clock, skipped, busy
