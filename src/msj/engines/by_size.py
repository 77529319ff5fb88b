"""Policies that prefer jobs of least remaining size (need × remaining duration).

Jobs of one need are in order of remaining duration: those in service all shrink alike, so their order never changes,
and those waiting do not shrink at all. So each need has a sorted list of jobs in service and a heap of jobs waiting,
and a decision walks through the needs, always taking the least remaining size, until the servers are spoken for.
Between events the decision stands: jobs in service only move ahead of those that wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from msj.engines.cluster import Cluster
from msj.engines.compiling import helper, kernel
from msj.engines.event import EventEngine, complete, enter, leave, next_arrival, next_completion, pass_time, start, stop
from msj.engines.packing import exactly
from msj.engines.state import FINISHED, Arriving, job_row
from msj.workloads.job_block import JobBlock

RULES = ("greedy", "first-fit", "server-filling", "divisor-filling")
GREEDY, FIRST_FIT, SERVER_FILLING, DIVISOR_FILLING = range(len(RULES))

#: How many jobs of one need there are.
GROUP = np.dtype([(name, "i8") for name in ("need", "serving", "waiting", "taken", "considered", "members", "target")])


class Rule(NamedTuple):
    """What is decided, and whether ranks are remaining durations or tables say them."""

    servers: int
    kind: int
    by_size: bool


class Ranks(NamedTuple):
    """By class, ages and the rank from each of them on, and how many there are."""

    ages: Any
    ranks: Any
    count: Any


class Lists(NamedTuple):
    """The needs, and by need the slots of the jobs in service, those waiting (a heap) and those taken to be served."""

    groups: Any
    group_of: Any
    serving: Any
    waiting: Any
    taken: Any
    reach: Any  # what jobs of some needs can need together


class BySizeEngine(EventEngine):
    """Runs one of the rules."""

    row: ClassVar[np.dtype[Any]] = job_row(group="i8", chosen="i8", rank="f8", step="i8")

    def __init__(self, cluster: Cluster, *, rule: str, tables: Sequence[Any] = (), alike: bool = False) -> None:
        super().__init__(cluster)
        self.rule = Rule(cluster.servers, RULES.index(rule), not (tables or alike))
        self.ranks = _ranks(tables or [(np.zeros(1), np.ones(1))])
        needs = np.unique(cluster.needs)
        groups = np.zeros(len(needs), dtype=GROUP)
        groups["need"] = needs
        group_of = np.zeros(cluster.servers + 1, dtype=np.int64)
        group_of[needs] = np.arange(len(needs))
        room = np.zeros((2, len(needs), cluster.servers + 1), dtype=np.int64)
        reach = np.zeros((len(needs) + 1, cluster.servers + 1), dtype=np.int64)
        self.lists = Lists(groups, group_of, room[0], np.zeros((len(needs), 0), dtype=np.int64), room[1], reach)

    def _make_room(self, most: int) -> None:
        super()._make_room(most)
        old = self.lists.waiting
        more = np.zeros((len(old), len(self.present_jobs.jobs) - old.shape[1]), dtype=np.int64)
        self.lists = self.lists._replace(waiting=np.concatenate([old, more], axis=1) if more.size else old)

    def _run(self, block: JobBlock, arriving: Arriving) -> int:
        return int(_run(self.rule, self.ranks, arriving, self.present_jobs, self.lists, self.finished))


def _ranks(tables: Sequence[Any]) -> Ranks:
    most = max(len(ages) for ages, _ in tables)
    ages, ranks = np.full((len(tables), most), np.inf), np.zeros((len(tables), most))
    for row, (at, rank) in enumerate(tables):
        ages[row, : len(at)], ranks[row, : len(at)] = at, rank
    return Ranks(ages, ranks, np.array([len(at) for at, _ in tables], dtype=np.int64))


@helper
def _shorter(jobs: Any, a: Any, b: Any) -> Any:
    if jobs[a].rank != jobs[b].rank:
        return jobs[a].rank < jobs[b].rank
    return jobs[a].number < jobs[b].number


@helper
def _wait(jobs: Any, lists: Any, slot: Any) -> Any:
    groups, waiting, g = lists.groups, lists.waiting, jobs[slot].group
    hole = groups[g].waiting
    groups[g].waiting += 1
    while hole > 0 and _shorter(jobs, slot, waiting[g, (hole - 1) >> 1]):
        waiting[g, hole] = waiting[g, (hole - 1) >> 1]
        hole = (hole - 1) >> 1
    waiting[g, hole] = slot


@helper
def _take_shortest_waiting(jobs: Any, lists: Any, g: Any) -> Any:
    groups, waiting = lists.groups, lists.waiting
    groups[g].waiting -= 1
    size = groups[g].waiting
    slot = waiting[g, size]
    hole, child = 0, 1
    while child < size:
        if child + 1 < size and _shorter(jobs, waiting[g, child + 1], waiting[g, child]):
            child += 1
        if not _shorter(jobs, waiting[g, child], slot):
            break
        waiting[g, hole] = waiting[g, child]
        hole, child = child, 2 * child + 1
    waiting[g, hole] = slot


@helper
def _next(jobs: Any, lists: Any, g: Any) -> Any:
    # The shortest job of this need that is not yet considered, in service or waiting; -1 if there is none.
    group, slot = lists.groups[g], -1
    if group.considered < group.serving:
        slot = lists.serving[g, group.considered]
    if group.waiting > 0 and (slot < 0 or _shorter(jobs, lists.waiting[g, 0], slot)):
        slot = lists.waiting[g, 0]
    return slot


@helper
def _consider(rule: Any, jobs: Any, lists: Any) -> Any:
    # Take jobs by remaining size until the rule has enough of them.
    groups, free = lists.groups, rule.servers
    while free > 0:  # servers or, where a set is chosen among as many jobs as there are servers, jobs
        least, size = -1, 0.0
        for g in range(len(groups)):
            if rule.kind == FIRST_FIT and groups[g].need > free:
                break
            slot = _next(jobs, lists, g)
            if slot >= 0:
                its = groups[g].need * jobs[slot].rank
                if least < 0 or its < size or (its == size and jobs[slot].number < jobs[least].number):
                    least, size = slot, its
        if least < 0 or (rule.kind == GREEDY and jobs[least].need > free):
            break
        g = jobs[least].group
        if groups[g].waiting > 0 and lists.waiting[g, 0] == least:
            _take_shortest_waiting(jobs, lists, g)
        else:
            groups[g].considered += 1
        lists.taken[g, groups[g].taken] = least
        groups[g].taken += 1
        free -= 1 if rule.kind == DIVISOR_FILLING else jobs[least].need


@helper
def _obey(rule: Any, present: Any, lists: Any) -> Any:
    # Of those taken serve as many of the largest needs as fit: all of them, unless the rule takes more than fit.
    jobs, groups, serving, taken = present.jobs, lists.groups, lists.serving, lists.taken
    free = rule.servers
    if rule.kind == DIVISOR_FILLING:
        for g in range(len(groups)):
            groups[g].members, groups[g].target = groups[g].taken, 0
        exactly(groups, rule.servers, lists.reach)
    for step in range(len(groups)):
        g = len(groups) - 1 - step
        fits = min(groups[g].taken, free // groups[g].need)
        if rule.kind == DIVISOR_FILLING:
            fits = groups[g].target
        free -= fits * groups[g].need
        for i in range(groups[g].serving):
            jobs[serving[g, i]].chosen = 0
        for i in range(groups[g].taken):
            slot = taken[g, i]
            jobs[slot].chosen = 1 if i < fits else 0
            if i >= fits and jobs[slot].finish == np.inf:
                _wait(jobs, lists, slot)
        for i in range(groups[g].serving):
            slot = serving[g, i]
            if jobs[slot].chosen == 0:
                stop(present, slot)
                if present.state[0].restart:  # only where ranks are remaining durations
                    jobs[slot].rank = jobs[slot].remaining
                _wait(jobs, lists, slot)
        for i in range(fits):
            slot = taken[g, i]
            serving[g, i] = slot
            if jobs[slot].finish == np.inf:
                start(present, slot)
        groups[g].serving = fits


@helper
def _rank_anew(rule: Any, ranks: Any, present: Any, lists: Any) -> Any:
    # Say how those in service rank now, and keep them in that order.
    jobs, now, serving = present.jobs, present.state[0].now, lists.serving
    for g in range(len(lists.groups)):
        for j in range(lists.groups[g].serving):
            slot = serving[g, j]
            jobs[slot].remaining = jobs[slot].finish - now
            if rule.by_size:
                jobs[slot].rank = jobs[slot].remaining
            else:
                c = min(jobs[slot].job_class, len(ranks.count) - 1)
                age = jobs[slot].duration - jobs[slot].remaining
                rounding = 1e-14 * jobs[slot].finish  # or an age would be passed, and never be behind
                while jobs[slot].step + 1 < ranks.count[c]:
                    if ranks.ages[c, jobs[slot].step + 1] * (1.0 - 1e-9) > age + rounding:
                        break
                    jobs[slot].step += 1
                jobs[slot].rank = ranks.ranks[c, jobs[slot].step]
            place = j
            while place > 0 and _shorter(jobs, slot, serving[g, place - 1]):
                serving[g, place] = serving[g, place - 1]
                place -= 1
            serving[g, place] = slot


@helper
def _next_review(rule: Any, ranks: Any, present: Any, lists: Any) -> Any:
    # When the first of those in service passes its next age.
    jobs, now, review = present.jobs, present.state[0].now, np.inf
    if rule.by_size:
        return review
    for g in range(len(lists.groups)):
        for j in range(lists.groups[g].serving):
            slot = lists.serving[g, j]
            c = min(jobs[slot].job_class, len(ranks.count) - 1)
            if jobs[slot].step + 1 < ranks.count[c]:
                age = jobs[slot].duration - (jobs[slot].finish - now)
                review = min(review, now + max(ranks.ages[c, jobs[slot].step + 1] - age, 0.0))
    return review


@kernel
def _run(rule: Any, ranks: Any, arriving: Any, present: Any, lists: Any, finished: Any) -> Any:
    jobs, state, groups, serving = present.jobs, present.state[0], lists.groups, lists.serving
    while True:
        if state.taken == len(arriving.arrival) and (not arriving.last or state.running == 0):
            return FINISHED
        until, ends = next_arrival(arriving, state), next_completion(present)
        review = _next_review(rule, ranks, present, lists)
        if review < min(until, ends):
            pass_time(state, review)
        elif ends <= until:
            slot = complete(present)
            g = jobs[slot].group
            place = 0
            while serving[g, place] != slot:
                place += 1
            groups[g].serving -= 1
            for j in range(place, groups[g].serving):
                serving[g, j] = serving[g, j + 1]
            leave(present, finished, slot)
        else:
            pass_time(state, until)
            slot = enter(present, arriving)
            jobs[slot].group = lists.group_of[jobs[slot].need]
            jobs[slot].step = 0
            jobs[slot].rank = jobs[slot].remaining
            if not rule.by_size:
                jobs[slot].rank = ranks.ranks[min(jobs[slot].job_class, len(ranks.count) - 1), 0]
            _wait(jobs, lists, slot)
        for g in range(len(groups)):
            groups[g].taken, groups[g].considered = 0, 0
        _rank_anew(rule, ranks, present, lists)
        _consider(rule, jobs, lists)
        _obey(rule, present, lists)
