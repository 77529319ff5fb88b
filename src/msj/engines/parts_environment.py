"""The environment: components in states, each for a random time, that take servers and change the speed of all work."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines.compiling import helper
from msj.engines.heap import push
from msj.engines.law_draws import draw
from msj.engines.parts_places import give_back
from msj.engines.parts_segments import drawn_from, progress_till, time_it, withdraw
from msj.engines.parts_state import BETWEEN, BROKEN, IDLE, OFF, SET_UP
from msj.engines.parts_switching import dropped, next_switch


@helper
def move_on(rules: Any, draws: Any, environment: Any, whole: Any, now: Any) -> Any:
    """Let the component that is due change its state; return it. ``whole`` learns when the next one is due."""
    due = 0
    for e in range(len(environment.until)):
        if environment.until[e] < environment.until[due]:
            due = e
    state = drawn_from(environment.jumps[due, environment.state[due]], draw(draws, rules.uniform))
    environment.state[due] = state
    law = environment.laws[due, state]
    environment.until[due] = now + draw(draws, law) if law >= 0 else np.inf
    soonest = np.inf
    for e in range(len(environment.until)):
        soonest = min(soonest, environment.until[e])
    whole.next_change = soonest
    return due


@helper
def speed_now(environment: Any) -> Any:
    """Return what the components make of all speeds."""
    speed = 1.0
    for e in range(len(environment.state)):
        speed *= environment.speeds[e, environment.state[e]]
    return speed


@helper
def up_now(environment: Any, servers: Any, g: Any) -> Any:
    """Return how many servers of a group nothing takes."""
    left = servers.groups[g].servers
    for e in range(len(environment.state)):
        left -= environment.taken[e, environment.state[e], g]
    return max(left, 0)


@helper
def change_speed(tasks: Any, servers: Any, work: Any, speed: Any, now: Any) -> Any:
    """Time all that is in progress anew."""
    whole = servers.whole[0]
    work.state[0].running = 0
    task = whole.first_running
    while task >= 0:
        row = tasks.rows[task]
        progress_till(whole, row, now)
        task = row.next
    whole.speed = speed
    task = whole.first_running
    while task >= 0:
        row = tasks.rows[task]
        if not row.loading:
            time_it(whole, row, now)
        push(work, task)
        task = row.next


@helper
def hit(graph: Any, rules: Any, present: Any, tasks: Any, servers: Any, work: Any, g: Any, drawn: Any) -> Any:
    """Stop the running segment that holds a server of a group; it goes to the very front of the line."""
    whole, state = servers.whole[0], present.state[0]
    task = whole.first_running
    while drawn >= tasks.held[task, g]:
        drawn -= tasks.held[task, g]
        task = tasks.rows[task].next
    row = tasks.rows[task]
    progress_till(whole, row, state.now)
    withdraw(tasks, servers, work, task)
    give_back(graph, servers.room, tasks, task)
    row.loading = 0
    row.owes = rules.transfer >= 0 and graph.classes[graph.kinds[row.kind].job_class].pays
    row.sibling = -1
    line = tasks.lines[BETWEEN]
    row.next = line.first
    line.first = task
    if line.last < 0:
        line.last = task
    present.jobs[row.job].preemptions += 1


@helper
def lose_server(
    graph: Any, rules: Any, draws: Any, present: Any, tasks: Any, servers: Any, work: Any, g: Any, any_server: Any
) -> Any:
    """Take one server of a group: any of those up, or one that nobody holds as long as there is one."""
    group, room, counts = servers.groups[g], servers.room.servers, servers.counts
    held, coming = group.on - room[g], group.set_ups
    off = group.up - group.on - coming
    drawn = -1
    if any_server or room[g] + coming + off == 0:
        drawn = int(draw(draws, rules.uniform) * (group.up if any_server else held))
    elif off > 0:
        drawn = group.on + coming
    elif coming > 0:
        drawn = group.on + coming - 1  # the latest begun
    else:
        drawn = held
    # Servers in a row: those held, those idle, those coming in order of beginning, those off.
    group.up -= 1
    counts[BROKEN] += 1
    if drawn >= group.on + coming:
        counts[OFF] -= 1
    elif drawn >= group.on:
        group.set_ups = dropped(servers.set_ups, g, coming, drawn - group.on)
        counts[SET_UP] -= 1
        servers.whole[0].next_switch = next_switch(servers)
    else:
        if drawn < held:
            hit(graph, rules, present, tasks, servers, work, g, drawn)
        group.on -= 1
        room[g] -= 1
        counts[IDLE] -= 1


@helper
def change(
    graph: Any, rules: Any, draws: Any, environment: Any, present: Any, tasks: Any, servers: Any, work: Any
) -> Any:
    """Let the environment change: speeds first, then servers come back and go, group by group."""
    whole, now = servers.whole[0], present.state[0].now
    due = move_on(rules, draws, environment, whole, now)
    speed = speed_now(environment)
    if speed != whole.speed:
        change_speed(tasks, servers, work, speed, now)
    for g in range(len(servers.groups)):
        group = servers.groups[g]
        up = up_now(environment, servers, g)
        while group.up > up:
            lose_server(graph, rules, draws, present, tasks, servers, work, g, environment.any_server[due])
        back = up - group.up
        if back > 0:
            group.up = up
            servers.counts[BROKEN] -= back
            if rules.set_up >= 0:
                servers.counts[OFF] += back
            else:
                group.on += back
                servers.room.servers[g] += back
                servers.counts[IDLE] += back
