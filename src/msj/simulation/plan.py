"""How a number of jobs is cut up: replications, their warm-up, and pieces; and how many jobs would be enough.

Replications are as few and as long as the cluster's memory asks: every one of them pays for a warm-up, so there are
several (for several cores) only if all their warm-ups together cost a twentieth of the run. The warm-up lasts until
an empty cluster has filled up and forgotten that it was empty (:func:`msj.simulation.memory.settling_time`), and at
least a fiftieth of the run; it takes at most half of the jobs, and if that is less than it should be, the run has not
met its warm-up rule.

Intervals are given for runs whose counted jobs span at least ``LEAST_MEMORIES`` memories (where the threshold is not
known, and the memory is read off the run itself, ``UNSURE`` times as many), and hold enough of every rare cause of
waits (:mod:`msj.simulation.rare_causes`) and of long jobs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from msj.model import System
from msj.model.assumptions import why_not_plain
from msj.simulation.known import NOTHING, Known
from msj.simulation.long_jobs import long_jobs
from msj.simulation.memory import memory_of, settling_time
from msj.simulation.rare_causes import ENOUGH, Cause, rare_causes

PIECES = 120  # all replications together; two, three and four times as many before pairs become one
SIDE_BY_SIDE = (4, 2)  # replications
WARM_UPS = 0.05  # most of the run that several warm-ups may cost
LEAST_WARM_UP = 0.02
LEAST_MEMORIES = 20.0
UNSURE = 3.0
LEAST_LONG_JOBS = 5.0  # times what makes the relative variance of long jobs 1


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What a system asks of a run, in jobs.

    Parameters
    ----------
    memory
        Jobs that arrive while the cluster forgets its past.
    settling
        Jobs that arrive until it has forgotten that it began empty.
    long_jobs
        Further relative variance of a mean wait that long jobs bring, times the number of jobs.
    known
        Whether the threshold is known, and arrivals and jobs are such that theory says how sure means are.
    cycle
        Jobs that arrive until the arrivals repeat themselves, where they go by a clock; else 0.
    causes
        What makes jobs wait, rarest first, and must have been seen often enough.
    """

    memory: float
    settling: float
    long_jobs: float
    known: bool
    cycle: float = 0.0
    causes: tuple[Cause, ...] = ()

    @classmethod
    def of(cls, system: System, rate: float, known: Known = NOTHING) -> Pace:
        """Return what a system asks for."""
        threshold = known.stability_threshold
        return cls(
            memory=rate * memory_of(system, rate, threshold),
            settling=rate * settling_time(system, rate, threshold),
            long_jobs=long_jobs(system, rate, threshold),
            known=threshold is not None and why_not_plain(system) is None,
            cycle=rate * (system.arrivals.period or 0.0),
            causes=rare_causes(system, rate, threshold),
        )

    @property
    def least_memories(self) -> float:
        """Memories that counted jobs must span."""
        return LEAST_MEMORIES * (1.0 if self.known else UNSURE)

    @property
    def enough(self) -> float:
        """Jobs that are enough for an interval, warm-up included; infinite if none are."""
        counted = max(self.least_memories * self.memory, LEAST_LONG_JOBS * self.long_jobs)
        while (missing := self.missing_cause(counted)) is not None:
            counted = missing.jobs
        return (counted + self.settling) * (1.0 + LEAST_WARM_UP)

    def missing_cause(self, jobs: float) -> Cause | None:
        """Return the rarest cause of waits that so many counted jobs hold too few of; None if they hold enough."""
        return next((each for each in self.causes if each.missing(jobs, self.memory)), None)

    def between_causes(self, jobs: float) -> float:
        """Return how many jobs hold one of the rarest cause that shows in so many jobs, or its like; 0 if none."""
        return max((each.jobs / ENOUGH for each in self.causes if each.shows(jobs, self.memory)), default=0.0)


def said(jobs: float) -> str:
    """Return a number of jobs to two digits, rounded up.

    Examples
    --------
    >>> said(123_456), said(7.2e9)
    ('130,000', '7,200,000,000')
    """
    if math.isinf(jobs):
        return "infinitely many"
    scale = 10.0 ** max(math.floor(math.log10(max(jobs, 1.0))) - 1, 0)
    return f"{math.ceil(jobs / scale - 1e-9) * scale:,.0f}"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The layout of a run; numbers of jobs are those of one replication."""

    replications: int
    warm_up: int
    piece: int
    pieces: int  # of one replication

    @property
    def jobs(self) -> int:
        """Jobs of all replications that are planned."""
        return self.replications * (self.warm_up + self.piece * self.pieces)

    @classmethod
    def of(cls, jobs: int, pace: Pace, *, replications: int | None = None, warm_up: float | None = None) -> Plan:
        """Lay out a run of so many jobs.

        Parameters
        ----------
        jobs
            All replications together.
        pace
            What the system asks for.
        replications
            How many, where somebody insists.
        warm_up
            Share of each replication to leave out, where somebody insists.

        Examples
        --------
        >>> pace = Pace(memory=100.0, settling=250.0, long_jobs=0.0, known=True)
        >>> plan = Plan.of(1_000_000, pace)
        >>> plan.replications, plan.pieces, plan.jobs
        (4, 30, 1000000)
        """
        count = replications
        if count is None:
            affordable = [n for n in SIDE_BY_SIDE if n * pace.settling <= WARM_UPS * jobs and jobs >= n * PIECES]
            count = affordable[0] if affordable else 1
        each = math.ceil(jobs / count)
        if warm_up is None:
            left_out = math.ceil(min(max(pace.settling, LEAST_WARM_UP * each), 0.5 * each)) if each > 1 else 0
        else:
            left_out = math.ceil(warm_up * each) if each > 1 else 0
        pieces = max(min(4 * math.ceil(PIECES / count / 4) if count > 4 else PIECES // count, each - left_out), 1)
        piece = max((each - left_out) // pieces, 1)
        if 0 < pace.cycle <= each - left_out:  # whole cycles, so that every time of day counts alike
            if piece < pace.cycle:
                pieces = int((each - left_out) / pace.cycle)
            piece = round(max(piece // pace.cycle, 1) * pace.cycle)
        return cls(replications=count, warm_up=max(each - piece * pieces, 0), piece=piece, pieces=pieces)
