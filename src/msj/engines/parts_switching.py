"""Servers are switched on for whoever could use them, and off when nobody could (reset, Appendix H.5).

*Wanted* in a group are the servers that segments hold, and those that the ones next in line would hold if all servers
that are up were on. Set-ups begin and are broken off, delays before switching off begin and are cancelled, the latest
first, so that as many servers are on or coming as are wanted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.engines.compiling import helper
from msj.engines.law_draws import draw
from msj.engines.parts_places import take_unit
from msj.engines.parts_state import BETWEEN, IDLE, OFF, SET_UP, UNSTARTED


@helper
def think(graph: Any, tasks: Any, servers: Any) -> Any:
    """Place everybody who would fit if all servers that are up were on; ``thought`` keeps what would then be free."""
    groups, room, thought = servers.groups, servers.room, servers.thought
    for g in range(len(groups)):
        thought.servers[g] = groups[g].up - groups[g].on + room.servers[g]
    for p in range(len(room.pools)):
        thought.pools[p] = room.pools[p]
    for c in range(len(room.caps)):
        thought.caps[c] = room.caps[c]
    fits, which = True, BETWEEN
    while fits and which <= UNSTARTED:
        unit = tasks.lines[which].first
        while fits and unit >= 0:
            fits = take_unit(graph, thought, tasks, unit)
            unit = tasks.rows[unit].next
        which += 1


@helper
def dropped(ends: Any, g: Any, count: Any, i: Any) -> Any:
    """Take one out of those under way in a group, which stay in order of beginning; return how many are left."""
    for j in range(i, count - 1):
        ends[g, j] = ends[g, j + 1]
    return count - 1


@helper
def next_switch(servers: Any) -> Any:
    """Return when the next set-up or delay ends."""
    soonest = np.inf
    for g in range(len(servers.groups)):
        for i in range(servers.groups[g].set_ups):
            soonest = min(soonest, servers.set_ups[g, i])
        for i in range(servers.groups[g].delays):
            soonest = min(soonest, servers.delays[g, i])
    return soonest


@helper
def switch_off(servers: Any, g: Any, count: Any) -> Any:
    """Switch idle servers off."""
    servers.groups[g].on -= count
    servers.room.servers[g] -= count
    servers.counts[IDLE] -= count
    servers.counts[OFF] += count


@helper
def due_in(ends: Any, g: Any, count: Any, now: Any) -> Any:
    """Return which of those under way in a group ends now, -1 for none."""
    for i in range(count):
        if ends[g, i] <= now:
            return i
    return -1


@helper
def switch(servers: Any, now: Any) -> Any:
    """Let the set-up or delay end that ends now."""
    for g in range(len(servers.groups)):
        group = servers.groups[g]
        coming = due_in(servers.set_ups, g, group.set_ups, now)
        going = due_in(servers.delays, g, group.delays, now)
        if coming >= 0:
            group.set_ups = dropped(servers.set_ups, g, group.set_ups, coming)
            group.on += 1
            servers.room.servers[g] += 1
            servers.counts[SET_UP] -= 1
            servers.counts[IDLE] += 1
        elif going >= 0:
            group.delays = dropped(servers.delays, g, group.delays, going)
            switch_off(servers, g, 1)
        if coming >= 0 or going >= 0:
            break
    servers.whole[0].next_switch = next_switch(servers)


@helper
def settle_servers(graph: Any, rules: Any, draws: Any, tasks: Any, servers: Any, now: Any) -> Any:
    """Begin and break off set-ups and delays so that as many servers are on, or coming, as are wanted."""
    think(graph, tasks, servers)
    groups, counts, changed = servers.groups, servers.counts, False
    for g in range(len(groups)):
        group = groups[g]
        wanted = group.up - servers.thought.servers[g]
        while group.set_ups > 0 and group.on + group.set_ups > wanted:
            group.set_ups -= 1
            counts[SET_UP] -= 1
            counts[OFF] += 1
            changed = True
        while group.on + group.set_ups < wanted and not (rules.staggered and group.set_ups > 0):
            servers.set_ups[g, group.set_ups] = now + draw(draws, rules.set_up)
            group.set_ups += 1
            counts[SET_UP] += 1
            counts[OFF] -= 1
            changed = True
        surplus = max(group.on - wanted, 0)
        if rules.delay < 0:
            if surplus > 0:
                switch_off(servers, g, surplus)
        elif group.delays != surplus:
            while group.delays < surplus:
                servers.delays[g, group.delays] = now + draw(draws, rules.delay)
                group.delays += 1
            group.delays = surplus
            changed = True
    if changed:
        servers.whole[0].next_switch = next_switch(servers)
