"""About how many fronts there will be, before any is made: jobs that fit together, counted by what they leave free.

Follow one job alone through the cluster, in each group, for the states it can be in and what it holds in each. The
number of multisets of such states that leave a vector free follows by adding one state after the other (as for count
vectors, ``count_space``). Those count in which somebody would not fit: times those who may wait then; with set-up,
times the sequences of jobs that wait for servers to come on and how many are on; and where servers are taken, times the
sequences of segments that may wait for these to come back. Not all of them can be reached and some differ in more than
that: it is the order of magnitude (within a factor of ten on the systems of ``tests/combinations.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from math import prod
from operator import sub
from typing import Any

from msj.fronts.parts_places import Vector
from msj.model import System

MOST_VECTORS = 200_000


def about_fronts(front: Any, system: System) -> float | None:
    """Return about how many full fronts a front of parts has; None if even that is too much to count."""
    servers = [group[0] for group in front.told["groups"]]
    capacity = front.places.free(servers, [])
    states = list(_surroundings(front.told["environment"], servers))
    if prod(n + 1 for n in capacity) * len(states) > MOST_VECTORS:
        return None
    loads = 1 + (len(front.transfer) if front.transfer is not None and front.around.takes_servers else 0)
    alone = sorted(held for held in _held_alone(front, system) for _ in range(loads))
    counts: dict[Vector, float] = {capacity: 1.0}
    for held in alone:
        _with_one_more(counts, held)
    sequences = _sequences(alone, len(servers))
    rooms = {free: _who_waits(front, free) for free in counts}
    total = 0.0
    for taken, phases in states:
        lines = sequences(taken)
        for free, count in counts.items():
            left = (*map(sub, free, taken), *free[len(taken) :])
            if min(left) >= 0 and (front.switching.there or left in rooms):
                total += phases * lines * count * rooms.get(left, 1.0)
    return total


def _who_waits(front: Any, free: Vector) -> float:
    """Return in how many ways jobs may wait where so much is free, 0 if nobody has to; with set-up servers are off."""
    ways = [front.places.put(drawn, free) for (_, drawn), _ in front.fresh()]
    if not front.switching.there:
        return float(ways.count(None))
    on = (1 + max(free[: len(front.servers)])) / 2
    return on * sum(1.0 if placed is None else _waiting(front, placed[1]) for placed in ways)


def _waiting(front: Any, free: Vector) -> float:
    """Return the number of sequences of jobs up to the first that does not fit."""
    known: dict[Vector, float] = front.__dict__.setdefault("_sequences_waiting", {})
    if free not in known:
        ways = [front.places.put(drawn, free) for (_, drawn), _ in front.fresh()]
        known[free] = sum(1.0 if placed is None else _waiting(front, placed[1]) for placed in ways)
    return known[free]


def _sequences(alone: list[Vector], groups: int) -> Callable[[Vector], float]:
    """Return the function that counts the sequences of jobs that so many servers could hold."""

    @cache
    def counted(servers: Vector) -> float:
        left = (tuple(map(sub, servers, held[:groups])) for held in alone)
        return 1.0 + sum(counted(rest) for rest in left if min(rest) >= 0)

    return counted


def _surroundings(components: Sequence[Any], servers: Sequence[int]) -> Iterator[tuple[Vector, int]]:
    """Yield the servers taken in each state of the surroundings, and how many phases it has."""
    for states in product(*(range(len(one["sojourn"])) for one in components)):
        pairs = list(zip(components, states, strict=True))
        phases = prod(len(one["sojourn"][state].as_phase_type().alpha) for one, state in pairs)
        taken = [sum(one["taken"][state][g] for one, state in pairs) for g in range(len(servers))]
        yield tuple(map(min, taken, servers)), phases


def _with_one_more(counts: dict[Vector, float], held: Vector) -> None:
    """Let any number of jobs in one more state stand beside those that are counted."""
    for free, count in list(counts.items()):
        left = tuple(map(sub, free, held))
        while min(left) >= 0:
            counts[left] = counts.get(left, 0.0) + count
            left = tuple(map(sub, left, held))


def _held_alone(front: Any, system: System) -> Iterator[Vector]:
    """Yield what each state of a job alone holds, in each group and over all of them."""
    groups = front.told["groups"]
    seen = set()
    for chosen in (*({g} for g in range(len(groups))), set(range(len(groups)))):
        told = front.told | {
            "groups": [(n if g in chosen else 0, speed, own) for g, (n, speed, own) in enumerate(groups)],
            "environment": [],
            "set_up": None,
        }
        alone = type(front)(system, **told)
        waiting = [alone.add(alone.empty(), job) for job, _ in front.fresh()]
        for reached in waiting:  # the list grows while it is read
            for job in reached[1]:
                if job in seen:
                    continue
                seen.add(job)
                vectors = [front.places.held(s[0], s[2]) for s in job[1] if s[4] < 0]
                if vectors:
                    yield tuple(map(sum, zip(*vectors, strict=True)))
                waiting += [after for _, after, _ in alone.steps(reached)]
