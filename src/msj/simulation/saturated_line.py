"""The line that never empties, simulated: FCFS with any duration law, any number of classes, any size.

Where no chain can be solved (durations that are not phase type, too many classes) the stability threshold of FCFS is
still the completion rate of its saturated system (reset, section 3.5). All jobs are there from the beginning. They
start in order, and between two starts servers stand idle because the job at the head of the line needs more of them; so
the waste splits by its class. Measured is that waste, over pieces of equal numbers of jobs, the first left out. By
Little's law lambda*·E[need × duration] servers are busy, so

    lambda* = (servers − waste)/E[need × duration]:

where little is wasted the threshold is known far better than from counting completions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msj.disciplines.base import told_apart
from msj.disciplines.fcfs import Fcfs, is_fcfs
from msj.engines.compiling import kernel
from msj.engines.ends import pop, push
from msj.errors import NotSupported, TooLarge
from msj.model import System
from msj.simulation.intervals import student_interval
from msj.workloads import Rng, Streams, SystemJobs, seed_sequence

PIECES = 20  # that count; one before them is left out
DURATIONS = 20  # a piece lasts about this many times as long as a server is held
LEAST_JOBS = 400_000
MOST_JOBS = 50_000_000  # some seconds; more are not worth the wait unasked
BLOCK = 100_000


@dataclass(frozen=True, kw_only=True)
class SaturatedLine:
    """Servers idle although jobs wait, in all and by the class they wait for: values and half-widths (95 %)."""

    idle: tuple[float, float]
    idle_by_class: tuple[tuple[float, float], ...]
    servers: int
    mean_work: float
    jobs: int

    @property
    def ends(self) -> tuple[float, float, float]:
        """The waste and the two ends of its interval."""
        value, half = self.idle
        return value, max(value - half, 0.0), value + half

    def threshold_at(self, wasted: float) -> float:
        """Return the threshold that goes with a number of wasted servers."""
        return (self.servers - wasted) / self.mean_work

    @property
    def stability_threshold(self) -> float:
        """The arrival rate up to which the cluster is stable."""
        return self.threshold_at(self.idle[0])

    @property
    def thresholds(self) -> tuple[float, float, float]:
        """The stability threshold and the two ends of its interval."""
        value, low, high = self.ends
        return self.threshold_at(value), self.threshold_at(high), self.threshold_at(low)


def time_held(system: System) -> float:
    """Return how long the job lasts, on average, that a busy server is found with: what the saturated line remembers.

    Examples
    --------
    >>> import msj
    >>> time_held(msj.read("examples/two_servers.toml"))
    1.6666666666666665
    """
    means = [(float(c.share) * c.need * float(c.duration.mean), float(c.duration.mean)) for c in system.active_classes]
    if not all(math.isfinite(mean) for _, mean in means):
        return math.inf
    return sum(work * mean for work, mean in means) / sum(work for work, _ in means)


def saturated_line(
    system: System,
    *,
    jobs: int | None = None,
    most_jobs: int = MOST_JOBS,
    rng: Rng = None,
    watch: Callable[[], None] | None = None,
) -> SaturatedLine:
    """Simulate the saturated FCFS system.

    Parameters
    ----------
    system
        The cluster; its load does not matter.
    jobs
        How many to simulate at least; more where the system needs longer to settle.
    most_jobs
        Refuse what would need more.
    rng
        Seed, ``SeedSequence``, ``Generator``, or None.
    watch
        Called now and then.

    Examples
    --------
    >>> import msj
    >>> line = saturated_line(msj.read("examples/two_servers.toml"), rng=1)
    >>> _, low, high = line.thresholds
    >>> low < 0.9 < high, line.threshold_at(0.2)
    (True, 0.9)
    """
    if not is_fcfs(system):
        what = f"policy {told_apart(system.policy, Fcfs)}" if system.model is None else f"model '{system.model.name}'"
        raise NotSupported(f"saturation is simulated for plain FCFS only, not for {what}; simulate at a load instead")
    # Durations may be infinitely long on average: then no run is long enough.
    least = (PIECES + 1) * max(DURATIONS * time_held(system) * system.naive_threshold, 50.0)
    if not least <= most_jobs:
        raise TooLarge(
            f"{least:.3g} jobs would have to be simulated to see the saturated system settle, above {most_jobs:,}; "
            "ask about fewer servers, or about durations closer together"
        )
    piece = max(math.ceil(least), LEAST_JOBS if jobs is None else jobs) // (PIECES + 1)
    source = SystemJobs(system, arrival_rate=1.0, streams=Streams(root=seed_sequence(rng), replication=0))
    ends, held = np.empty(system.servers), np.empty(system.servers, dtype=np.int64)
    counts = np.array([0, system.servers], dtype=np.int64)  # ends in the heap, servers free
    state = np.zeros(1 + len(system.classes))  # time of the last start, idle server-time by class
    marks = []
    for _ in range(PIECES + 1):
        left = piece
        while left:
            block = source.take(min(left, BLOCK))
            _advance(block.job_class, block.need, block.duration, ends, held, counts, state)
            left -= len(block)
            if watch is not None:
                watch()
        marks.append(state.copy())
    time, *idle = np.diff(np.array(marks), axis=0).T
    return SaturatedLine(
        idle=_half_width(np.sum(idle, axis=0), time),
        idle_by_class=tuple(_half_width(column, time) for column in idle),
        servers=system.servers,
        mean_work=system.mean_work,
        jobs=piece * (PIECES + 1),
    )


def _half_width(above: Any, below: Any) -> tuple[float, float]:
    value, _, high = student_interval(above, below)
    return value, high - value


@kernel
def _advance(job_class: Any, need: Any, duration: Any, ends: Any, held: Any, counts: Any, state: Any) -> Any:
    size, free, now = counts[0], counts[1], state[0]
    for i in range(len(need)):
        while free < need[i]:
            state[1 + job_class[i]] += (ends[0] - now) * free
            now = ends[0]
            free += held[0]
            size = pop(ends, held, size)
        free -= need[i]
        size = push(ends, held, size, now + duration[i], need[i])
    counts[0], counts[1], state[0] = size, free, now
