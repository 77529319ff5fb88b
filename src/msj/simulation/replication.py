"""One replication: a source of jobs, an engine that serves them, servers that see them too, and a record."""

from __future__ import annotations

from collections.abc import Callable

from msj.engines.completed import Completed, Engine
from msj.simulation.controls import ControlServers
from msj.simulation.record import Record
from msj.workloads.job_block import JobSource
from msj.workloads.system_jobs import BLOCK

FIRST_STEP = 64  # jobs that follow at first, when only a few must still leave

Keep = Callable[[Completed], None]


class Stopped(Exception):
    """Somebody asked to stop; the piece is not complete."""


class Replication:
    """Lets jobs arrive, piece by piece."""

    def __init__(
        self, *, source: JobSource, kernel: Engine, record: Record, controls: ControlServers | None = None
    ) -> None:
        self.source, self.kernel, self.record, self.controls = source, kernel, record, controls
        self.arrived = 0

    def begin(self, jobs: int, *, keep: Keep | None = None) -> None:
        """Let at most so many jobs arrive, none beyond the piece."""
        self._take(jobs, keep)

    def advance(self, pieces: int, *, keep: Keep | None = None, over: Callable[[], bool] | None = None) -> None:
        """Let jobs arrive until so many pieces have, or there are no more; ``over`` is asked between blocks."""
        while self.record.ended < pieces and self._take(BLOCK, keep):
            if over is not None and over():
                raise Stopped

    def follow(
        self, pieces: int, most: int, *, keep: Keep | None = None, over: Callable[[], bool] | None = None
    ) -> int:
        """Let at most so many further jobs arrive, until those of the first pieces have left; return who has not."""
        step = FIRST_STEP
        while self.record.left_of(pieces) > 0 and most > 0:
            taken = self._take(min(step, most), keep)
            if not taken:  # a recorded log has an end: nobody comes any more
                self._hear(self.kernel.drain(), keep)
                break
            most -= taken
            step = min(2 * step, BLOCK)
            if over is not None and over():
                break
        return self.record.left_of(pieces)

    def _take(self, count: int, keep: Keep | None) -> int:
        """Let the next jobs arrive, none beyond the piece; return how many."""
        record = self.record
        end = record.warm_up + (record.ended + 1) * record.piece
        if self.arrived < end:
            block = self.source.take(min(count, end - self.arrived, self.source.at_hand))
            if len(block) == 0:
                return 0
            self.arrived += len(block)
            if self.controls is not None:
                self.controls.follow(block, record.arriving)
            self._hear(self.kernel.advance(block), keep)
        else:  # without a warm-up the first piece begins at once
            block = ()  # type: ignore[assignment]
        if self.arrived == end:
            record.end_piece(
                clock=self.kernel.clock,
                skipped=getattr(self.source, "skipped", 0.0),
                wasted_area=self.kernel.wasted_area,
                lost_area=self.kernel.lost_area,
                present=self.kernel.present(),
                areas=tuple(self.kernel.areas.values()),
            )
        return max(len(block), 1)

    def _hear(self, done: Completed, keep: Keep | None) -> None:
        self.record.add(done, self.kernel.clock)
        if keep is not None:
            keep(done)
