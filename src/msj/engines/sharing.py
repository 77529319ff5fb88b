"""Rules that share speed (wcfs, section 3): the jobs served and their speeds change only at arrivals and completions.

Jobs wait in one queue, or in one per need where need decides; at every event speeds are given out anew from the
heads of the queues, to at most as many jobs as there are servers (or as may share), whatever the length of the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, enter, leave, next_arrival
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock

RULES = ("equally", "by-rank", "newest-first", "up-to-need", "staying", "moving-up")
EQUALLY, BY_RANK, NEWEST_FIRST, UP_TO_NEED, STAYING, MOVING_UP = range(len(RULES))

#: Jobs in order of arrival.
QUEUE = np.dtype([("first", "i8"), ("last", "i8")])
#: A server: its speed, and whether somebody stays on it.
SERVER = np.dtype([("speed", "f8"), ("taken", "i8")])
#: A place in service: who has it now, at which speed, and who had it before.
PLACE = np.dtype([("slot", "i8"), ("speed", "f8"), ("before", "i8")])


class Rule(NamedTuple):
    """How speed is given out; ``capacity`` is the sum of the speeds of all servers."""

    servers: int
    kind: int
    capacity: float


class Shares(NamedTuple):
    """Queues in order of preference, the queue of each need, the servers, the places in service.

    ``together`` is the speed that 1, 2, ... jobs have together where they share it equally.
    """

    queues: Any
    queue_of: Any
    servers: Any
    places: Any
    together: Any


class SharingEngine(EventEngine):
    """Gives out speed by one of the rules.

    Parameters
    ----------
    cluster
        The cluster.
    rule
        ``equally``, ``by-rank`` (the oldest on the first server, ...), ``newest-first`` (of those in service),
        ``up-to-need``, ``staying`` or ``moving-up`` (from the slowest server in use, when somebody leaves).
    most
        How many jobs may be in service; as many as there are servers if None.
    speeds
        Of the servers, in the order in which jobs take them; all 1 if None.
    together
        What 1, 2, ... jobs have together where they share equally, as a share of all servers; 1 if None.
    order
        ``fcfs``, ``elastic`` (larger needs first) or ``inelastic`` (smaller ones).
    """

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", queue="i8", in_service="i8", server="i8")

    def __init__(
        self,
        cluster: Cluster,
        *,
        rule: str,
        most: int | None = None,
        speeds: Sequence[float] | None = None,
        together: Sequence[float] | None = None,
        order: str = "fcfs",
    ) -> None:
        super().__init__(cluster)
        capacity = float(cluster.servers if speeds is None else sum(speeds))
        self.rule = Rule(cluster.servers, RULES.index(rule), capacity)
        needs = np.unique(cluster.needs)
        queue_of = np.zeros(cluster.servers + 1, dtype=np.int64)
        if order != "fcfs":
            rank = np.arange(len(needs))
            queue_of[needs] = rank if order == "inelastic" else rank[::-1]
        queues = np.full(len(needs), -1, dtype=QUEUE)
        servers = np.zeros(cluster.servers, dtype=SERVER)
        servers["speed"] = 1.0 if speeds is None else speeds
        places = np.zeros(most or cluster.servers, dtype=PLACE)
        shared = np.ones(len(places)) if together is None else np.asarray(together, dtype=float)
        self.shares = Shares(queues, queue_of, servers, places, cluster.servers * shared)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(self.rule, arriving, self.present_jobs, self.shares, self.finished))


@helper
def _free_server(servers: Any) -> Any:
    server = 0
    while servers[server].taken:
        server += 1
    servers[server].taken = 1
    return server


@helper
def _free(rule: Any, present: Any, shares: Any, left: Any) -> Any:
    """Free the server of a job that leaves; where jobs move up, it is the last one in use that becomes free."""
    jobs = present.jobs
    last = left
    if rule.kind == MOVING_UP:
        for i in range(present.state[0].running):
            slot = shares.places[i].slot
            if jobs[slot].server > jobs[last].server:
                last = slot
    freed = jobs[last].server
    jobs[last].server = jobs[left].server
    shares.servers[freed].taken = 0


@helper
def _give_out(rule: Any, present: Any, shares: Any) -> Any:
    jobs, state, places = present.jobs, present.state[0], shares.places
    before = state.running
    for i in range(before):
        places[i].before = places[i].slot
        jobs[places[i].slot].in_service = 0
    size = 0
    free = float(rule.servers)
    for g in range(len(shares.queues)):
        slot = shares.queues[g].first
        while slot >= 0 and size < len(places) and free > 0.0:
            places[size].slot = slot
            if rule.kind == BY_RANK:
                places[size].speed = shares.servers[size].speed
            elif rule.kind == STAYING or rule.kind == MOVING_UP:
                if jobs[slot].start < 0.0:
                    jobs[slot].server = _free_server(shares.servers)
                places[size].speed = shares.servers[jobs[slot].server].speed
            elif rule.kind == UP_TO_NEED:
                places[size].speed = min(float(jobs[slot].need), free)
                free -= places[size].speed
            jobs[slot].in_service = 1
            size += 1
            slot = jobs[slot].next
    for i in range(size):
        if rule.kind == EQUALLY:
            places[i].speed = shares.together[size - 1] / size
        elif rule.kind == NEWEST_FIRST:
            places[i].speed = shares.servers[size - 1 - i].speed
        if jobs[places[i].slot].start < 0.0 and places[i].speed > 0.0:
            jobs[places[i].slot].start = state.now
    for i in range(before):
        if jobs[places[i].before].in_service == 0:
            jobs[places[i].before].preemptions += 1
    state.running = size


@helper
def _serve_until(rule: Any, present: Any, places: Any, now: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    passed = now - state.now
    used = 0.0
    for i in range(state.running):
        slot = places[i].slot
        jobs[slot].remaining -= passed * places[i].speed / jobs[slot].need
        used += places[i].speed
    if state.present > state.running:
        state.wasted_area += passed * max(rule.capacity - used, 0.0)
    state.now = now


@helper
def _join(jobs: Any, queues: Any, slot: Any) -> Any:
    g = jobs[slot].queue
    jobs[slot].before, jobs[slot].next = queues[g].last, -1
    if queues[g].last < 0:
        queues[g].first = slot
    else:
        jobs[queues[g].last].next = slot
    queues[g].last = slot


@helper
def _part(jobs: Any, queues: Any, slot: Any) -> Any:
    g, before, after = jobs[slot].queue, jobs[slot].before, jobs[slot].next
    if before < 0:
        queues[g].first = after
    else:
        jobs[before].next = after
    if after < 0:
        queues[g].last = before
    else:
        jobs[after].before = before


@kernel
def _run(rule: Any, arriving: Any, present: Any, shares: Any, finished: Any) -> Any:
    jobs, state, places = present.jobs, present.state[0], shares.places
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.present == 0):
            return FINISHED
        ends, first = np.inf, -1
        for j in range(state.running):
            slot = places[j].slot
            if places[j].speed == 0.0:  # nobody is served until more jobs have come
                continue
            end = state.now + max(jobs[slot].remaining, 0.0) * jobs[slot].need / places[j].speed
            if end < ends or (end == ends and jobs[slot].number < jobs[places[first].slot].number):
                ends, first = end, j
        until = next_arrival(arriving, state)
        if first < 0 and until == np.inf:
            return FINISHED  # those who are left wait for jobs that do not come
        if first >= 0 and ends <= until:
            _serve_until(rule, present, places, ends)
            slot = places[first].slot
            jobs[slot].finish = ends
            if rule.kind == STAYING or rule.kind == MOVING_UP:
                _free(rule, present, shares, slot)
            _part(jobs, shares.queues, slot)
            leave(present, finished, slot)
            state.running -= 1
            for j in range(first, state.running):
                places[j].slot = places[j + 1].slot
        else:
            _serve_until(rule, present, places, until)
            slot = enter(present, arriving)
            jobs[slot].queue = shares.queue_of[jobs[slot].need]
            _join(jobs, shares.queues, slot)
        _give_out(rule, present, shares)
