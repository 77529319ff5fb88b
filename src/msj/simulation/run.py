"""The run behind a simulation: replications advanced piece by piece, with its stopping rules.

All replications move forward together, a piece at a time, so that stopping at any moment leaves them equally long.
When a run must go on (precision not reached), it is doubled, and neighbouring pieces are merged, so that the number
of pieces, and with it the memory, stays bounded however long the run becomes.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from msj.results import Outcome
from msj.simulation.completed import Completed
from msj.simulation.estimates import batches_of, relative_half_width
from msj.simulation.growth import growth_rate
from msj.simulation.replication import Replication
from msj.simulation.tally import Tally

PIECES = 20


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a run stands."""

    jobs: int
    most_jobs: int
    precision: float  # relative half-width so far; nan until there are enough pieces
    seconds: float


@dataclass(kw_only=True)
class Run:
    """Everything a run needs to be continued; pickled as its checkpoint."""

    asked: dict[str, Any]  # what the run answers, so that it is never continued as the answer to something else
    replications: list[Replication]
    piece: int  # jobs each replication takes in one piece
    most_jobs: int
    precision: float | None
    warm_up: float
    runs: list[list[Tally]] = field(default_factory=list)
    done: int = 0  # jobs so far, all replications together
    wanted: int = PIECES  # pieces at which the run is looked at
    growth: float | None = None
    reached: float = math.nan  # relative half-width after the last full row of pieces

    def __post_init__(self) -> None:
        self.runs = [[] for _ in self.replications]

    def advance(
        self,
        *,
        processes: int = 1,
        watch: Callable[[Progress], None] | None = None,
        keep: Callable[[int, Completed], None] | None = None,
        save: Callable[[Run], None] | None = None,
    ) -> Outcome:
        """Run until a rule says stop, and say which."""
        started = time.perf_counter()
        with _pool(processes) as pool:
            while True:
                try:
                    while len(self.runs[0]) < self.wanted:
                        self._one_piece(pool, keep, lambda more: watch and watch(self._progress(started, more)))
                        if watch is not None:
                            self.reached = relative_half_width(self.batches)
                        if save is not None:
                            save(self)
                        self.growth = growth_rate(self.runs)
                        if self.growth is not None:
                            return Outcome.UNSTABLE
                except KeyboardInterrupt:
                    if pool is not None:
                        pool.shutdown(wait=False, cancel_futures=True)  # no new pieces of a row that will not count
                    return Outcome.INTERRUPTED
                if self.precision is None:
                    return Outcome.JOB_LIMIT_REACHED
                if relative_half_width(self.batches) <= self.precision:
                    return Outcome.CONVERGED
                if 2 * self.done > self.most_jobs:
                    return Outcome.JOB_LIMIT_REACHED
                if self.wanted == PIECES:
                    self.wanted = 2 * PIECES
                else:
                    self.runs = [
                        [Tally.total(pair) for pair in zip(run[::2], run[1::2], strict=True)] for run in self.runs
                    ]
                    self.piece *= 2

    @property
    def batches(self) -> list[Tally]:
        """The tallies that count, warm-up left out."""
        return batches_of(self.runs, self.warm_up)

    def _one_piece(
        self, pool: Any, keep: Callable[[int, Completed], None] | None, watch: Callable[[int], None]
    ) -> None:
        if pool is not None:
            with _interrupts_held():
                answers = pool.map(_run_piece, self.replications, [self.piece] * len(self.replications))
        else:
            answers = (
                (replication, replication.run(self.piece, None if keep is None else _with_index(keep, index)))
                for index, replication in enumerate(self.replications)
            )
        replications, tallies = [], []
        for replication, tally in answers:
            replications.append(replication)
            tallies.append(tally)
            watch(self.piece * len(tallies))
        self.replications = replications
        # Only a whole row of pieces counts: an interrupt in between leaves the replications equally long.
        for run, tally in zip(self.runs, tallies, strict=True):
            run.append(tally)
        self.done += self.piece * len(self.replications)

    def _progress(self, started: float, more: int) -> Progress:
        return Progress(
            jobs=self.done + more,
            most_jobs=self.most_jobs,
            precision=self.reached,
            seconds=time.perf_counter() - started,
        )


def _with_index(keep: Callable[[int, Completed], None], index: int) -> Callable[[Completed], None]:
    return lambda done: keep(index, done)


def _run_piece(replication: Replication, jobs: int) -> tuple[Replication, Tally]:
    return replication, replication.run(jobs)


def _pool(processes: int) -> AbstractContextManager[Any]:
    if processes == 1:
        return nullcontext()
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_leave_interrupts_alone)


def _leave_interrupts_alone() -> None:
    # Ctrl-C reaches every process; the one that asked ends the run, the others finish their piece.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    # Processes born here must not die of Ctrl-C before they have learnt to leave it alone: a broken pool may hang.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
