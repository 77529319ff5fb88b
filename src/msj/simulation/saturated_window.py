"""The saturated system of any policy, simulated: it always has jobs waiting and looks at the oldest of them only.

A policy that may look at every waiting job has no saturated system of its own: with an endless line it would pick what
fits best for ever. Let it look at the B oldest waiting jobs and at nobody behind them. That is a finite-skip policy, so
the completion rate of its saturated system is its threshold (reset, section 3.5): every job enters the window in its
turn and none leaves it unserved, so classes complete in the proportions in which they arrive. As B grows it becomes the
policy itself. So B is doubled until the threshold no longer moves. That is evidence and no proof: what it tends to
might still be another number.

The window is filled up to 2B in small steps of time, in which it falls to about B; the engine is the one that simulates
the policy otherwise. Measured are the servers idle although jobs wait; by Little's law lambda_B = (servers −
idle)/E[need × duration] (:mod:`msj.simulation.saturated_line`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msj.disciplines.model import mean_speed
from msj.disciplines.restarting import why_not_resumed
from msj.engines.event import EventEngine
from msj.errors import NotSupported, OutOfTime
from msj.model import System
from msj.model.assumptions import require
from msj.simulation.engine_of import engine_of
from msj.simulation.intervals import student_interval
from msj.workloads import Rng, Streams, SystemJobs, seed_sequence
from msj.workloads.job_block import JobBlock

PIECES = 20  # that count; one before them is left out
JOBS = 200_000
WINDOWS = 20  # a piece is at least so many windows' worth of jobs
LEAST_WINDOW = 32
MOST_DOUBLINGS = 7
STILL = 0.005  # relative change of the threshold that counts as none
MOST_STEPS = 40  # of refilling at one moment: the line is then as long as it can be


@dataclass(frozen=True, kw_only=True)
class Window:
    """The threshold of the policy that looks at the ``oldest`` waiting jobs only, with its 95 % interval."""

    oldest: int
    threshold: float
    low: float
    high: float
    jobs: int

    def like(self, other: Window) -> bool:
        """Return whether the two cannot be told apart, or differ by next to nothing."""
        gap = abs(self.threshold - other.threshold)
        chance = math.hypot(self.high - self.threshold, other.high - other.threshold)
        return gap <= max(STILL * self.threshold, min(chance, 4 * STILL * self.threshold))


@dataclass(frozen=True, kw_only=True)
class SaturatedWindows:
    """The windows tried, each twice the one before, and whether the last doubling changed nothing any more."""

    windows: tuple[Window, ...]
    settled: bool

    @property
    def last(self) -> Window:
        """The widest window."""
        return self.windows[-1]

    @property
    def low(self) -> float:
        """The lower end of the last window's interval or, if the threshold no longer moves, of the last two."""
        return min(each.low for each in self.windows[-2:]) if self.settled else self.last.low

    @property
    def high(self) -> float:
        """The upper end and what all further doublings may still bring; infinite while the threshold still moves.

        That is as much again as the last one brought, and at least what counted as nothing.
        """
        if not self.settled:
            return math.inf
        before, last = self.windows[-2:]
        return max(before.high, last.high) + max(last.threshold - before.threshold, STILL * last.threshold)


def saturated_windows(
    system: System,
    *,
    jobs: int | None = None,
    rng: Rng = None,
    over: Callable[[], bool] | None = None,
) -> SaturatedWindows:
    """Simulate the saturated system of a policy, looking at more and more waiting jobs.

    Parameters
    ----------
    system
        The cluster; its load does not matter.
    jobs
        How many to simulate at each window, at least.
    rng
        Seed, ``SeedSequence``, ``Generator``, or None.
    over
        Asked now and then whether to stop with the windows there are; an error if there is none yet.

    Examples
    --------
    First fit on two servers, where jobs need one or both:

    >>> import msj
    >>> system = msj.read("examples/two_servers.toml").replace(policy="first-fit")
    >>> found = saturated_windows(system, jobs=100_000, rng=1)
    >>> found.settled, 0.97 < found.last.threshold <= 1.01
    (True, True)
    """
    streams = seed_sequence(rng).spawn(MOST_DOUBLINGS + 1)
    together = sum(float(c.share) * float(c.duration.mean) for c in system.active_classes) * system.naive_threshold
    oldest = max(LEAST_WINDOW, 2 ** math.ceil(math.log2(max(together / 8.0, 1.0))))
    found: list[Window] = []
    for stream in streams:
        window = one_window(system, oldest, jobs=jobs or JOBS, root=stream, over=over)
        if window is None:
            break
        found.append(window)
        if len(found) > 1 and window.like(found[-2]):
            return SaturatedWindows(windows=tuple(found), settled=True)
        oldest *= 2
    if not found:
        raise OutOfTime("the time allowed was used up before the saturated system was seen; allow more")
    return SaturatedWindows(windows=tuple(found), settled=False)


def one_window(
    system: System, oldest: int, *, jobs: int, root: np.random.SeedSequence, over: Callable[[], bool] | None = None
) -> Window | None:
    """Simulate the saturated system of a policy that looks at the ``oldest`` to 2·``oldest`` waiting jobs.

    None if it was stopped before it was through.
    """
    require(why_not_resumed(system), "the saturated system")  # servers in use do not tell then how much is done
    streams = Streams(root=root, replication=0)
    engine = engine_of(system, streams)
    if not isinstance(engine, EventEngine):
        raise NotSupported(f"policy '{system.policy.name}' is not simulated event by event; simulate it at a load")
    line = _Line(engine=engine, source=SystemJobs(system, arrival_rate=1.0, streams=streams), oldest=oldest)
    line.fill()
    piece = max(jobs // (PIECES + 1), WINDOWS * oldest)
    step = oldest / 4.0 / system.naive_threshold
    marks = []
    for _ in range(PIECES + 1):
        goal = line.fed + piece
        while line.fed < goal:
            line.wait(step)
            # The steps adapt to how fast jobs start, so that the window is never empty but now and then.
            step *= 1.02 if line.waiting > 1.5 * oldest else 0.9 if line.waiting < oldest else 1.0
            line.fill()
            if over is not None and over():
                return None
        marks.append((line.now, engine.wasted_area))
    time, idle = np.diff(np.array(marks), axis=0).T
    wasted, low, high = student_interval(idle, time)
    capacity = system.servers * mean_speed(system)
    rates = [(capacity - each) / system.mean_work for each in (wasted, high, max(low, 0.0))]
    return Window(oldest=oldest, threshold=rates[0], low=rates[1], high=rates[2], jobs=line.fed)


@dataclass(kw_only=True)
class _Line:
    """The waiting jobs of an engine, kept from running out."""

    engine: EventEngine
    source: SystemJobs
    oldest: int
    now: float = 0.0
    fed: int = 0

    @property
    def waiting(self) -> int:
        state: Any = self.engine.state
        return int(state["present"] - state["running"])

    def wait(self, step: float) -> None:
        """Let time pass; somebody must come at its end for the engine to get there."""
        self.now += step
        self._feed(max(2 * self.oldest - self.waiting, 1))

    def fill(self) -> None:
        """Let jobs come at this moment until enough of them wait: some start at once."""
        for _ in range(MOST_STEPS):
            if self.waiting >= self.oldest:
                return
            self._feed(2 * self.oldest - self.waiting)

    def _feed(self, count: int) -> None:
        block = self.source.take(count)
        at = np.full(len(block), self.now)
        self.engine.advance(JobBlock(arrival=at, job_class=block.job_class, need=block.need, duration=block.duration))
        self.fed += len(block)
