"""Jobs in stages, each with a need and a duration of its own (reset, Appendix H.2).

A job whose next stage needs no more than it holds goes on at once. One that needs more takes it if it is free and
nobody waits between two stages; else it gives its servers back and waits, behind those that wait between stages and
before all that have not started. Durations of later stages are drawn here, outside the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines import columns as at
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventKernel, enter, leave, pass_time
from msj.engines.heap import push, remove
from msj.model.durations import Duration
from msj.workloads import JobBlock, Streams

START, BETWEEN = 0, 1  # the two lines: jobs that have not started, jobs between two stages


class StagesKernel(EventKernel):
    """Serves jobs stage by stage.

    Parameters
    ----------
    servers
        Number of servers.
    needs
        Need of each stage, per class.
    laws
        Law of each stage's duration, per class; the first stage's comes with the job.
    """

    def __init__(
        self, *, servers: int, needs: Sequence[Sequence[int]], laws: Sequence[Sequence[Duration]], streams: Streams
    ) -> None:
        super().__init__(servers=servers, name="stages")
        self.stages = np.array([len(own) for own in needs], dtype=np.int64)
        self.needs = np.zeros((len(needs), self.stages.max()), dtype=np.int64)
        for c, own in enumerate(needs):
            self.needs[c, : len(own)] = own
        self.laws = laws
        self.durations = streams.generator("tasks")
        self.lengths = np.empty((0, self.stages.max()))  # duration of each stage, per slot
        self.lines = np.full((2, 2), -1, dtype=np.int64)  # first and last of each line

    def _make_room(self, most: int) -> None:
        super()._make_room(most)
        grown = np.empty((len(self.jobs), self.lengths.shape[1]))
        grown[: len(self.lengths)] = self.lengths
        self.lengths = grown

    def _run(self, block: JobBlock, last: bool, out_real: Any, out_whole: Any) -> int:
        return int(
            _run(
                block.arrival, block.job_class, self._drawn(block), last, self.stages, self.needs, self.lengths,
                self.lines, self.jobs, self.heap, self.count, self.time, out_real, out_whole,
            )
        )  # fmt: skip

    def _drawn(self, block: JobBlock) -> NDArray[np.float64]:
        drawn = np.zeros((len(block), self.lengths.shape[1]))
        drawn[:, 0] = block.duration
        for c, laws in enumerate(self.laws):
            here = np.flatnonzero(block.job_class == c)
            for stage, law in enumerate(laws[1:], start=1):
                drawn[here, stage] = law.sample(self.durations, len(here))
        return drawn


@helper
def _join(lines: Any, line: Any, jobs: Any, slot: Any) -> Any:
    jobs[slot].next = -1
    if lines[line, 1] < 0:
        lines[line, 0] = slot
    else:
        jobs[lines[line, 1]].next = slot
    lines[line, 1] = slot


@helper
def _serve(needs: Any, lengths: Any, jobs: Any, heap: Any, count: Any, now: Any, slot: Any) -> Any:
    stage = jobs[slot].group
    count[at.IDLE] -= needs[jobs[slot].job_class, stage]
    if jobs[slot].start < 0.0:
        jobs[slot].start = now
    jobs[slot].finish = now + lengths[slot, stage]
    count[at.RUNNING] = push(heap, count[at.RUNNING], jobs, slot)


@helper
def _start(line: Any, lines: Any, needs: Any, lengths: Any, jobs: Any, heap: Any, count: Any, now: Any) -> Any:
    while lines[line, 0] >= 0:
        slot = lines[line, 0]
        if needs[jobs[slot].job_class, jobs[slot].group] > count[at.IDLE]:
            break
        lines[line, 0] = jobs[slot].next
        if lines[line, 0] < 0:
            lines[line, 1] = -1
        _serve(needs, lengths, jobs, heap, count, now, slot)


@kernel
def _run(
    arrival: Any, job_class: Any, drawn: Any, last: Any, stages: Any, needs: Any, lengths: Any, lines: Any, jobs: Any,
    heap: Any, count: Any, time: Any, out_real: Any, out_whole: Any,
) -> Any:  # fmt: skip
    i = 0
    while True:
        if i == len(arrival) and (not last or count[at.PRESENT] == 0):
            return at.FINISHED
        until = arrival[i] if i < len(arrival) else np.inf
        if count[at.RUNNING] > 0 and jobs[heap[0]].finish <= until:
            slot = heap[0]
            now = jobs[slot].finish
            pass_time(count, time, now)
            count[at.RUNNING] = remove(heap, count[at.RUNNING], jobs, slot)
            c, stage = jobs[slot].job_class, jobs[slot].group
            count[at.IDLE] += needs[c, stage]
            if stage + 1 == stages[c]:
                leave(jobs, count, out_real, out_whole, slot)
            else:
                jobs[slot].group = stage + 1
                fits = lines[BETWEEN, 0] < 0 and needs[c, stage + 1] <= count[at.IDLE]
                if needs[c, stage + 1] <= needs[c, stage] or fits:
                    _serve(needs, lengths, jobs, heap, count, now, slot)
                else:
                    _join(lines, BETWEEN, jobs, slot)
        else:
            pass_time(count, time, until)
            c = job_class[i]
            work = 0.0
            for stage in range(stages[c]):
                work += needs[c, stage] * drawn[i, stage]
            slot = enter(jobs, count, until, c, needs[c, 0], work / needs[c, 0], 0)
            for stage in range(stages[c]):
                lengths[slot, stage] = drawn[i, stage]
            _join(lines, START, jobs, slot)
            i += 1
        _start(BETWEEN, lines, needs, lengths, jobs, heap, count, time[at.NOW])
        if lines[BETWEEN, 0] < 0:
            _start(START, lines, needs, lengths, jobs, heap, count, time[at.NOW])
