"""Fork-join with simultaneous start (reset, Appendix H.2): tasks start together and free their servers one by one.

A job's need is its number of tasks. The first task takes the job's duration, the others durations of their own, drawn
here from the class's law. The job is through with its last task; its work over its need is the mean of its tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from msj.engines.cluster import Cluster
from msj.engines.compiling import kernel
from msj.engines.ends import pop, push
from msj.engines.in_order import InOrderEngine, Times
from msj.workloads.job_block import JobBlock


class Law(Protocol):
    """What is known here of a law of durations."""

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Draw so many durations."""


class ForkJoinEngine(InOrderEngine):
    """Tasks on servers; ``laws`` are those of a task, by class."""

    def __init__(self, cluster: Cluster, *, laws: Sequence[Law]) -> None:
        super().__init__(most_ends=cluster.servers)
        self.free = np.array([cluster.servers], dtype=np.int64)
        self.laws = dict(enumerate(laws))  # by class
        self.durations = cluster.streams.generator("tasks")

    def _run(self, block: JobBlock, times: Times) -> NDArray[np.float64]:
        mean = np.empty(len(block))
        _run(block.arrival, block.need, self.tasks(block), self.line, self.free, times, mean)
        return mean

    def tasks(self, block: JobBlock) -> NDArray[np.float64]:
        """Return the durations of all tasks, job after job."""
        owner = np.repeat(np.arange(len(block)), block.need)
        first = np.cumsum(block.need) - block.need
        tasks = np.empty(len(owner))
        for index, law in self.laws.items():
            here = np.flatnonzero(block.job_class[owner] == index)
            tasks[here] = law.sample(self.durations, len(here))
        tasks[first] = block.duration
        return tasks


@kernel
def _run(arrival: Any, need: Any, tasks: Any, line: Any, available: Any, times: Any, mean: Any) -> Any:
    ends, held, state = line.ends, line.held, line.state[0]
    size, free, head, wasted = state.size, available[0], state.head, state.wasted_area
    task = 0
    for i in range(len(arrival)):
        head = max(head, arrival[i])
        while size > 0 and ends[0] <= head:
            free += 1
            size = pop(ends, held, size)
        while free < need[i]:
            wasted += (ends[0] - head) * free
            head = ends[0]
            free += 1
            size = pop(ends, held, size)
        times.start[i] = head
        longest, total = 0.0, 0.0
        for _ in range(need[i]):
            longest = max(longest, tasks[task])
            total += tasks[task]
            size = push(ends, held, size, head + tasks[task], 1)
            task += 1
        free -= need[i]
        times.finish[i] = head + longest
        mean[i] = total / need[i]
    state.size, available[0], state.head, state.wasted_area = size, free, head, wasted
