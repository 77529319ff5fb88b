"""A simulation in blocks that anybody may run, in any order, and that add up to one answer.

A *stream* is one system at one arrival rate, with a seed: all an answer depends on but the effort. It names blocks 0,
1, 2, ..., independent replications with a warm-up each, whose random numbers come from (seed, block). So a block is a
function of its stream and its number, and it does not matter who runs it, where, or when.

Blocks grow: the first 32 have length L, the next 16 length 2L, the next 16 length 4L, and so on, so that the blocks
of one length always bring as many jobs as all before them. Looks are made after 32, 40, 48, 56, 64, ... blocks; the
jobs are then 1, 1.5, 2, 3, 4, ... times those of the first look, as in any run with a precision to reach (``run``),
and the blocks fall into 32 batches (24 half-way) of equal length. L spans ten memories. What a warm-up leaves of the
empty beginning (1 % of the queue, for less than a memory) so becomes smaller with every doubling, faster than the
interval does.

**The answer** is a function of the first n blocks, added in their order; n is the first look at which the interval is
narrow enough and the look before promised as much. Whatever else has been computed does not matter.

Where the threshold is not known, neither is the memory. Then a quarter of each block is its warm-up, and blocks whose
warm-up was shorter than the queue seen so far asks for do not count; those of the greatest length are half of all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.model import System
from msj.simulation.controls import FEWEST_MEMORIES
from msj.simulation.known import NOTHING, Known
from msj.simulation.plan import Pace
from msj.simulation.question import Question, new_replication
from msj.simulation.run import FOLLOW_MEMORIES
from msj.simulation.sketch import Sketch
from msj.simulation.tally import Tally
from msj.workloads import Streams, seed_sequence

FIRST, STAGE = 32, 16  # blocks of the first length, and of every further one
LOOK = 8  # blocks from one look to the next
PIECES = 8  # of a block; their sums tell controls from chance
LEAST_PIECE = 250  # jobs; the earliest end, at 96,000 jobs, is about as early as that of any run with a precision
BLOCK_MEMORIES = 10.0
UNSURE_WARM_UP = 0.25  # of a block, where the memory is not known

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Block:
    """What is remembered of a block: sums over its pieces, one sketch of each law, and who never left.

    ``sums``, ``time``, ``wasted_area``, ``busy_area``, ``present``, ``controls``, ``by_time_of_day`` and ``areas`` have
    a row for each piece and mean what they mean in a :class:`Tally`; the sketches are those of the whole block.
    """

    sums: Floats
    time: Floats
    wasted_area: Floats
    busy_area: Floats
    present: Floats
    controls: Floats
    by_time_of_day: Floats
    areas: Floats
    waiting: Sketch
    response: Sketch
    left: int

    @classmethod
    def of(cls, tallies: Sequence[Tally], left: int) -> Block:
        """Put the pieces of a replication together."""
        return cls(
            sums=np.array([tally.sums for tally in tallies]),
            time=np.array([tally.time for tally in tallies]),
            wasted_area=np.array([tally.wasted_area for tally in tallies]),
            busy_area=np.array([tally.busy_area for tally in tallies]),
            present=np.array([tally.present for tally in tallies]),
            controls=np.array([tally.controls for tally in tallies]),
            by_time_of_day=np.array([tally.by_time_of_day for tally in tallies]),
            areas=np.array([tally.areas for tally in tallies]),
            waiting=Sketch.total([tally.waiting for tally in tallies]),
            response=Sketch.total([tally.response for tally in tallies]),
            left=left,
        )

    def tallies(self) -> list[Tally]:
        """Return the pieces, without sketches."""
        empty = Sketch(self.waiting.lowest, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        return [
            Tally(
                self.sums[j],
                empty,
                empty,
                float(self.time[j]),
                float(self.wasted_area[j]),
                float(self.busy_area[j]),
                float(self.present[j]),
                self.controls[j],
                self.by_time_of_day[j],
                self.areas[j],
            )
            for j in range(len(self.time))
        ]


def stage_of(index: int) -> int:
    """Return how often the first length is doubled in a block.

    Examples
    --------
    >>> [stage_of(index) for index in (0, 31, 32, 47, 48)]
    [0, 0, 1, 1, 2]
    """
    return 0 if index < FIRST else 1 + (index - FIRST) // STAGE


def blocks_at(look: int) -> int:
    """Return how many blocks the look is about."""
    return FIRST + LOOK * look


@dataclass(frozen=True, kw_only=True)
class Stream:
    """One system at one arrival rate with one seed.

    Parameters
    ----------
    system
        The cluster, with an ``arrival_rate`` below what is known to be too much.
    known
        What the exact side knows.
    seed
        A whole number.
    controls
        Whether exactly solved single servers go along and take off noise.
    """

    system: System
    known: Known = NOTHING
    seed: int
    controls: bool = True

    @cached_property
    def pace(self) -> Pace:
        """What the system asks of a run."""
        return Pace.of(self.system, float(self.system.arrival_rate), self.known)  # type: ignore[arg-type]

    @cached_property
    def piece(self) -> int:
        """Jobs of a piece of the first blocks."""
        counted = max(BLOCK_MEMORIES * self.pace.memory, self.pace.settling / UNSURE_WARM_UP)
        return max(LEAST_PIECE, math.ceil(min(counted, 1e15) / PIECES))

    @cached_property
    def question(self) -> Question:
        """The same as a question to a run, whose statistics are used."""
        return Question.of(
            self.system,
            root=seed_sequence(self.seed),
            known=self.known,
            # Only controls that forget as soon as the cluster does are settled after its warm-up.
            jobs=math.ceil(min(FEWEST_MEMORIES * self.pace.memory, 1e15)),
            controls=self.controls,
        )

    def warm_up(self, stage: int) -> int:
        """Return the jobs that a block leaves out at its beginning."""
        unsure = 0.0 if self.pace.known else UNSURE_WARM_UP * PIECES * self.piece * 2**stage
        return math.ceil(max(self.pace.settling, unsure))

    def jobs_at(self, blocks: int) -> int:
        """Return the jobs of the first blocks, warm-ups included.

        Examples
        --------
        >>> import msj
        >>> system = msj.read("examples/two_servers.toml").replace(arrival_rate=0.45)
        >>> stream = Stream(system=system, known=Known(stability_threshold=0.9), seed=1)
        >>> [stream.jobs_at(blocks) for blocks in (32, 48, 64)]
        [64928, 129392, 257856]
        """
        stages = [stage_of(index) for index in range(blocks)]
        return sum(self.warm_up(stage) + PIECES * self.piece * 2**stage for stage in stages)

    def run(self, index: int) -> Block:
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
        one.advance(PIECES)
        counted = PIECES * self.piece * 2**stage
        left = one.follow(PIECES, math.ceil(max(counted, min(FOLLOW_MEMORIES * self.pace.memory, 1e7))))
        return Block.of(one.record.tallies(PIECES), left)
