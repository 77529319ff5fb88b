"""Jobs that take from several pools, in order of arrival: resources of several kinds, or groups of servers.

A class has one or more ways to start, each a vector of amounts from the pools, tried in order; the first that fits is
taken. Several resources (reset, Appendix H.3): one way, all resources at once. Groups of servers (H.4): one way for
each group the class may use, all its servers there. A job that fits in no way blocks those behind it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import helper, kernel
from msj.engines.ends import pop, push
from msj.engines.in_order import InOrderKernel
from msj.workloads import JobBlock


class PoolsKernel(InOrderKernel):
    """Serves from pools.

    Parameters
    ----------
    capacity
        What there is in each pool.
    ways
        What class c takes in its w-th way from pool p: classes × ways × pools; negative where there is no such way.
    servers
        Which pools are servers, whose idleness counts as waste.
    """

    def __init__(self, *, capacity: NDArray[np.int64], ways: NDArray[np.int64], servers: NDArray[np.bool_]) -> None:
        takes = ways[ways[:, :, 0] >= 0]
        least = int(takes.sum(axis=1).min())
        super().__init__(most_ends=int(capacity.sum()) // least + 1)
        self.free = capacity.astype(np.int64).copy()
        self.ways = np.ascontiguousarray(ways, dtype=np.int64)
        self.servers = servers

    def _run(self, block: JobBlock, start: Any, finish: Any) -> NDArray[np.float64]:
        _run(
            block.arrival, block.job_class, block.duration, self.free, self.ways, self.servers, self.ends, self.held,
            self.size, self.times, start, finish,
        )  # fmt: skip
        return block.duration


@helper
def _way(free: Any, ways: Any, c: Any) -> Any:
    """Return the first way in which a job of class c fits now, or -1."""
    for w in range(ways.shape[1]):
        fits = ways[c, w, 0] >= 0
        for p in range(len(free)):
            if ways[c, w, p] > free[p]:
                fits = False
        if fits:
            return w
    return -1


@kernel
def _run(
    arrival: Any, job_class: Any, duration: Any, free: Any, ways: Any, servers: Any, ends: Any, held: Any, size: Any,
    times: Any, start: Any, finish: Any,
) -> Any:  # fmt: skip
    count, head, wasted = size[0], times[0], times[1]
    options = ways.shape[1]
    for i in range(len(arrival)):
        head = max(head, arrival[i])
        c = job_class[i]
        w = -1
        while True:
            # What has become free by now; then, if the job still does not fit, what becomes free next.
            while count > 0 and (ends[0] <= head or w == -2):
                if ends[0] > head:
                    idle = 0
                    for p in range(len(free)):
                        idle += free[p] * servers[p]
                    wasted += (ends[0] - head) * idle
                    head = ends[0]
                for p in range(len(free)):
                    free[p] += ways[held[0] // options, held[0] % options, p]
                count = pop(ends, held, count)
                w = -1
            w = _way(free, ways, c)
            if w >= 0:
                break
            w = -2
        for p in range(len(free)):
            free[p] -= ways[c, w, p]
        start[i] = head
        finish[i] = head + duration[i]
        count = push(ends, held, count, finish[i], c * options + w)
    size[0], times[0], times[1] = count, head, wasted
    if len(arrival):
        times[2] = arrival[-1]
