"""The jobs of a point, in blocks: what the targets need to know of them.

A trial is a stream of blocks (``simulation.blocks``) whose first are short, since most points are decided at the first
look. Jobs are drawn by (seed, block), whatever the cluster: every point of a plan is served the same jobs (common
random numbers), so that neighbouring sizes err together and their order is not a matter of luck.

Of every block the sums over its pieces of what each target averages are kept, and the values themselves where a
percentile is to be shown. A cluster that remembers for longer than the effort allows gets shorter blocks, which begin
empty and see too short a queue: they may show that a target is missed, never that it is met.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.completed import Completed
from msj.model import System
from msj.planning.target import Measure, Target
from msj.results.units import ratio
from msj.simulation.blocks import BLOCK_MEMORIES, FIRST, PIECES, UNSURE_WARM_UP, Block, Stream, blocks_at, stage_of
from msj.simulation.estimates import adds_up
from msj.simulation.question import new_replication
from msj.simulation.run import FOLLOW_MEMORIES
from msj.workloads import Streams

LEAST_PIECE = 250  # jobs
FIRST_LOOK = 1 / 16  # of the jobs allowed, at most
FLOOR = 10  # seconds: shorter durations count as these in a bounded slowdown

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a block says of one target: sums and jobs of each piece, and the values of its jobs where they are kept."""

    sums: Floats
    jobs: Floats
    values: Floats


@dataclass(frozen=True, kw_only=True)
class TrialBlock:
    """A block, and what it says of each target."""

    block: Block
    seen: tuple[Seen, ...]


@dataclass(frozen=True, kw_only=True)
class Trial(Stream):
    """A stream of blocks of a system at its arrival rate, with targets.

    Parameters
    ----------
    targets
        What is asked of the jobs.
    most_jobs
        Jobs that may be spent.
    """

    targets: tuple[Target, ...] = field(default=())
    most_jobs: int = 4_000_000

    @cached_property
    def piece(self) -> int:
        """Jobs of a piece of the first blocks."""
        wanted = max(BLOCK_MEMORIES * self.pace.memory, self.pace.settling / UNSURE_WARM_UP) / PIECES
        most = FIRST_LOOK * self.most_jobs / (FIRST * PIECES * (1.0 + UNSURE_WARM_UP))
        return self._lengthened(math.ceil(max(min(wanted, most), LEAST_PIECE)))

    def _lengthened(self, piece: int) -> int:
        """Return the largest length with which as many interim analyses fit, so that the last one uses all jobs."""
        last = -1
        while self._jobs(blocks_at(last + 1), piece) <= self.most_jobs:
            last += 1
        if last < 0:
            return piece
        low, high = piece, 2 * piece  # the next analysis but one has twice the jobs, so that 2 * piece is too long
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._jobs(blocks_at(last), middle) <= self.most_jobs else (low, middle)
        return low

    def _jobs(self, blocks: int, piece: int) -> int:
        """Return the jobs of the first blocks, warm-ups included, if their first pieces have this length."""
        stages = (stage_of(index) for index in range(blocks))
        return sum(self._warm_up(stage, piece) + PIECES * piece * 2**stage for stage in stages)

    def warm_up(self, stage: int) -> int:
        """Return the jobs that a block leaves out at its beginning; no more than a block may hold."""
        return self._warm_up(stage, self.piece)

    def _warm_up(self, stage: int, piece: int) -> int:
        most = UNSURE_WARM_UP * PIECES * piece * 2**stage
        wanted: float = min(self.pace.settling, most) if self.pace.known else most
        return math.ceil(wanted)

    def trial(self, index: int, over: Callable[[], bool]) -> TrialBlock:
        """Run one block."""
        stage = stage_of(index)
        one = new_replication(
            self.system,
            self.question.rate,
            Streams(root=self.question.root, replication=index),
            warm_up=self.warm_up(stage),
            piece=self.piece * 2**stage,
            controls=self.question.controls,
        )
        parts: list[Completed] = []
        one.advance(PIECES, keep=lambda done: parts.append(done.copy()), over=over)
        counted = PIECES * self.piece * 2**stage
        most = math.ceil(max(counted, min(FOLLOW_MEMORIES * self.pace.memory, 1e6)))
        left = one.follow(PIECES, most, keep=lambda done: parts.append(done.copy()), over=over)
        first = self.warm_up(stage)
        jobs = Completed.join(parts)
        numbers = jobs.number - first
        inside = (numbers >= 0) & (numbers < counted)
        piece = numbers[inside] // (self.piece * 2**stage)
        columns: dict[str, Any] = {name: None if col is None else col[inside] for name, col in vars(jobs).items()}
        chosen = Completed(**columns)
        return TrialBlock(
            block=Block.of(one.record.tallies(PIECES), left),
            seen=tuple(self._seen(target, chosen, piece) for target in self.targets),
        )

    def _seen(self, target: Target, jobs: Completed, piece: NDArray[np.int64]) -> Seen:
        measure = Measure.WAIT if judged_by_wait(target, self.system) else target.measure
        values = values_of(measure, jobs, self.system.time_unit)
        which = _group(target, self.system, jobs)
        if which is not None:
            values, piece = values[which], piece[which]
        summed: Floats = (values > target.bound).astype(np.float64) if target.counts else values
        return Seen(
            sums=np.bincount(piece, weights=summed, minlength=PIECES).astype(float),
            jobs=np.bincount(piece, minlength=PIECES).astype(float),
            values=values if target.statistic == "percentile" else np.empty(0),
        )


def judged_by_wait(target: Target, system: System) -> bool:
    """Return whether a mean response time is the mean wait and a mean duration, which is known."""
    return target.measure is Measure.RESPONSE and target.statistic == "mean" and adds_up(system)


def values_of(measure: Measure | None, jobs: Completed, time_unit: str | None) -> Floats:
    """Return what is measured of each job."""
    response = jobs.finish - jobs.arrival
    if measure is Measure.RESPONSE:
        return response
    if measure is Measure.WAIT:
        wait = jobs.start - jobs.arrival
        if jobs.preemptions is None:
            return wait
        return np.where(jobs.preemptions > 0, np.maximum(response - jobs.duration, wait), wait)
    if measure is Measure.SLOWDOWN:
        # A job of no length, as logs have them, has no slowdown.
        slowdown = np.full(len(response), np.nan)
        np.divide(response, jobs.duration, out=slowdown, where=jobs.duration > 0)
        return slowdown
    assert time_unit is not None
    floor = FLOOR * float(ratio("seconds", time_unit))
    return np.maximum(response / np.maximum(jobs.duration, floor), 1.0)


def _group(target: Target, system: System, jobs: Completed) -> NDArray[np.bool_] | None:
    """Return which jobs a target is about; None if all."""
    if target.everybody:
        return None
    if target.need is not None:
        return np.asarray(jobs.need == target.need)
    index = [c.name for c in system.classes].index(str(target.job_class))
    return np.asarray(jobs.job_class == index)
