"""What the engine of models that combine keeps, in arrays with names: segments of jobs, servers, and what they do.

A job is a graph of segments. A segment that is ready (or may be, for a job that has not started) occupies a row of the
table ``tasks``. Segments that became ready together are a *unit*, linked through ``sibling``; its first one stands for
it in a line. Running segments are linked in the order in which they were started, so that whoever draws one of them at
random finds the same one whatever else is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

BETWEEN, UNSTARTED = 0, 1  # the two lines: units of jobs under way, jobs that have not started
STATES = ("busy", "paying", "idle", "set_up", "off", "broken")
BUSY, PAYING, IDLE, SET_UP, OFF, BROKEN = range(len(STATES))
OWN_DURATION = -1  # in place of a law: the duration that came with the job
BY_PHASES = -2  # in place of a law: phase by phase

TASK = np.dtype(
    [
        ("finish", "f8"),  # of what it does now; infinite while it waits
        ("remaining", "f8"),  # work, when it was last timed
        ("number", "i8"),  # of its job; the heap's order of simultaneous ends
        ("position", "i8"),  # in the heap
        ("job", "i8"),
        ("kind", "i8"),
        ("need", "i8"),
        ("group", "i8"),  # it is in; the number of groups for one that spans them
        ("speed", "f8"),  # of its place
        ("phase", "i8"),
        ("loading", "i8"),
        ("owes", "i8"),  # whether it loads before it goes on
        ("next", "i8"),  # in its line, among those running, or among free rows
        ("before", "i8"),  # among those running
        ("sibling", "i8"),  # in its unit
        ("unused", "i8"),  # rows of 128 bytes
    ]
)
LINE = np.dtype([("first", "i8"), ("last", "i8")])
#: A group of servers; ``up`` are those that nothing has taken, ``on`` those of them that are on.
GROUP = np.dtype([("servers", "i8"), ("speed", "f8"), ("up", "i8"), ("on", "i8"), ("set_ups", "i8"), ("delays", "i8")])
#: One kind of segment: its class, its need, its law, what comes after it and how much must end before it.
KIND = np.dtype(
    [
        ("job_class", "i8"),
        ("need", "i8"),
        ("drawn", "i8"),
        ("first_phase", "i8"),
        ("phases", "i8"),
        ("first_successor", "i8"),
        ("successors", "i8"),
        ("predecessors", "i8"),
    ]
)
CLASS = np.dtype(
    [("first_kind", "i8"), ("segments", "i8"), ("groups", "i8"), ("span", "i8"), ("pays", "i8"), ("preemptible", "i8")]
)
#: One number each about the whole.
WHOLE = np.dtype(
    [
        ("next_switch", "f8"),  # when a set-up or a delay ends
        ("next_change", "f8"),  # of the environment
        ("speed", "f8"),  # that the environment leaves
        ("free_row", "i8"),  # of the table of tasks
        ("first_running", "i8"),
        ("last_running", "i8"),
        ("asking", "i8"),  # how often a policy may still be asked before the next event
        ("serving", "i8"),  # jobs that run or load, under a policy
    ]
)


class Graph(NamedTuple):
    """Kinds of segments, what follows each, what each takes; classes and the groups each may use; tables of phases."""

    kinds: Any
    successors: Any
    resources: Any  # kinds × resources
    classes: Any
    groups: Any  # classes × groups, in order of preference
    pool_of: Any  # groups (and all of them) × resources: where it is taken from; negative for nowhere
    phase_needs: Any
    phase_rates: Any
    phase_jumps: Any  # cumulative; beyond all phases is the end
    phase_starts: Any  # kinds × phases, cumulative


class Room(NamedTuple):
    """What is free: servers by group, amounts by pool, and the servers a class may still take."""

    servers: Any
    pools: Any
    caps: Any


class Tasks(NamedTuple):
    """Segments of the jobs present: the servers each holds by group, both lines, and what jobs still wait for."""

    rows: Any
    held: Any
    lines: Any
    pending: Any  # by the job's slot and segment: how many must end before it


class Servers(NamedTuple):
    """Groups, what is free, room to think in, when set-ups and delays end; servers in each state, and for how long."""

    groups: Any
    room: Any
    thought: Any
    set_ups: Any  # groups × servers, in order of beginning
    delays: Any
    counts: Any
    areas: Any
    kept: Any  # by group: room to remember what a segment held
    whole: Any


class Environment(NamedTuple):
    """Components: state of each and when it changes; by component and state the law of its stay and what it means."""

    state: Any
    until: Any
    laws: Any
    jumps: Any  # cumulative
    taken: Any
    speeds: Any
    any_server: Any


class Rules(NamedTuple):
    """Which parts there are: numbers of laws, negative for parts that are not there."""

    uniform: int
    exponential: int
    set_up: int
    delay: int
    snapshot: int
    transfer: int
    staggered: bool
