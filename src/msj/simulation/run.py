"""The run behind a simulation: replications advanced piece by piece, with its stopping rules.

All replications move forward together, a piece at a time, so that stopping at any moment leaves them equally long.
When a run must go on (precision not reached), it is doubled, and neighbouring pieces are merged, so that the number
of pieces, and with it the memory, stays bounded however long the run becomes.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import repeat
from multiprocessing import get_context
from typing import Any

from msj.engines.completed import Completed
from msj.results import Outcome, Progress, Watch
from msj.simulation.estimates import batches_of, relative_half_width
from msj.simulation.growth import growth_rate
from msj.simulation.replication import Replication
from msj.simulation.state import dump_state, load_state, receive_policy, send_policy
from msj.simulation.tally import Tally

PIECES = 20


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
        watch: Watch | None = None,
        keep: Callable[[int, Completed], None] | None = None,
        save: Callable[[Run], None] | None = None,
        over: Callable[[], bool] | None = None,
    ) -> Outcome:
        """Run until a rule says stop, and say which."""
        with _pool(processes) as pool:
            while True:
                try:
                    while len(self.runs[0]) < self.wanted:
                        if over is not None and over():
                            return Outcome.OUT_OF_TIME
                        self._one_piece(pool, keep, lambda more: watch and watch(self._progress(more)))
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
            states, policies = zip(*map(dump_state, self.replications), strict=True)
            with _interrupts_held():
                found = pool.map(_run_piece, states, map(send_policy, policies), repeat(self.piece, len(states)))
            answers = (
                (load_state(state, policy), tally) for (state, tally), policy in zip(found, policies, strict=True)
            )
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

    def _progress(self, more: int) -> Progress:
        """Say where the run stands: by jobs, or by precision where that is nearer to its end."""
        jobs, known = self.done + more, math.isfinite(self.reached)
        done = jobs / self.most_jobs
        if self.precision is not None and known and self.reached > 0:
            done = max(done, (self.precision / self.reached) ** 2)  # half-widths shrink like the root
        words = f"{jobs:,} jobs" + (f", ± {self.reached:.2%}" if known else "")
        return Progress(done=min(done, 1.0), words=words)


def _with_index(keep: Callable[[int, Completed], None], index: int) -> Callable[[Completed], None]:
    return lambda done: keep(index, done)


def _run_piece(state: bytes, policy: bytes | None, jobs: int) -> tuple[bytes, Tally]:
    # In another process. What cannot be read there raises here, in words; read by the pool itself it would break it.
    replication: Replication = load_state(state, receive_policy(policy))
    tally = replication.run(jobs)
    return dump_state(replication)[0], tally


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
