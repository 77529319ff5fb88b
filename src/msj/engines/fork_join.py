"""Fork-join with simultaneous start (reset, Appendix H.2): tasks start together and free their servers one by one.

A job's need is its number of tasks. The first task takes the job's duration, the others durations of their own, drawn
here from the class's law. The job is through with its last task; its work over its need is the mean of its tasks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import kernel
from msj.engines.ends import pop, push
from msj.engines.in_order import InOrderKernel
from msj.model import System
from msj.workloads import JobBlock, Streams


class ForkJoinKernel(InOrderKernel):
    """Tasks of the system's classes on its servers."""

    def __init__(self, *, system: System, streams: Streams) -> None:
        super().__init__(most_ends=system.servers)
        self.free = np.array([system.servers], dtype=np.int64)
        self.laws = [c.duration for c in system.classes]
        self.durations = streams.generator("tasks")

    def _run(self, block: JobBlock, start: Any, finish: Any) -> NDArray[np.float64]:
        tasks = self._tasks(block)
        mean = np.empty(len(block))
        _run(
            block.arrival, block.need, tasks, self.free, self.ends, self.held, self.size, self.times, start, finish,
            mean,
        )  # fmt: skip
        return mean

    def _tasks(self, block: JobBlock) -> NDArray[np.float64]:
        """Return the durations of all tasks, job after job."""
        owner = np.repeat(np.arange(len(block)), block.need)
        first = np.cumsum(block.need) - block.need
        tasks = np.empty(len(owner))
        for index, law in enumerate(self.laws):
            here = np.flatnonzero(block.job_class[owner] == index)
            tasks[here] = law.sample(self.durations, len(here))
        tasks[first] = block.duration
        return tasks


@kernel
def _run(
    arrival: Any, need: Any, tasks: Any, available: Any, ends: Any, held: Any, size: Any, times: Any, start: Any,
    finish: Any, mean: Any,
) -> Any:  # fmt: skip
    count, free, head, wasted = size[0], available[0], times[0], times[1]
    task = 0
    for i in range(len(arrival)):
        head = max(head, arrival[i])
        while count > 0 and ends[0] <= head:
            free += 1
            count = pop(ends, held, count)
        while free < need[i]:
            wasted += (ends[0] - head) * free
            head = ends[0]
            free += 1
            count = pop(ends, held, count)
        start[i] = head
        longest, total = 0.0, 0.0
        for _ in range(need[i]):
            longest = max(longest, tasks[task])
            total += tasks[task]
            count = push(ends, held, count, head + tasks[task], 1)
            task += 1
        free -= need[i]
        finish[i] = head + longest
        mean[i] = total / need[i]
    size[0], available[0], times[0], times[1] = count, free, head, wasted
    if len(arrival):
        times[2] = arrival[-1]
