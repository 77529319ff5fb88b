"""What the blocks of a stream say together, and when they are enough (see ``blocks``)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from msj.options import LEVELS
from msj.results import Outcome, Quantity
from msj.simulation.blocks import FIRST, LOOK, PIECES, STAGE, Block, Stream, blocks_at, stage_of
from msj.simulation.estimates import relative_half_width
from msj.simulation.growth import growth_rate
from msj.simulation.memory import why_no_variance
from msj.simulation.plan import said
from msj.simulation.reading import Reading, with_queue
from msj.simulation.run import AGREES
from msj.simulation.sketch import Sketch
from msj.simulation.tally import Tally

NO_VARIANCE_LOOK = 3  # the look that ends a stream whose means have no interval


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the first blocks of a stream say at a look."""

    blocks: int
    jobs: int
    width: float  # half the interval of the mean response time over its value; infinite without one
    growth: float | None = None  # jobs per unit of time, where the queue runs away
    left: int = 0  # counted jobs that never left


class Looks:
    """The looks at a stream, one after the other, each on more blocks.

    Parameters
    ----------
    stream
        What is looked at.

    Examples
    --------
    >>> import msj
    >>> from msj.simulation import Known
    >>> system = msj.read("examples/two_servers.toml").replace(arrival_rate=0.45)
    >>> looks = Looks(Stream(system=system, known=Known(stability_threshold=0.9), seed=1))
    >>> while (outcome := looks.outcome(precision=0.05, jobs=10**7)) is None:
    ...     for index in range(looks.through, looks.wanted):
    ...         looks.add(looks.stream.run(index))
    >>> row = looks.rows([50])[0]
    >>> outcome.label, looks.standings[-1].blocks, row.low < 2.815423 < row.high
    ('converged', 40, True)
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.blocks: list[Block] = []
        self.standings: list[Standing] = []
        self._last: tuple[int, tuple[Reading, list[list[int]]]] | None = None  # what was counted last

    @property
    def through(self) -> int:
        """Blocks that are here."""
        return len(self.blocks)

    @property
    def wanted(self) -> int:
        """Blocks that the next look is about."""
        return blocks_at(len(self.standings))

    def add(self, block: Block) -> None:
        """Take the next block, and look if it is time."""
        self.blocks.append(block)
        if self.through == self.wanted:
            self.standings.append(self._look())

    def outcome(self, *, precision: float, jobs: int) -> Outcome | None:
        """Return how the stream has ended with what is here; None while it goes on."""
        if self.standings:
            last = self.standings[-1]
            if last.growth is not None:
                return Outcome.UNSTABLE
            if self._no_variance and len(self.standings) > NO_VARIANCE_LOOK:
                return Outcome.TOO_SHORT if last.left else Outcome.JOB_LIMIT_REACHED
            if self._precise(precision):
                return Outcome.CONVERGED
        if self.stream.jobs_at(self.wanted) <= jobs:
            return None
        settled = bool(self.standings) and (self._no_variance or math.isfinite(self.standings[-1].width))
        return Outcome.PRECISION_NOT_REACHED if settled else Outcome.TOO_SHORT

    def expected(self, precision: float) -> int:
        """Return the blocks it will probably take; at least those of the next look."""
        if not self.standings or not math.isfinite(self.standings[-1].width) or self._no_variance:
            return self.wanted
        last, look = self.standings[-1], len(self.standings)
        jobs = last.jobs * (last.width / precision) ** 2  # half-widths shrink like the root
        while self.stream.jobs_at(blocks_at(look)) < jobs and look < len(self.standings) + 2 * STAGE // LOOK:
            look += 1
        return blocks_at(look)

    def rows(self, levels: Sequence[float] = LEVELS, method: str = "") -> list[Quantity]:
        """Return the quantities as the last look sees them; none where its blocks say nothing yet."""
        if not self.standings:
            return []
        last = self.standings[-1]
        if last.growth is not None:
            return [Quantity(name="queue_growth_rate", value=last.growth, kind="simulated", method=method)]
        reading = self._reading(last.blocks)
        if last.left or not reading.settled:
            return []
        return list(self.stream.question.estimates(reading, method).rows(levels))

    def sentence(self) -> str | None:
        """Return what to know about a stream that has ended without an interval."""
        stream = self.stream
        if not self.standings:
            return (
                f"The shortest run takes {stream.jobs_at(FIRST):,} jobs, since the relaxation time at this load is "
                f"about {said(stream.pace.memory)} jobs; allow more jobs"
            )
        last = self.standings[-1]
        if last.growth is not None:
            return f"The number of jobs grows by about {last.growth:.4g} per unit of time; no mean is meaningful"
        if last.left:
            return (
                f"{last.left:,} of the jobs counted had not left after as many more had come: the queue may keep "
                "growing, or some jobs wait for ever"
            )
        if self._no_variance:
            return self._no_variance[0].upper() + self._no_variance[1:]
        reading = self._reading(last.blocks)
        if reading.long_enough:
            return None
        return (
            f"{last.jobs:,} jobs are too few for an interval: the relaxation time is about "
            f"{said(reading.pace.memory)} jobs; allow more jobs"
        )

    @cached_property
    def _no_variance(self) -> str | None:
        stream = self.stream
        return why_no_variance(stream.system, stream.question.rate, stream.known.stability_threshold)

    def _precise(self, precision: float) -> bool:
        """Whether the last two looks agree that the precision is reached."""
        if len(self.standings) < 2:
            return False
        before, now = self.standings[-2:]
        return now.width <= precision and before.width <= AGREES * math.sqrt(now.jobs / before.jobs) * precision

    def _look(self) -> Standing:
        stream, blocks = self.stream, self.through
        jobs, left = stream.jobs_at(blocks), sum(block.left for block in self.blocks)
        growth = None if stream.pace.known else self._growth()
        if growth is not None or left:
            return Standing(blocks=blocks, jobs=jobs, width=math.inf, growth=growth, left=left)
        row = stream.question.estimates(self._reading(blocks)).mean_response_time()
        return Standing(blocks=blocks, jobs=jobs, width=relative_half_width(row))

    def _growth(self) -> float | None:
        """Return by how much the queue grows, seen in the longest blocks; None if it does not run away."""
        last = stage_of(self.through - 1)
        longest = [block for index, block in enumerate(self.blocks) if stage_of(index) == last]
        return growth_rate(
            [block.present for block in longest],
            [block.time for block in longest],
            in_service=self.stream.system.servers // min(c.need for c in self.stream.system.active_classes),
            before=self.stream.warm_up(last) / (self.stream.piece * 2**last),
        )

    def _reading(self, through: int) -> Reading:
        """Return what the first blocks are worth."""
        return self.counted(through)[0]

    def counted(self, through: int) -> tuple[Reading, list[list[int]]]:
        """Return what the first blocks are worth, and which of them make each batch."""
        if self._last is None or self._last[0] != through:
            self._last = through, self._count(through)
        return self._last[1]

    def _count(self, through: int) -> tuple[Reading, list[list[int]]]:
        stream = self.stream
        question, threshold = stream.question, stream.known.stability_threshold
        pace, first = stream.pace, 0
        last = stage_of(through - 1)
        of_blocks = [block.tallies() for block in self.blocks[:through]]
        while threshold is None:
            pace = with_queue(stream.system, question.rate, pace, of_blocks[first:])
            stage = stage_of(first)
            if stream.warm_up(stage) >= pace.settling or stage == last:
                break
            first = FIRST + STAGE * stage  # the blocks of this length do not count
        batches, pieces = [], []
        groups = _batches(first, through)
        for group in groups:
            tallies = [tally for index in group for tally in of_blocks[index]]
            batches.append(_whole(tallies, [self.blocks[index] for index in group]))
            size = len(tallies) // PIECES
            pieces += [Tally.total(tallies[i : i + size]) for i in range(0, len(tallies), size)]
        reading = Reading(
            pieces=pieces,
            batches=batches,
            pace=pace,
            jobs=sum(tally.column("jobs") for tally in batches),
            settled=stream.warm_up(stage_of(first)) >= pace.settling * 0.999,
            no_variance=self._no_variance,
        )
        return reading, groups


def _batches(first: int, through: int) -> list[list[int]]:
    """Return the blocks of each batch: all batches are as long as the longest block; what is over is left out.

    Examples
    --------
    >>> _batches(0, 40)[:2], len(_batches(0, 40)), len(_batches(0, 48)), len(_batches(32, 56))
    ([[0, 1], [2, 3]], 24, 32, 16)
    """
    longest = 2 ** stage_of(through - 1)
    found: list[list[int]] = []
    length = longest
    for index in reversed(range(first, through)):
        if length == longest:
            found.append([])
            length = 0
        found[-1].append(index)
        length += 2 ** stage_of(index)
    if length < longest:
        found.pop()
    return [group[::-1] for group in reversed(found)]


def _whole(tallies: Sequence[Tally], blocks: Sequence[Block]) -> Tally:
    """Return the tallies of blocks as one, with their sketches."""
    total = Tally.total(tallies)
    return dataclasses.replace(
        total,
        waiting=Sketch.total([block.waiting for block in blocks]),
        response=Sketch.total([block.response for block in blocks]),
    )
