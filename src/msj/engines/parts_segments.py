"""Segments come, start, stop and end; time passes over what servers do meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines.compiling import helper
from msj.engines.event import leave
from msj.engines.heap import push, remove
from msj.engines.law_draws import draw
from msj.engines.parts_places import give_back, take, take_unit
from msj.engines.parts_state import BETWEEN, BUSY, BY_PHASES, IDLE, OFF, OWN_DURATION, PAYING, SET_UP, UNSTARTED


@helper
def pass_time(state: Any, servers: Any, waits: Any, now: Any) -> Any:
    """Move the clock, adding up what servers do, and those that do nothing while somebody waits."""
    passed, counts, areas = now - state.now, servers.counts, servers.areas
    for i in range(len(areas)):
        areas[i] += passed * counts[i]
    if waits:
        state.wasted_area += passed * (counts[IDLE] + counts[SET_UP] + counts[OFF])
    state.now = now


@helper
def drawn_from(cumulative: Any, number: Any) -> Any:
    """Return where a uniform number falls."""
    chosen = 0
    while cumulative[chosen] <= number:
        chosen += 1
    return chosen


@helper
def new_task(
    graph: Any, rules: Any, draws: Any, jobs: Any, tasks: Any, whole: Any, slot: Any, kind: Any, phase: Any
) -> Any:
    """Give a segment a row, and its length; its job's duration is all its work over the job's need.

    ``phase`` is where a segment with a need for each phase goes on; negative where it begins.
    """
    task = whole.free_row
    row, what, job = tasks.rows[task], graph.kinds[kind], jobs[slot]
    whole.free_row = row.next
    row.job, row.kind, row.number = slot, kind, job.number
    row.finish = np.inf
    row.loading = row.owes = 0
    row.sibling = row.next = -1
    if what.drawn == BY_PHASES:
        if phase < 0:
            phase = what.first_phase + drawn_from(graph.phase_starts[kind], draw(draws, rules.uniform))
        row.phase, row.need = phase, graph.phase_needs[phase]
        row.remaining = draw(draws, rules.exponential) / graph.phase_rates[phase]
    else:
        row.need = what.need
        row.remaining = job.remaining if what.drawn == OWN_DURATION else draw(draws, what.drawn)
    job.duration += row.remaining * (row.need / job.need)
    return task


@helper
def join(tasks: Any, which: Any, head: Any) -> Any:
    """Put a unit at the end of a line."""
    line = tasks.lines[which]
    tasks.rows[head].next = -1
    if line.last < 0:
        line.first = head
    else:
        tasks.rows[line.last].next = head
    line.last = head


@helper
def time_it(whole: Any, row: Any, now: Any) -> Any:
    """Say when a segment in progress ends; one at a standstill does not."""
    speed = row.speed * whole.speed
    row.finish = now + row.remaining / speed if speed > 0.0 else np.inf


@helper
def progress_till(whole: Any, row: Any, now: Any) -> Any:
    """Write down what a segment still has to do, at the speed it had."""
    speed = row.speed * whole.speed
    if not row.loading and speed > 0.0:
        row.remaining = (row.finish - now) * speed


@helper
def begin(rules: Any, draws: Any, present: Any, tasks: Any, servers: Any, work: Any, task: Any) -> Any:
    """Put a segment that has its place into service; one that was stopped loads first."""
    row, whole, now = tasks.rows[task], servers.whole[0], present.state[0].now
    job = present.jobs[row.job]
    if job.start < 0.0:
        job.start = now
    row.speed = np.inf
    for g in range(tasks.held.shape[1]):
        if tasks.held[task, g] > 0:
            row.speed = min(row.speed, servers.groups[g].speed)
    row.loading = row.owes
    if row.loading:
        row.finish = now + draw(draws, rules.transfer)
    else:
        time_it(whole, row, now)
    servers.counts[PAYING if row.loading else BUSY] += row.need
    servers.counts[IDLE] -= row.need
    row.before, row.next = whole.last_running, -1
    if whole.last_running < 0:
        whole.first_running = task
    else:
        tasks.rows[whole.last_running].next = task
    whole.last_running = task
    push(work, task)


@helper
def withdraw(tasks: Any, servers: Any, work: Any, task: Any) -> Any:
    """Take a segment out of service; it still holds its place."""
    row, whole = tasks.rows[task], servers.whole[0]
    remove(work, task)
    if row.before < 0:
        whole.first_running = row.next
    else:
        tasks.rows[row.before].next = row.next
    if row.next < 0:
        whole.last_running = row.before
    else:
        tasks.rows[row.next].before = row.before
    servers.counts[PAYING if row.loading else BUSY] -= row.need
    servers.counts[IDLE] += row.need
    row.finish = np.inf


@helper
def start_line(
    which: Any, graph: Any, rules: Any, draws: Any, present: Any, tasks: Any, servers: Any, work: Any
) -> Any:
    """Start the units of a line in their order, until one does not fit."""
    line = tasks.lines[which]
    while line.first >= 0:
        task = line.first
        if not take_unit(graph, servers.room, tasks, task):
            break
        line.first = tasks.rows[task].next
        if line.first < 0:
            line.last = -1
        while task >= 0:
            begin(rules, draws, present, tasks, servers, work, task)
            task = tasks.rows[task].sibling


@helper
def follow(
    graph: Any, rules: Any, draws: Any, present: Any, tasks: Any, whole: Any, row: Any, kind: Any, phase: Any
) -> Any:
    """Make the segments that become ready with the end of one a unit; return it, -1 for none.

    ``phase`` is the one that a segment goes on with which has a need for each; negative if it is through.
    """
    jobs, slot = present.jobs, row.job
    if phase >= 0:
        return new_task(graph, rules, draws, jobs, tasks, whole, slot, kind, phase)
    what = graph.kinds[kind]
    first_kind = graph.classes[what.job_class].first_kind
    head = last = -1
    jobs[slot].left -= 1
    for i in range(what.first_successor, what.first_successor + what.successors):
        following = graph.successors[i]
        tasks.pending[slot, following - first_kind] -= 1
        if tasks.pending[slot, following - first_kind] == 0:
            ready = new_task(graph, rules, draws, jobs, tasks, whole, slot, following, -1)
            if head < 0:
                head = ready
            else:
                tasks.rows[last].sibling = ready
            last = ready
    return head


@helper
def replaces(graph: Any, tasks: Any, ended: Any, head: Any) -> Any:
    """Whether a unit needs no more than a segment that has ended held: servers, and each resource."""
    need, task = 0, head
    while task >= 0:
        need += tasks.rows[task].need
        task = tasks.rows[task].sibling
    if need > tasks.rows[ended].need:
        return False
    for r in range(graph.resources.shape[1]):
        amount, task = 0, head
        while task >= 0:
            amount += graph.resources[tasks.rows[task].kind, r]
            task = tasks.rows[task].sibling
        if amount > graph.resources[tasks.rows[ended].kind, r]:
            return False
    return True


@helper
def load(tasks: Any, servers: Any, work: Any, task: Any, now: Any) -> Any:
    """Let a segment that has loaded go on."""
    row = tasks.rows[task]
    remove(work, task)
    row.loading = row.owes = 0
    servers.counts[PAYING] -= row.need
    servers.counts[BUSY] += row.need
    time_it(servers.whole[0], row, now)
    push(work, task)


@helper
def end(
    graph: Any, rules: Any, draws: Any, present: Any, tasks: Any, servers: Any, work: Any, finished: Any, task: Any
) -> Any:
    """Let a segment end: what becomes ready takes over its place, or stands in line; a job that is through leaves."""
    row, whole, state = tasks.rows[task], servers.whole[0], present.state[0]
    slot, kind, phase = row.job, row.kind, -1
    what = graph.kinds[kind]
    if what.drawn == BY_PHASES:
        phase = drawn_from(graph.phase_jumps[row.phase], draw(draws, rules.uniform))
        phase = what.first_phase + phase if phase < what.phases else -1
    head = follow(graph, rules, draws, present, tasks, whole, row, kind, phase)
    for g in range(len(servers.kept)):
        servers.kept[g] = tasks.held[task, g]
    withdraw(tasks, servers, work, task)
    give_back(graph, servers.room, tasks, task)
    if head >= 0 and replaces(graph, tasks, task, head):
        while head >= 0:
            take(graph, servers.room, tasks, head, row.group, servers.kept)
            for g in range(len(servers.kept)):
                servers.kept[g] -= tasks.held[head, g]
            begin(rules, draws, present, tasks, servers, work, head)
            head = tasks.rows[head].sibling
    elif head >= 0:
        join(tasks, BETWEEN, head)
    row.next = whole.free_row
    whole.free_row = task
    if present.jobs[slot].left == 0:
        present.jobs[slot].finish = state.now
        leave(present, finished, slot)


@helper
def arrive(graph: Any, rules: Any, draws: Any, present: Any, tasks: Any, whole: Any, slot: Any) -> Any:
    """Let a job that has come in stand in line with the segments that nothing must precede."""
    job = present.jobs[slot]
    row = graph.classes[job.job_class]
    job.left = row.segments
    job.duration = 0.0
    head = last = -1
    for segment in range(row.segments):
        kind = row.first_kind + segment
        tasks.pending[slot, segment] = graph.kinds[kind].predecessors
        if graph.kinds[kind].predecessors == 0:
            task = new_task(graph, rules, draws, present.jobs, tasks, whole, slot, kind, -1)
            if head < 0:
                head = task
            else:
                tasks.rows[last].sibling = task
            last = task
    join(tasks, UNSTARTED, head)
