"""Policies that serve the oldest jobs of each need: only how many of each must be decided.

Jobs of one need form a list in order of arrival, of which a beginning is served; a decision moves the ends of these
beginnings. Nothing depends on how many jobs wait. Policies with a front (ServerFilling: shortest prefix whose needs
reach k; DivisorFilling: the k oldest) keep the jobs behind it in a plain queue; a job that has entered the front stays
in it, because jobs ahead of it only leave.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time
from msj.engines.need_lists import empty_lists, join, part, serve
from msj.engines.packing import RANDOM, exactly, heaviest, heaviest_listed, maximal_packings
from msj.engines.state import FINISHED, MORE_DRAWS, Arriving, job_row
from msj.workloads.job_block import JobBlock

RULES = ("most-first", "least-first", "first-fit", "exactly", "heaviest", "heaviest-present")
MOST_FIRST, LEAST_FIRST, FIRST_FIT, EXACTLY, HEAVIEST, HEAVIEST_PRESENT = range(len(RULES))
AMONG = ("everyone", "prefix", "oldest")  # who may be served
EVERYONE, PREFIX, OLDEST = range(len(AMONG))
TIES = ("random", "smallest", "largest")  # as in ``packing``


class Rule(NamedTuple):
    """What is decided, and for whom."""

    servers: int
    kind: int
    among: int
    preemptive: bool
    ties: int


class Lists(NamedTuple):
    """The lists by need, the list of each need, and room for the decisions."""

    groups: Any
    group_of: Any
    best: Any  # largest weight, or what can be reached, by needs and servers
    packings: Any  # all that are worth a look, if they are few
    in_front: Any  # servers or jobs that the front holds already


class ByNeedEngine(EventEngine):
    """Runs one of the rules, among everyone or those in front."""

    row: ClassVar[np.dtype[Any]] = job_row(before="i8", group="i8")

    def __init__(
        self,
        cluster: Cluster,
        *,
        rule: str,
        among: str = "everyone",
        preemptive: bool = True,
        ties: str = "smallest",
    ) -> None:
        needs, servers = np.unique(cluster.needs), cluster.servers
        super().__init__(cluster, draws="random" if ties == "random" else "", least=len(needs))
        self.rule = Rule(servers, RULES.index(rule), AMONG.index(among), preemptive, TIES.index(ties))
        groups, group_of = empty_lists(needs, servers)
        listed = rule == "heaviest"
        self.lists = Lists(
            groups=groups,
            group_of=group_of,
            best=np.zeros((len(needs) + 1, servers + 1), dtype=np.int64),
            packings=maximal_packings(needs, servers) if listed else np.zeros((0, 0), dtype=np.int64),
            in_front=np.zeros(1, dtype=np.int64),
        )

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(self.rule, arriving, self.present_jobs, self.lists, self.draws, self.finished))


@helper
def _queue(present: Any, slot: Any) -> Any:
    # Behind the front, linked through ``next`` alone.
    jobs, state = present.jobs, present.state[0]
    jobs[slot].next = -1
    if state.last < 0:
        state.first = slot
    else:
        jobs[state.last].next = slot
    state.last = slot


@helper
def _extend_front(rule: Any, present: Any, lists: Any) -> Any:
    jobs, state = present.jobs, present.state[0]
    while state.first >= 0 and lists.in_front[0] < rule.servers:
        slot = state.first
        state.first = jobs[slot].next
        if state.first < 0:
            state.last = -1
        lists.in_front[0] += jobs[slot].need if rule.among == PREFIX else 1
        join(jobs, lists.groups, slot)


@helper
def _first_fit(jobs: Any, groups: Any, free: Any) -> Any:
    # The oldest job that fits is the oldest of the next in each list; fewer needs fit as servers are given away.
    size = len(groups)
    for g in range(size):
        end = groups[g].edge
        groups[g].cursor = groups[g].head if groups[g].target == 0 or end < 0 else jobs[end].next
    while True:
        oldest = -1
        for g in range(size):
            if groups[g].need > free:
                break
            slot = groups[g].cursor
            if slot >= 0 and (oldest < 0 or jobs[slot].number < jobs[groups[oldest].cursor].number):
                oldest = g
        if oldest < 0:
            return
        groups[oldest].target += 1
        groups[oldest].cursor = jobs[groups[oldest].cursor].next
        free -= groups[oldest].need


@helper
def _serve_by_need(rule: Any, present: Any, groups: Any) -> Any:
    # One pass in order of need decides and obeys.
    size = len(groups)
    free = rule.servers if rule.preemptive else present.state[0].idle
    for step in range(size):
        g = size - 1 - step if rule.kind == MOST_FIRST else step
        need = groups[g].need
        kept = 0 if rule.preemptive else groups[g].served
        fits = groups[g].members - kept
        if fits * need > free:  # dividing costs more than all the rest
            fits = free // need
        free -= fits * need
        if groups[g].served != kept + fits:
            serve(present, groups, g, kept + fits)


@helper
def _decide(rule: Any, present: Any, lists: Any, draws: Any) -> Any:
    groups = lists.groups
    free = rule.servers if rule.preemptive else present.state[0].idle
    for g in range(len(groups)):
        groups[g].target = 0 if rule.preemptive else groups[g].served
    if rule.kind == FIRST_FIT:
        _first_fit(present.jobs, groups, free)
    elif rule.kind == EXACTLY:
        exactly(groups, rule.servers, lists.best)
    elif len(lists.packings):
        heaviest_listed(lists.packings, groups, rule.ties, draws)
    else:
        heaviest(groups, rule.servers, rule.kind == HEAVIEST_PRESENT, rule.ties, draws, lists.best)
    for g in range(len(groups)):
        if groups[g].served != groups[g].target:
            serve(present, groups, g, groups[g].target)


@kernel
def _run(rule: Any, arriving: Any, present: Any, lists: Any, draws: Any, finished: Any) -> Any:
    jobs, state, groups, in_front = present.jobs, present.state[0], lists.groups, lists.in_front
    draws_lots = rule.kind >= HEAVIEST and rule.ties == RANDOM
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
        if draws_lots and draws.used[0] + len(groups) > len(draws.values):
            return MORE_DRAWS
        until = next_arrival(arriving, state)
        if next_completion(present) <= until:
            slot = complete(present)
            part(jobs, groups, slot)
            in_front[0] -= jobs[slot].need if rule.among == PREFIX else 1
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            need = jobs[slot].need
            jobs[slot].group = lists.group_of[need]
            if rule.among == EVERYONE:
                join(jobs, groups, slot)
            elif state.first < 0 and in_front[0] < rule.servers:
                in_front[0] += need if rule.among == PREFIX else 1
                join(jobs, groups, slot)
            else:
                _queue(present, slot)
                continue  # the front is full: nothing changes
        if rule.among != EVERYONE:
            _extend_front(rule, present, lists)
        if rule.kind <= LEAST_FIRST:
            _serve_by_need(rule, present, groups)
        else:
            _decide(rule, present, lists, draws)
