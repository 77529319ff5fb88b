"""Jobs that take from several pools, in order of arrival: resources of several kinds, or groups of servers.

A class has one or more ways to start, each a vector of amounts from the pools, tried in order; the first that fits is
taken. Several resources (reset, Appendix H.3): one way, all resources at once. Groups of servers (H.4): one way for
each group the class may use, all its servers there. A job that fits in no way blocks those behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.ends import pop, push
from msj.engines.in_order import InOrderEngine, Times
from msj.workloads.job_block import JobBlock


class Pools(NamedTuple):
    """What is free in each pool, which pools are servers, and what class c takes in its w-th way from pool p."""

    free: Any
    servers: Any
    ways: Any  # classes × ways × pools; negative where there is no such way


class PoolsEngine(InOrderEngine):
    """Serves from pools.

    Parameters
    ----------
    cluster
        The cluster.
    capacity
        What there is in each pool.
    ways
        By class, the ways to start in order of preference, each an amount from every pool.
    servers
        Which pools are servers, whose idleness counts as waste.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        capacity: Sequence[int],
        ways: Sequence[Sequence[Sequence[int]]],
        servers: Sequence[bool],
    ) -> None:
        table = np.full((len(ways), max(map(len, ways)), len(capacity)), -1, dtype=np.int64)
        for c, own in enumerate(ways):
            table[c, : len(own)] = own
        least = min(sum(way) for own in ways for way in own)
        super().__init__(most_ends=sum(capacity) // least + 1)
        self.pools = Pools(np.array(capacity, dtype=np.int64), np.array(servers, dtype=np.bool_), table)

    def _run(self, block: JobBlock, times: Times) -> NDArray[np.float64]:
        _run(block.arrival, block.job_class, block.duration, self.line, self.pools, times)
        return block.duration


@helper
def _way(pools: Any, c: Any) -> Any:
    """Return the first way in which a job of class c fits now, or -1."""
    for w in range(pools.ways.shape[1]):
        fits = pools.ways[c, w, 0] >= 0
        for p in range(len(pools.free)):
            if pools.ways[c, w, p] > pools.free[p]:
                fits = False
        if fits:
            return w
    return -1


@helper
def _idle(pools: Any) -> Any:
    idle = 0
    for p in range(len(pools.free)):
        idle += pools.free[p] * pools.servers[p]
    return idle


@kernel
def _run(arrival: Any, job_class: Any, duration: Any, line: Any, pools: Any, times: Any) -> Any:
    ends, held, state = line.ends, line.held, line.state[0]
    size, head, wasted = state.size, state.head, state.wasted_area
    options = pools.ways.shape[1]
    for i in range(len(arrival)):
        head = max(head, arrival[i])
        c = job_class[i]
        waits = False
        while True:
            # What has become free by now; then, if the job still does not fit, what becomes free next.
            while size > 0 and (ends[0] <= head or waits):
                if ends[0] > head:
                    wasted += (ends[0] - head) * _idle(pools)
                    head = ends[0]
                for p in range(len(pools.free)):
                    pools.free[p] += pools.ways[held[0] // options, held[0] % options, p]
                size = pop(ends, held, size)
                waits = False
            w = _way(pools, c)
            if w >= 0:
                break
            waits = True
        for p in range(len(pools.free)):
            pools.free[p] -= pools.ways[c, w, p]
        times.start[i] = head
        times.finish[i] = head + duration[i]
        size = push(ends, held, size, times.finish[i], c * options + w)
    state.size, state.head, state.wasted_area = size, head, wasted
