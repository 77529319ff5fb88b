"""Jobs in stages, each with a need and a duration of its own (reset, Appendix H.2).

A job whose next stage needs no more than it holds goes on at once. One that needs more takes it if it is free and
nobody waits between two stages; else it gives its servers back and waits, behind those that wait between stages and
before all that have not started. Durations of later stages are drawn here, outside the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, enter, leave, next_arrival, next_completion, pass_time
from msj.engines.fork_join import Law
from msj.engines.heap import push, remove
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock

START, BETWEEN = 0, 1  # the two lines: jobs that have not started, jobs between two stages
LINE = np.dtype([("first", "i8"), ("last", "i8")])


class Staged(NamedTuple):
    """Stages of each class and their needs; durations of the stages of the jobs present and of those that arrive."""

    stages: Any
    needs: Any
    lengths: Any
    drawn: Any
    lines: Any


class StagesEngine(EventEngine):
    """Serves jobs stage by stage.

    Parameters
    ----------
    cluster
        The cluster.
    needs
        Need of each stage, per class.
    laws
        Law of each stage's duration, per class; the first stage's comes with the job.
    """

    row: ClassVar[np.dtype[Any]] = job_row(stage="i8")

    def __init__(self, cluster: Cluster, *, needs: Sequence[Sequence[int]], laws: Sequence[Sequence[Law]]) -> None:
        super().__init__(cluster)
        self.stages = np.array([len(own) for own in needs], dtype=np.int64)
        self.needs = np.zeros((len(needs), self.stages.max()), dtype=np.int64)
        for c, own in enumerate(needs):
            self.needs[c, : len(own)] = own
        self.later = {(c, stage): law for c, own in enumerate(laws) for stage, law in enumerate(own) if stage > 0}
        self.durations = cluster.streams.generator("tasks")
        self.lengths = np.empty((0, self.stages.max()))  # duration of each stage, per slot
        self.lines = np.full(2, -1, dtype=LINE)

    def _make_room(self, most: int) -> None:
        super()._make_room(most)
        grown = np.empty((len(self.present_jobs.jobs), self.lengths.shape[1]))
        grown[: len(self.lengths)] = self.lengths
        self.lengths = grown

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        staged = Staged(self.stages, self.needs, self.lengths, self.drawn(block), self.lines)
        return int(_run(arriving, self.present_jobs, staged, self.finished))

    def drawn(self, block: JobBlock) -> NDArray[np.float64]:
        """Return the durations of all stages of the block's jobs."""
        drawn = np.zeros((len(block), self.lengths.shape[1]))
        drawn[:, 0] = block.duration
        for (c, stage), law in self.later.items():
            here = np.flatnonzero(block.job_class == c)
            drawn[here, stage] = law.sample(self.durations, len(here))
        return drawn


@helper
def _join(line: Any, jobs: Any, slot: Any) -> Any:
    jobs[slot].next = -1
    if line.last < 0:
        line.first = slot
    else:
        jobs[line.last].next = slot
    line.last = slot


@helper
def _serve(present: Any, staged: Any, slot: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    stage = jobs[slot].stage
    state.idle -= staged.needs[jobs[slot].job_class, stage]
    if jobs[slot].start < 0.0:
        jobs[slot].start = state.now
    jobs[slot].finish = state.now + staged.lengths[slot, stage]
    push(present, slot)


@helper
def _start(present: Any, staged: Any, which: Any) -> Any:
    jobs, state, line = present.jobs, present.state[0], staged.lines[which]
    while line.first >= 0:
        slot = line.first
        if staged.needs[jobs[slot].job_class, jobs[slot].stage] > state.idle:
            break
        line.first = jobs[slot].next
        if line.first < 0:
            line.last = -1
        _serve(present, staged, slot)


@helper
def _arrive(present: Any, arriving: Any, staged: Any) -> Any:
    """Let a job come in with the durations of its stages; its work counts over the need of its first stage."""
    jobs, i = present.jobs, present.state[0].taken
    slot = enter(present, arriving)
    c = jobs[slot].job_class
    work = 0.0
    for stage in range(staged.stages[c]):
        staged.lengths[slot, stage] = staged.drawn[i, stage]
        work += staged.needs[c, stage] * staged.drawn[i, stage]
    jobs[slot].need = staged.needs[c, 0]
    jobs[slot].duration = work / staged.needs[c, 0]
    jobs[slot].stage = 0
    _join(staged.lines[START], jobs, slot)


@helper
def _end_of_stage(present: Any, staged: Any, finished: Any) -> Any:
    jobs, state, slot = present.jobs, present.state[0], present.heap[0]
    pass_time(state, jobs[slot].finish)
    remove(present, slot)
    c, stage = jobs[slot].job_class, jobs[slot].stage
    held = staged.needs[c, stage]
    state.idle += held
    if stage + 1 == staged.stages[c]:
        leave(present, finished, slot)
        return
    jobs[slot].stage = stage + 1
    wanted = staged.needs[c, stage + 1]
    if wanted <= held or (staged.lines[BETWEEN].first < 0 and wanted <= state.idle):
        _serve(present, staged, slot)
    else:
        _join(staged.lines[BETWEEN], jobs, slot)


@kernel
def _run(arriving: Any, present: Any, staged: Any, finished: Any) -> Any:
    state = present.state[0]
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            _end_of_stage(present, staged, finished)
        else:
            pass_time(state, until)
            _arrive(present, arriving, staged)
        _start(present, staged, BETWEEN)
        if staged.lines[BETWEEN].first < 0:
            _start(present, staged, START)
