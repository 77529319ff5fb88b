"""Where segments go: groups in order of preference, resources from the group or the cluster, caps by class.

The same functions place segments on the servers that are on and free, and in thought on all that are up.
"""

from __future__ import annotations

from typing import Any

from msj.engines.compiling import helper


@helper
def amounts_fit(graph: Any, room: Any, kind: Any, group: Any) -> Any:
    """Whether what a kind of segment takes beside servers is there, seen from a group."""
    for r in range(graph.resources.shape[1]):
        amount = graph.resources[kind, r]
        if amount > 0:
            pool = graph.pool_of[group, r]
            if pool < 0 or room.pools[pool] < amount:
                return False
    return True


@helper
def place_for(graph: Any, room: Any, kind: Any, need: Any) -> Any:
    """Return the first group in which a segment fits, the number of groups if it spans them, -1 if it does not fit."""
    c = graph.kinds[kind].job_class
    row = graph.classes[c]
    if room.caps[c] < need:
        return -1
    if row.span:
        free = 0
        for i in range(row.groups):
            free += room.servers[graph.groups[c, i]]
        everywhere = len(room.servers)
        return everywhere if free >= need and amounts_fit(graph, room, kind, everywhere) else -1
    for i in range(row.groups):
        group = graph.groups[c, i]
        if room.servers[group] >= need and amounts_fit(graph, room, kind, group):
            return group
    return -1


@helper
def take(graph: Any, room: Any, tasks: Any, task: Any, group: Any, available: Any) -> Any:
    """Let a segment hold its servers and amounts; one that spans groups takes as many as are ``available`` in each."""
    row, held = tasks.rows[task], tasks.held
    c = graph.kinds[row.kind].job_class
    row.group = group
    for g in range(held.shape[1]):
        held[task, g] = 0
    if group < held.shape[1]:
        held[task, group] = row.need
        room.servers[group] -= row.need
    else:
        missing = row.need
        for i in range(graph.classes[c].groups):
            g = graph.groups[c, i]
            here = min(missing, available[g])
            held[task, g] = here
            room.servers[g] -= here
            missing -= here
    room.caps[c] -= row.need
    for r in range(graph.resources.shape[1]):
        if graph.resources[row.kind, r] > 0:
            room.pools[graph.pool_of[group, r]] -= graph.resources[row.kind, r]


@helper
def give_back(graph: Any, room: Any, tasks: Any, task: Any) -> Any:
    """Free all that a segment holds."""
    row, held = tasks.rows[task], tasks.held
    for g in range(held.shape[1]):
        room.servers[g] += held[task, g]
    room.caps[graph.kinds[row.kind].job_class] += row.need
    for r in range(graph.resources.shape[1]):
        if graph.resources[row.kind, r] > 0:
            room.pools[graph.pool_of[row.group, r]] += graph.resources[row.kind, r]


@helper
def take_unit(graph: Any, room: Any, tasks: Any, head: Any) -> Any:
    """Let all segments of a unit hold what they need, one after the other, or none; return whether they do."""
    task = head
    while task >= 0:
        group = place_for(graph, room, tasks.rows[task].kind, tasks.rows[task].need)
        if group < 0:
            taken = head
            while taken != task:
                give_back(graph, room, tasks, taken)
                taken = tasks.rows[taken].sibling
            return False
        take(graph, room, tasks, task, group, room.servers)
        task = tasks.rows[task].sibling
    return True
