"""FCFS without an event loop: job by job, in order of arrival.

start_i = max(arrival_i, start_{i-1}, the moment at which need_i servers are free). Completions wait in a heap; those
up to the moment the job comes to the head of the line are taken off first, then as many as it must wait for. While
it waits, the free servers are idle although a job waits: that area is added up on the way (reset, section 3.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.cluster import Cluster
from msj.engines.compiling import kernel
from msj.engines.ends import pop, push
from msj.engines.in_order import InOrderEngine, Times
from msj.workloads.job_block import JobBlock


class FcfsEngine(InOrderEngine):
    """FCFS, advanced block by block."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(most_ends=cluster.servers)  # at most one completion per server
        self.free = np.array([cluster.servers], dtype=np.int64)

    def _run(self, block: JobBlock, times: Times) -> NDArray[np.float64]:
        _run(block.arrival, block.need, block.duration, self.line, self.free, times)
        return block.duration


@kernel
def _run(arrival: Any, need: Any, duration: Any, line: Any, available: Any, times: Any) -> Any:
    ends, held, state = line.ends, line.held, line.state[0]
    size, free, head, wasted = state.size, available[0], state.head, state.wasted_area
    for i in range(len(arrival)):
        head = max(head, arrival[i])
        wanted = need[i]
        while size > 0 and ends[0] <= head:
            free += held[0]
            size = pop(ends, held, size)
        while free < wanted:
            now = ends[0]
            wasted += (now - head) * free
            head = now
            free += held[0]
            size = pop(ends, held, size)
        # Completions at the very moment of the start are left for the next job: nothing depends on them.
        times.start[i] = head
        end = head + duration[i]
        times.finish[i] = end
        free -= wanted
        size = push(ends, held, size, end, wanted)
    state.size, available[0], state.head, state.wasted_area = size, free, head, wasted
