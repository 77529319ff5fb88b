"""The run behind a simulation: replications advanced side by side, piece by piece, with its stopping rules.

Replications run in threads: the compiled loops let go of Python's lock. Whoever has time takes the replication that
has waited longest and lets a piece arrive in it, so that all are about as far whenever the run is cut. They wait for
each other only where the run as a whole is looked at: to see whether its queue runs away, to keep it in a file, to
ask whether it is precise enough. A run is cut between two blocks of jobs only, so that it is left in order.

**Running away.** Where the threshold is not known, whether the queue grew without end by the end of a piece is asked of
every piece, but after 8, 10, 12, 15, 18, ... of them only: a run is stopped at most a quarter too late.

**Following.** After the last counted job jobs go on arriving until every counted one has left, so that every policy
counts the same jobs. A queue that runs away never lets them go: after as many further jobs as were counted the run
ends, and says who has not left.

**Stopping at a precision.** A run looks at itself after 1, 1.5, 2, 3, 4, 6, ... times its first length, which spans
at least fifty memories. It stops when the interval is narrow enough and the look before, made on two thirds or three
quarters of the jobs, promised as much: one lucky look is not enough. Pieces are put together in pairs as the run
grows, so memory stays bounded.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, Protocol

import numpy as np

from msj.effort import Effort
from msj.engines.completed import Completed
from msj.results import Outcome
from msj.simulation.growth import FEWEST_PIECES, growth_rate
from msj.simulation.plan import Pace, Plan
from msj.simulation.replication import Replication, Stopped
from msj.simulation.tally import Tally
from msj.workloads.system_jobs import BLOCK

FOLLOW = 1.0  # further jobs at most, as a share of those counted
FOLLOW_MEMORIES = 50.0  # but at least these
TRIED = 64  # jobs by which the pace is measured, after as many that may have to be compiled
UNUSUAL = 60.0  # seconds that are worth a word before they are spent
AGREES = 1.15  # how much wider than promised an earlier look may have been
TELL = 0.2  # seconds after which people are told again how far the run is


class Elsewhere(Protocol):
    """Advances replications on other machines (``simulation.elsewhere``)."""

    def advance(self, replications: Sequence[Replication], pieces: int, effort: Effort) -> bool:
        """Let pieces arrive in every replication; return whether all did before the effort was over."""

    def follow(self, replications: Sequence[Replication], pieces: int, most: int, effort: Effort) -> bool:
        """Let jobs arrive until those of the first pieces have left, at most so many."""


@dataclass(kw_only=True)
class Run:
    """A run, and where it stands."""

    plan: Plan
    pace: Pace
    replications: list[Replication]
    most_jobs: int
    precision: float | None
    stable: bool  # known to be
    in_service: float  # most jobs at once
    relative_half_width: Callable[[Run], float]
    looks: list[tuple[int, float]] = field(default_factory=list)  # jobs and relative half-width
    growth: float | None = None
    counted: int | None = None  # pieces that count, once the run has ended; others may have arrived since
    left: int = 0  # counted jobs that never left
    _elsewhere: Elsewhere | None = None
    _stop: Event = field(default_factory=Event)
    _lock: Any = field(default_factory=Lock)

    @property
    def ended(self) -> int:
        """Pieces that have arrived in every replication."""
        return max(min(each.record.ended for each in self.replications), 0)

    @property
    def piece(self) -> int:
        """Jobs of a piece."""
        return self.replications[0].record.piece

    @property
    def through(self) -> int:
        """Pieces that count so far."""
        return self.ended if self.counted is None else self.counted

    @property
    def done(self) -> int:
        """Jobs that have arrived, but for those of pieces that are not complete and those that followed."""
        return self.jobs_at(self.through)

    def jobs_at(self, pieces: int) -> int:
        """Jobs of all replications up to the end of a piece."""
        return len(self.replications) * (self.plan.warm_up + pieces * self.piece)

    @property
    def pieces(self) -> list[list[Tally]]:
        """What counts: the pieces that are complete in every replication; some jobs may be on their way still."""
        return [each.record.tallies(self.through) for each in self.replications]

    @property
    def complete(self) -> list[list[Tally]]:
        """The first pieces whose jobs have all left."""
        whole = self.through
        while whole and any(each.record.left_of(whole) for each in self.replications):
            whole -= 1
        return [each.record.tallies(whole) for each in self.replications]

    def advance(
        self,
        *,
        effort: Effort,
        workers: int = 1,
        keep: Callable[[int, Completed], None] | None = None,
        save: Callable[[Run], None] | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> Outcome:
        """Run until a rule says stop, and say which; ``elsewhere`` advances the replications on other machines."""
        self._elsewhere = elsewhere
        with ThreadPoolExecutor(workers, thread_name_prefix="msj") as pool:
            try:
                self._tell_pace(effort, workers, keep)
                outcome = self._advance(pool, workers, effort, keep, save)
                if outcome is not Outcome.UNSTABLE:
                    self._follow(pool, effort, keep)
                if save is not None:
                    save(self)
            except KeyboardInterrupt:
                self._stop.set()
                return Outcome.INTERRUPTED
            except BaseException:
                self._stop.set()  # nobody waits for what the others would still do
                raise
        return outcome

    def _tell_pace(self, effort: Effort, workers: int, keep: Any) -> None:
        """Say how long the run will take, as its first jobs tell, if that is unusual."""
        first = self.replications[0]
        if first.arrived:
            return
        first.begin(TRIED, keep=self._kept(keep, 0))
        started = time.perf_counter()
        first.begin(TRIED, keep=self._kept(keep, 0))
        jobs = self.most_jobs if self.precision is None else self.plan.jobs
        seconds = (time.perf_counter() - started) / TRIED * jobs / min(workers, len(self.replications))
        if seconds > UNUSUAL and math.isinf(effort.until):  # else it will be cut
            effort.tell(0.0, f"{jobs:,} jobs will take about {_long(seconds)} at this pace", notice=True)

    def _advance(self, pool: ThreadPoolExecutor, workers: int, effort: Effort, keep: Any, save: Any) -> Outcome:
        if self._precise():  # a run that had ended is asked again
            self.counted = (self.looks[-1][0] // len(self.replications) - self.plan.warm_up) // self.piece
            return Outcome.CONVERGED
        while True:
            goal = self._next_look()
            self.counted = None
            while self.ended < goal:
                together = self._together(goal, self.ended) if save is None else self.ended + 1
                if effort.over or not self._arrive(pool, workers, together, effort, keep):
                    return self._why_cut(effort)
                effort.tell(*self._progress(self.done))
                if not self.stable and self.ended == self._together(goal, self.ended - 1) and self._grew():
                    return Outcome.UNSTABLE
                if self.ended >= 2 * self.plan.pieces:
                    for each in self.replications:
                        each.record.merge()
                    goal = math.ceil(goal / 2)
                if save is not None:
                    save(self)
            self.counted = goal
            if self.precision is None:
                return Outcome.JOB_LIMIT_REACHED
            self.looks.append((self.done, self.relative_half_width(self)))
            if self._precise():
                return Outcome.CONVERGED
            if self._last_piece() <= goal:
                return Outcome.PRECISION_NOT_REACHED

    def _why_cut(self, effort: Effort) -> Outcome:
        if effort.cancel is not None and effort.cancel():
            return Outcome.INTERRUPTED
        return Outcome.UNSTABLE if not self.stable and self._grew() else Outcome.OUT_OF_TIME

    def _together(self, goal: int, pieces: int) -> int:
        """Return the piece up to which replications need not wait for each other, after so many."""
        together = min(goal, 2 * self.plan.pieces)
        return together if self.stable else min(together, _doubts(pieces)[1])

    def _last_piece(self) -> int:
        """Return the piece with which the jobs asked for are through."""
        each = self.most_jobs / len(self.replications) - self.plan.warm_up
        if self.precision is None:
            return math.ceil(each / self.piece - 1e-9)
        return max(math.floor(each / self.piece + 1e-9), self.plan.pieces)

    def _next_look(self) -> int:
        last, first = self._last_piece(), self.plan.pieces
        if self.precision is None:
            return last
        due = self.ended if not self.looks or self.looks[-1][0] != self.done else self.ended + 1
        return min(next(look for look in (first, 3 * first // 2, 2 * first) if look >= due), last)

    def _precise(self) -> bool:
        """Whether the last two looks agree that the precision is reached."""
        if self.precision is None or len(self.looks) < 2:
            return False
        (before, wide), (now, narrow) = self.looks[-2:]
        return narrow <= self.precision and wide <= AGREES * math.sqrt(now / before) * self.precision

    def _arrive(self, pool: ThreadPoolExecutor, workers: int, pieces: int, effort: Effort, keep: Any) -> bool:
        """Let pieces arrive in every replication, by turns; return whether all did."""
        if self._elsewhere is not None:
            return self._elsewhere.advance(self.replications, pieces, effort)
        over, turns = self._asked_to_stop(effort), deque(enumerate(self.replications))
        step = max(BLOCK // self.piece, 1)  # short pieces a block together

        def work() -> None:
            while turns:
                try:
                    index, each = turns.popleft()
                except IndexError:  # somebody else was faster
                    return
                each.advance(min(max(each.record.ended, 0) + step, pieces), keep=self._kept(keep, index), over=over)
                if each.record.ended < pieces:
                    turns.append((index, each))

        return self._gather([pool.submit(work) for _ in range(min(workers, len(turns)))], effort)

    def _follow(self, pool: ThreadPoolExecutor, effort: Effort, keep: Any) -> None:
        """Let jobs arrive until the counted ones have left."""
        pieces = self.counted = self.through
        most = math.ceil(max(FOLLOW * pieces * self.piece, min(FOLLOW_MEMORIES * self.pace.memory, 1e7)))
        over = self._asked_to_stop(effort)
        if self._elsewhere is not None:
            self._elsewhere.follow(self.replications, pieces, most, effort)
        else:
            futures = [
                pool.submit(each.follow, pieces, most, keep=self._kept(keep, index), over=over)
                for index, each in enumerate(self.replications)
            ]
            self._gather(futures, effort)
        self.left = sum(each.record.left_of(pieces) for each in self.replications)

    def _gather(self, futures: list[Future[Any]], effort: Effort) -> bool:
        """Wait for all, and tell meanwhile how far they are; whoever fails stops the others."""
        waiting, all_did = set(futures), True
        while waiting:
            done, waiting = wait(waiting, timeout=TELL, return_when=FIRST_EXCEPTION)
            for future in done:
                try:
                    future.result()
                except Stopped:
                    all_did = False
            if waiting:
                effort.tell(*self._progress(sum(each.arrived for each in self.replications)))
        return all_did

    def _asked_to_stop(self, effort: Effort) -> Callable[[], bool]:
        return lambda: self._stop.is_set() or effort.over

    def _kept(self, keep: Any, index: int) -> Any:
        if keep is None:
            return None

        def write(done: Completed) -> None:
            with self._lock:
                keep(index, done)

        return write

    def _grew(self) -> bool:
        """Whether the queue ran away by the end of a piece, of those that were not asked about before."""
        marks = np.array([each.record.marks[: self.ended + 1] for each in self.replications])
        present, lasted = marks[:, 1:, 3], np.diff(marks[:, :, :2], axis=1).sum(axis=2)
        before = self.plan.warm_up / self.piece
        for end in range(_doubts(self.ended - 1)[0] + 1, self.ended + 1):
            self.growth = growth_rate(present[:, :end], lasted[:, :end], in_service=self.in_service, before=before)
            if self.growth is not None:
                return True
        return False

    def _progress(self, arrived: int) -> tuple[float, str]:
        """Say where the run stands: by jobs, or by precision where that is nearer to its end."""
        done, words = arrived / self.most_jobs, f"{arrived:,} jobs"
        if self.precision is not None and self.looks and self.looks[-1][1] > 0:
            jobs, width = self.looks[-1]
            wanted = jobs * (width / self.precision) ** 2  # half-widths shrink like the root
            done, words = max(done, min(arrived / wanted, 1.0) if wanted else 1.0), f"{words}, ± {width:.2%}"
        return min(done, 1.0), words


def _doubts(pieces: int) -> tuple[int, int]:
    """Return after how many pieces it was last asked whether the queue runs away, and after how many it will be.

    Examples
    --------
    >>> [_doubts(pieces) for pieces in (0, 7, 8, 9, 10, 60)]
    [(0, 8), (0, 8), (8, 10), (8, 10), (10, 12), (51, 63)]
    """
    last, following = 0, FEWEST_PIECES
    while following <= pieces:
        last, following = following, following + following // 4
    return last, following


def _long(seconds: float) -> str:
    """Return a long time in words.

    Examples
    --------
    >>> _long(100.0), _long(20_000.0), _long(1e6)
    ('2 minutes', '6 hours', '12 days')
    """
    for size, unit in ((86_400.0, "days"), (3_600.0, "hours")):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds / 60.0, 2.0):.0f} minutes"
