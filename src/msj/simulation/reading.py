"""What a run is worth: how many memories it spans, which pieces count, and whether it says anything at all.

Where the threshold is known, so is the memory. Elsewhere the queue that was seen tells (:func:`memory_seen`), and
since a run that is too short sees too short a queue, three times as many memories are asked for. The warm-up must
have lasted as long as the memory seen asks for; where it has not, further pieces at the beginning are left out, up to
half of the run.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from msj.model import System
from msj.simulation.memory import FORGETS, memory_seen, why_no_variance
from msj.simulation.plan import LEAST_LONG_JOBS, Pace
from msj.simulation.tally import COLUMNS, Tally

MOST_BATCHES = 30
FEWEST_BATCHES = 8
BATCH_MEMORIES = 10.0  # a batch spans so many, where there are enough batches
BATCH_CAUSES = 3.0  # ... and so many of the rarest cause of waits, as expected


@dataclass(frozen=True)
class Reading:
    """The counted part of a run.

    Parameters
    ----------
    pieces, batches
        All that counts, in its pieces, and as many of them after each other put together as span several memories.
    pace
        What the system asks for, the run's own queue considered.
    jobs
        Counted jobs.
    settled
        Whether the warm-up lasted as long as it should.
    no_variance
        Why means of waiting times have no interval whatever the run; None if they may have one.
    runs
        How many independent runs the batches are stretches of.
    """

    pieces: list[Tally]
    batches: list[Tally]
    pace: Pace
    jobs: float
    settled: bool
    no_variance: str | None
    runs: int = 1

    @property
    def memories(self) -> float:
        """How many memories the counted jobs span."""
        return self.jobs / self.pace.memory

    @property
    def long_enough(self) -> bool:
        """Whether intervals may be given."""
        enough = self.memories >= self.pace.least_memories and len(self.batches) >= FEWEST_BATCHES
        causes = self.pace.missing_cause(self.jobs) is None
        return self.settled and enough and causes and (self.no_variance is not None or self._long_jobs_seen)

    @property
    def _long_jobs_seen(self) -> bool:
        return self.jobs >= LEAST_LONG_JOBS * self.pace.long_jobs


def read(
    system: System,
    rate: float,
    pace: Pace,
    runs: Sequence[Sequence[Tally]],
    *,
    warm_up: int,
    threshold: float | None,
    insisted: bool = False,
) -> Reading:
    """Return what the pieces of all replications are worth.

    Parameters
    ----------
    system, rate, pace, threshold
        The system, how much arrives, what it asks for, and lambda* where it is known.
    runs
        The pieces of each replication.
    warm_up
        Jobs each replication has left out so far.
    insisted
        Whether somebody chose the warm-up: then nothing more is left out.
    """
    kept = [list(run) for run in runs]
    piece = kept[0][0].column("jobs") if kept[0] else 0.0
    if threshold is None:
        while True:
            pace = with_queue(system, rate, pace, kept)
            if insisted or warm_up >= pace.settling or 2 * len(kept[0]) <= len(runs[0]) or len(kept[0]) < 2:
                break
            more = max(len(kept[0]) // 12, 1)
            kept = [run[more:] for run in kept]
            warm_up += int(more * piece)
    jobs = sum(tally.column("jobs") for run in kept for tally in run)
    stretches = stretches_of(kept, batch_memories(pace, jobs))
    batches = [Tally.total(stretch) for stretch in stretches]
    return Reading(
        pieces=[tally for stretch in stretches for tally in stretch],
        batches=batches,
        pace=pace,
        jobs=sum(tally.column("jobs") for tally in batches),
        settled=insisted or warm_up >= pace.settling * 0.999,
        no_variance=why_no_variance(system, rate, threshold),
        runs=len(kept),
    )


def with_queue(system: System, rate: float, pace: Pace, runs: Sequence[Sequence[Tally]]) -> Pace:
    """Return what the system asks for, given the queue that the run has seen."""
    sums = np.sum([tally.sums.sum(axis=0) for run in runs for tally in run], axis=0)
    jobs, waiting, waited = (float(sums[COLUMNS.index(name)]) for name in ("jobs", "waiting", "waited"))
    if jobs == 0:
        return pace
    memory = rate * memory_seen(system, rate, waiting / jobs, waited / jobs)
    further = FORGETS * max(memory - pace.memory, 0.0)
    return dataclasses.replace(pace, memory=max(pace.memory, memory), settling=max(pace.settling, further))


def batch_memories(pace: Pace, jobs: float) -> float:
    """Return how many memories so many jobs are worth for batches: rare causes come several times in each."""
    between = pace.between_causes(jobs)
    return min(jobs / pace.memory, BATCH_MEMORIES * jobs / (BATCH_CAUSES * between) if between > 0 else math.inf)


def batches_of(runs: Sequence[Sequence[Tally]], memories: float) -> list[Tally]:
    """Put pieces together to batches."""
    return [Tally.total(stretch) for stretch in stretches_of(runs, memories)]


def stretches_of(runs: Sequence[Sequence[Tally]], memories: float) -> list[Sequence[Tally]]:
    """Return the pieces of each batch: as many batches as there may be, all of one length.

    Of a number of pieces that does not divide well (13 of each run) the first few are left out: else there would be
    one batch for each run, and no interval however long the run.
    """
    pieces = min(len(run) for run in runs)
    most = min(max(memories / BATCH_MEMORIES, FEWEST_BATCHES), MOST_BATCHES)
    each = max(min(pieces, int(most // len(runs))), 1)
    count = max(range(each // 2 + 1, each + 1), key=lambda n: (pieces // n * n, n))
    size = max(pieces // count, 1)
    first = max(pieces - count * size, 0)
    return [run[i : i + size] for run in runs for i in range(first, pieces, size)]
