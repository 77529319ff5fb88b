"""Threshold and waste of FCFS clusters whose chain is too large: the saturated system, simulated.

All jobs are there from the beginning, so the head of the line never runs out. What is measured is the waste (servers
idle although jobs wait), over pieces of equal numbers of jobs; the first is left out. By Little's law
lambda*·E[need × duration] servers are busy on average, so lambda* = (servers − waste)/E[need × duration]: where little
is wasted the threshold is known far better than from counting completions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from msj.analysis.base import why_not_fcfs
from msj.errors import NotSupported, TooLarge
from msj.model import System
from msj.simulation.kernels.fcfs import FcfsKernel
from msj.workloads import PoissonJobs, Rng, Streams, seed_sequence

PIECES = 20
#: A piece lasts about this many times the longest mean duration.
DURATIONS = 20
LEAST_JOBS = 400_000
#: More than this takes minutes.
MOST_JOBS = 200_000_000
BLOCK = 100_000


@dataclass(frozen=True, kw_only=True)
class SaturatedEstimate:
    """Waste and threshold with 95 % intervals; both sides of the threshold follow from the waste."""

    wasted_servers: float
    low: float
    high: float
    servers: int
    mean_work: float
    jobs: int

    def threshold_at(self, wasted: float) -> float:
        """Return the threshold that goes with a number of wasted servers."""
        return (self.servers - wasted) / self.mean_work

    @property
    def ends(self) -> tuple[float, float, float]:
        """The waste and the two ends of its interval."""
        return self.wasted_servers, self.low, self.high

    @property
    def stability_threshold(self) -> float:
        """The arrival rate up to which the cluster is stable."""
        return self.threshold_at(self.wasted_servers)


def simulate_saturated(
    system: System, *, jobs: int | None = None, rng: Rng = None, watch: Callable[[], None] | None = None
) -> SaturatedEstimate:
    """Estimate what an FCFS cluster wastes at saturation; ``watch`` is called now and then.

    Examples
    --------
    >>> import msj
    >>> found = simulate_saturated(msj.read("examples/two_servers.toml"), rng=1)
    >>> found.low < 0.2 < found.high, found.threshold_at(0.2)
    (True, 0.9)
    """
    reason = why_not_fcfs(system)
    if reason is not None:
        raise NotSupported(f"saturation is simulated for FCFS only ({reason}); give utilisation or arrival_rate")
    longest = max(float(c.duration.mean) for c in system.active_classes)
    if jobs is None:
        jobs = max(LEAST_JOBS, math.ceil((PIECES + 1) * DURATIONS * longest * system.naive_threshold))
    if jobs > MOST_JOBS:
        raise TooLarge(
            f"{system.servers} servers would take {jobs:.3g} jobs to simulate at saturation, more than the "
            f"{MOST_JOBS:.0e} that are worth the wait; lower servers"
        )
    piece = math.ceil(jobs / (PIECES + 1))
    source = PoissonJobs(system, arrival_rate=1.0, streams=Streams(root=seed_sequence(rng), replication=0))
    kernel = FcfsKernel(servers=system.servers)
    marks = []
    for _ in range(PIECES + 1):
        left = piece
        while left:
            count = min(left, BLOCK)
            block = source.take(count)
            kernel.advance(replace(block, arrival=np.zeros(count)))
            left -= count
            if watch is not None:
                watch()
        marks.append((kernel.times[0], kernel.wasted_area))
    time, area = np.diff(np.array(marks), axis=0).T
    waste = float(area.sum() / time.sum())
    spread = math.sqrt(float(np.sum((area - waste * time) ** 2)) / (PIECES - 1) / PIECES) / float(time.mean())
    half = float(stdtrit(PIECES - 1, 0.975)) * spread
    return SaturatedEstimate(
        wasted_servers=waste,
        low=max(waste - half, 0.0),
        high=waste + half,
        servers=system.servers,
        mean_work=system.mean_work,
        jobs=piece * (PIECES + 1),
    )
