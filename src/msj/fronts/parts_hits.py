"""Servers that go: which segments are stopped by it, with which probability.

Servers go one at a time. *Anybody's*: uniformly among the servers of the group that are up, so a segment is hit with
probability (servers it holds there)/(servers up). *Idle first*: servers that nobody holds, the ones that are off before
those in set-up (the latest begun first) and those before the ones that are on; only then those of running segments, in
proportion to what they hold. A segment that is hit gives back all it holds, keeps its phase and waits at the very front
of the line of units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msj.fronts.parts_power import Group, Power

Jobs = tuple[Any, ...]
State = tuple[Jobs, Power]
Owed = Callable[[int], Sequence[tuple[int, float]]]


def hit(
    under_way: Jobs, power: Power, before: Sequence[int], after: Sequence[int], *, anybody: bool, owed: Owed
) -> list[tuple[State, float]]:
    """Return the law of jobs and servers as the servers up fall from ``before`` to ``after`` in some groups."""
    law: dict[State, float] = {(under_way, power): 1.0}
    for g, (up, left) in enumerate(zip(before, after, strict=True)):
        for n in range(up, left, -1):
            found: dict[State, float] = {}
            for (jobs, switched), chance in law.items():
                for reached, share in _one_goes(jobs, switched, g, n, anybody, owed):
                    found[reached] = found.get(reached, 0.0) + chance * share
            law = found
    return list(law.items())


def _one_goes(jobs: Jobs, power: Power, g: int, up: int, anybody: bool, owed: Owed) -> Iterator[tuple[State, float]]:
    """Yield (state, probability) after one of ``up`` servers of a group has gone."""
    held = sum(s[2][g] for _, own in jobs for s in own if s[4] < 0)
    on, set_ups, delays = power[g] if power else (up, (), ())
    off, idle = up - on - len(set_ups), on - held
    if not anybody:
        if off > 0:
            yield (jobs, power), 1.0
            return
        if set_ups:
            yield (jobs, _with(power, g, Group(on, set_ups[:-1], delays))), 1.0
            return
        if idle > 0:
            yield (jobs, _with(power, g, Group(on - 1, set_ups, delays))), 1.0
            return
    among = up if anybody else held
    if off and anybody:
        yield (jobs, power), off / among
    for i in range(len(set_ups)):
        yield (jobs, _with(power, g, Group(on, (*set_ups[:i], *set_ups[i + 1 :]), delays))), 1.0 / among
    less = _with(power, g, Group(on - 1, set_ups, delays))
    if idle and anybody:
        yield (jobs, less), idle / among
    for i, (job_class, own) in enumerate(jobs):
        for j, segment in enumerate(own):
            if segment[4] < 0 and segment[2][g]:
                for load, chance in owed(job_class):
                    yield (_stopped(jobs, i, j, load), less), segment[2][g] / among * chance


def _with(power: Power, g: int, group: Group) -> Power:
    return (*power[:g], group, *power[g + 1 :]) if power else ()


def _stopped(jobs: Jobs, i: int, j: int, load: int) -> Jobs:
    """Return the jobs with segment j of job i stopped, at the front of the line; the others have moved back by one."""
    found = []
    for a, (job_class, own) in enumerate(jobs):
        moved = []
        for b, (kind, phase, place, owes, line) in enumerate(own):
            if (a, b) == (i, j):
                moved.append((kind, phase, (), load, 0))
            else:
                moved.append((kind, phase, place, owes, line + 1 if line >= 0 else line))
        found.append((job_class, tuple(sorted(moved))))
    return tuple(sorted(found))
