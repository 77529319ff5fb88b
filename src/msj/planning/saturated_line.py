"""The line that never empties, simulated: first come, first served, any duration law, any number of classes.

Where no chain can be solved (durations that are not phase type, too many classes) the stability threshold of FCFS is
still the rate at which a saturated system starts jobs (reset, section 3.5: the threshold of a finite-skip system is
the completion rate of its saturated system). All jobs are there at time 0. FCFS starts them in order, at S_1 <= S_2
<= ..., and between S_(i-1) and S_i servers stand idle because job i, at the head of the line, needs more of them:

    lambda* = lim n/S_n,    idle because of class c = lim (1/S_n) sum_(i of class c) k·(S_i - S_(i-1)) - busy there.

By Little's law busy servers are lambda*·E[need × duration], so lambda* follows from the idle ones, and is known far
better that way than by counting starts where little is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from msj.errors import NotSupported, TooLarge
from msj.model import System
from msj.policies import Policy
from msj.simulation import Completed
from msj.simulation.choose import kernel_for
from msj.simulation.estimates import ratio_interval
from msj.workloads import PoissonJobs, Rng, Streams, seed_sequence

Array: TypeAlias = NDArray[np.float64]
PIECES = 20  # that count; one before them is left out
DURATIONS = 20  # a piece lasts at least so many times the longest mean duration
MOST_JOBS = 5_000_000


@dataclass(frozen=True, kw_only=True)
class SaturatedLine:
    """Servers idle although jobs wait, in all and for each class, with the half-widths of their 95 % intervals."""

    idle: tuple[float, float]
    idle_by_class: tuple[tuple[float, float], ...]
    servers: int
    mean_work: float
    jobs: int

    @property
    def stability_threshold(self) -> tuple[float, float]:
        """Starts per unit of time, and the half-width."""
        value, half = self.idle
        return (self.servers - value) / self.mean_work, half / self.mean_work


def saturated_line(system: System, *, jobs: int = 400_000, rng: Rng = None) -> SaturatedLine:
    """Simulate the saturated FCFS system.

    Examples
    --------
    >>> import msj
    >>> line = saturated_line(msj.read("examples/two_servers.toml"), jobs=100_000, rng=1)
    >>> value, half = line.stability_threshold
    >>> abs(value - 0.9) < 2 * half < 0.01
    True
    """
    if system.policy.name != "fcfs" or not isinstance(system.policy, Policy):
        raise NotSupported(f"only fcfs starts jobs in order, and the policy is '{system.policy.name}'; simulate it")
    longest = max(float(c.duration.mean) for c in system.active_classes)
    # Durations may be infinitely long on average: then no run is long enough.
    least = (PIECES + 1) * max(DURATIONS * longest * system.naive_threshold, 50.0)
    if not least <= MOST_JOBS:
        raise TooLarge(
            f"{least:.3g} jobs would have to be simulated to see the saturated system settle, above {MOST_JOBS:,}; "
            "ask about fewer servers, or about durations closer together"
        )
    piece = max(math.ceil(least), jobs) // (PIECES + 1)
    time, idle = _pieces(system, piece, Streams(root=seed_sequence(rng), replication=0))
    return SaturatedLine(
        idle=ratio_interval(idle.sum(axis=1), time),
        idle_by_class=tuple(ratio_interval(column, time) for column in idle.T),
        servers=system.servers,
        mean_work=system.mean_work,
        jobs=piece * (PIECES + 1),
    )


def _pieces(system: System, piece: int, streams: Streams) -> tuple[Array, Array]:
    """Return how long each piece lasted, and the idle server-time blamed on each class in it."""
    policy: Any = system.policy
    kernel = kernel_for(system, policy, streams)  # refuses what it does not know
    count = piece * (PIECES + 1)
    drawn = PoissonJobs(system, arrival_rate=1.0, streams=streams).take(count)
    done = Completed.join([kernel.advance(replace(drawn, arrival=np.zeros(count))).copy(), kernel.drain()])
    lost = _idle_before(done, system.servers)
    blamed = np.zeros((PIECES + 1, len(system.classes)))
    np.add.at(blamed, (np.arange(count) // piece, done.job_class), lost)
    gaps = np.diff(done.start, prepend=0.0)
    return gaps.reshape(-1, piece).sum(axis=1)[1:], blamed[1:]


def _idle_before(done: Completed, servers: int) -> Array:
    """Return the idle server-time between the start before each job and its own: a sum of positive terms."""
    times = np.concatenate((done.finish, done.start))  # at one moment, servers are given back before they are taken
    order = np.argsort(times, kind="stable")
    free = servers + np.cumsum(np.concatenate((done.need, -done.need))[order])
    times = times[order]
    idle = free[:-1] * np.diff(times)
    waiting_for = np.searchsorted(done.start, times[1:], side="left")  # the head of the line, which starts next
    return np.bincount(waiting_for, weights=idle, minlength=len(done) + 1)[: len(done)].astype(np.float64)
