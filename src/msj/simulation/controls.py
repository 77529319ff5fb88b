"""What the very jobs that are simulated bring along and whose mean is known: control variates.

Beside the cluster single servers work on the same jobs. A job of class c and duration d brings a server the work
w_c·d, and the workload V that each job finds there is added up,

    V ← max(V − gap, 0),    then    V ← V + w_c·d.

Arrivals are Poisson, so by Pollaczek and Khinchine its mean is lambda·E[Y²]/(2(1 − lambda·E[Y])), Y = w_c·d, and the
server is busy with probability lambda·E[Y]. Whatever lets the jobs of a stretch wait longer than usual, a burst or
long jobs, loads these servers, too: what they had beyond their means tells what the cluster had beyond its own
(:mod:`msj.simulation.controlled`). Gaps, classes and durations have known means as well.

**Which servers.** Any weights w_c are right; good ones are like the cluster.

- w_c = need/k: a server as fast as the whole cluster, always there. Where no server is ever wasted it knows nearly
  all.
- Where servers are wasted and the threshold is known, the time that a job takes away from the rest,
  w_c = (∂(1/lambda*)/∂m_c)/p_c, m_c the mean duration: 1/lambda* is homogeneous in the durations, so
  lambda·E[Y] = lambda/lambda*, and this server is exactly as near to its limit as the cluster is.
- Where the threshold is not known, slower ones of weight need/k that are .75, .88 and .96 busy.
- Where jobs of larger need go first, servers that see these only.

A further server that remembers its past for too large a part of the run is left out: its mean over the run says little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msj.disciplines import Policy
from msj.disciplines.model import mean_speed, policy_of
from msj.model import System
from msj.model.assumptions import assumed, why_not_plain
from msj.workloads.job_block import JobBlock

SERVERS = 4  # at most
BUSY = (0.75, 0.88, 0.96)  # where no threshold is known
ROOM = (1.0, 1.6)  # of the servers with the threshold's weights: their distance to saturation, over the cluster's
BUSIER = 1.02  # than the server as fast as the cluster, for another to be worth its cost
FEWEST_MEMORIES = 50.0  # of a server that a run must span
FEW_CLASSES = 4  # up to so many each has controls of its own

SQUARES = 2 * SERVERS  # column; before it workloads and busy servers, after it numbers and durations of the classes
FIRST_CLASS = SQUARES + 1

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Controls:
    """Which controls go along with a run, and their means for one job.

    Parameters
    ----------
    weights
        One row for each single server: w_c of all classes.
    workloads, busy
        The mean workload that a job finds at each, and the probability that there is some.
    gap
        Mean time between arrivals.
    square
        Mean square of the servers × time a job takes.
    shares, needs, durations
        Of the classes: probability, need and mean duration.
    """

    weights: tuple[tuple[float, ...], ...]
    workloads: tuple[float, ...]
    busy: tuple[float, ...]
    gap: float
    square: float
    shares: tuple[float, ...]
    needs: tuple[int, ...]
    durations: tuple[float, ...]

    @classmethod
    def of(
        cls, system: System, rate: float, *, threshold: float | None, weights: Sequence[float] | None, jobs: float
    ) -> Controls:
        """Choose the controls of a run.

        Parameters
        ----------
        system, rate
            The cluster and how much arrives; Poisson, all jobs independent.
        threshold, weights
            lambda*, and the time a job of each class takes away from the rest, where they are known.
        jobs
            How many are simulated.
        """
        chosen: list[tuple[float, ...]] = []
        workloads, busy = [], []
        for each in _candidates(system, rate, threshold, weights):
            work = [(float(c.share), w, c.duration) for c, w in zip(system.classes, each, strict=True) if c.share > 0]
            load = rate * sum(share * w * float(law.mean) for share, w, law in work)
            square = rate * sum(share * w**2 * law.second_moment for share, w, law in work)
            if not 0 < load < 1:
                continue
            memory = 2.0 * rate * square / (1.0 - load) ** 2  # jobs; see ``memory``
            if not chosen or jobs >= FEWEST_MEMORIES * memory:
                chosen.append(tuple(each))
                workloads.append(square / (2.0 * (1.0 - load)))
                busy.append(load)
        active = [c for c in system.classes if c.share > 0]
        return cls(
            weights=tuple(chosen),
            workloads=tuple(workloads),
            busy=tuple(busy),
            gap=1.0 / rate,
            square=sum(float(c.share) * c.need**2 * c.duration.second_moment for c in active),
            shares=tuple(float(c.share) for c in system.classes),
            needs=tuple(c.need for c in system.classes),
            durations=tuple(float(c.duration.mean) for c in system.classes),
        )

    @property
    def columns(self) -> int:
        """Sums that are kept for each piece."""
        return FIRST_CLASS + 2 * len(self.shares)

    def centred(self, sums: Floats, time: Floats, *, job_class: int | None, busy: bool) -> Floats:
        """Return controls, one row for each piece, all of mean 0.

        Parameters
        ----------
        sums, time
            What was added up over the jobs of each piece, and how long it lasted.
        job_class
            The class whose mean is estimated; None for all jobs.
        busy
            Whether a probability is estimated: then that of a busy server counts, too.
        """
        servers, classes = len(self.weights), len(self.shares)
        numbers = sums[:, FIRST_CLASS : FIRST_CLASS + classes]
        durations = sums[:, FIRST_CLASS + classes :]
        jobs = numbers.sum(axis=1)[:, None]
        shares, means, needs = np.array(self.shares), np.array(self.durations), np.array(self.needs, dtype=float)
        found = [sums[:, :servers] - jobs * np.array(self.workloads), time[:, None] - jobs * self.gap]
        if busy:
            found.append(sums[:, SERVERS : SERVERS + servers] - jobs * np.array(self.busy))
        numbers, durations = numbers - jobs * shares, durations - jobs * shares * means
        if classes <= FEW_CLASSES:
            return np.column_stack([*found, numbers[:, 1:], durations])
        found += [(durations @ needs)[:, None], durations.sum(axis=1)[:, None]]
        found += [sums[:, SQUARES, None] - jobs * self.square]
        if job_class is not None:
            found += [numbers[:, job_class, None], durations[:, job_class, None]]
        return np.column_stack(found)


def why_no_controls(system: System) -> str | None:
    """Return why nothing can be taken off the noise; None if something can."""
    if policy_of(system).turns_away:
        return "where nobody waits, single servers with a line tell nothing"
    if why_not_plain(system) is not None:
        known = "what control servers find is known for Poisson arrivals of independent jobs only"
        return f"{known}, not for {assumed(system)}"
    for c in system.active_classes:
        fourth = c.duration.moment(4)
        if not math.isfinite(fourth):
            unknown = "is not known" if math.isnan(fourth) else "is infinite"
            return (
                f"the fourth moment of the durations of class '{c.name}' ({c.duration.law}) {unknown}, so the control "
                "servers' own means would be too noisy"
            )
    return None


def _candidates(
    system: System, rate: float, threshold: float | None, weights: Sequence[float] | None
) -> list[list[float]]:
    """Return the weights of servers that would serve, the best first."""
    policy, needs = system.policy, [c.need for c in system.classes]
    whole = [need / (system.servers * mean_speed(system)) for need in needs]
    load = rate / system.naive_threshold
    found = [whole]
    if threshold is not None and threshold < system.naive_threshold / BUSIER:
        room = 1.0 - rate / threshold
        like = weights or [w * system.naive_threshold / threshold for w in whole]
        found += [[w * (1.0 - r * room) / (1.0 - room) for w in like] for r in ROOM if r * room < 1.0]
    elif isinstance(policy, Policy) and policy.larger_needs_first:
        largest = sorted({c.need for c in system.active_classes})[:0:-1]
        found += [[w if need >= least else 0.0 for w, need in zip(whole, needs, strict=True)] for least in largest]
    elif threshold is None:
        found += [[w * busy / load for w in whole] for busy in BUSY if busy > BUSIER * load]
    return found[:SERVERS]


class ControlServers:
    """The single servers as they are now."""

    def __init__(self, controls: Controls) -> None:
        self.weights = np.zeros((len(controls.shares), SERVERS))
        self.weights[:, : len(controls.weights)] = np.array(controls.weights).reshape(-1, len(controls.shares)).T
        self.needs = np.array(controls.needs, dtype=float)
        self.workload = np.zeros(SERVERS)
        self.clock = np.zeros(1)

    def follow(self, block: JobBlock, sums: Floats) -> None:
        """Let jobs arrive, and add what they find and bring to ``sums``."""
        arrays = (block.arrival, block.job_class, block.duration)
        _follow(*arrays, self.weights, self.needs, self.workload, self.clock, sums)


@njit(cache=True, nogil=True, error_model="numpy")
def _follow(
    arrival: Floats,
    job_class: NDArray[np.int64],
    duration: Floats,
    weights: Floats,
    needs: Floats,
    workload: Floats,
    clock: Floats,
    sums: Floats,
) -> Any:
    # Four servers by hand: their steps do not wait for each other, and all of it stays in registers.
    classes = len(needs)
    a, b, c, d = workload[0], workload[1], workload[2], workload[3]
    sum_a, sum_b, sum_c, sum_d = 0.0, 0.0, 0.0, 0.0
    busy_a, busy_b, busy_c, busy_d = 0, 0, 0, 0
    squares, before = 0.0, clock[0]
    for i in range(len(arrival)):
        gap = arrival[i] - before
        before = arrival[i]
        a, b, c, d = max(a - gap, 0.0), max(b - gap, 0.0), max(c - gap, 0.0), max(d - gap, 0.0)
        sum_a += a
        sum_b += b
        sum_c += c
        sum_d += d
        busy_a += a > 0.0
        busy_b += b > 0.0
        busy_c += c > 0.0
        busy_d += d > 0.0
        j, length = job_class[i], duration[i]
        a += weights[j, 0] * length
        b += weights[j, 1] * length
        c += weights[j, 2] * length
        d += weights[j, 3] * length
        work = needs[j] * length
        squares += work * work
        sums[FIRST_CLASS + j] += 1.0
        sums[FIRST_CLASS + classes + j] += length
    clock[0] = before
    workload[0], workload[1], workload[2], workload[3] = a, b, c, d
    sums[0] += sum_a
    sums[1] += sum_b
    sums[2] += sum_c
    sums[3] += sum_d
    sums[4] += busy_a
    sums[5] += busy_b
    sums[6] += busy_c
    sums[7] += busy_d
    sums[8] += squares
