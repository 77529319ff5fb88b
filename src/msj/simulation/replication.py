"""One replication: a source of jobs, a kernel that serves them, and a counter. Its state can be pickled."""

from __future__ import annotations

from collections.abc import Callable

from msj.engines.completed import Completed, Engine
from msj.simulation.tally import Counter, Tally
from msj.workloads.job_block import JobSource

BLOCK = 16384  # jobs: small enough that a block stays in the cache, large enough that Python's share is small


class Replication:
    """Runs piece by piece; each piece ends in a tally."""

    def __init__(self, *, source: JobSource, kernel: Engine, counter: Counter) -> None:
        self.source = source
        self.kernel = kernel
        self.counter = counter

    def run(self, jobs: int, keep: Callable[[Completed], None] | None = None) -> Tally:
        """Let ``jobs`` more jobs arrive, or all that are left, and return the tally of those through meanwhile."""
        clock, wasted = self.kernel.clock, self.kernel.wasted_area
        while jobs > 0:
            block = self.source.take(min(jobs, BLOCK))
            if len(block) == 0:  # a recorded log has an end
                break
            jobs -= len(block)
            done = self.kernel.advance(block)
            self.counter.add(done)
            if keep is not None:
                keep(done)
        return self.counter.take(
            time=self.kernel.clock - clock,
            wasted_area=self.kernel.wasted_area - wasted,
            present=self.kernel.present(),
        )
