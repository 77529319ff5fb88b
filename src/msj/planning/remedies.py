"""What would make an overloaded cluster stable: fewer arrivals, more servers, smaller jobs.

A cluster takes an arrival rate if it is below the stability threshold; where that is not known exactly, a simulation
says whether the queue keeps growing. More servers never hurt the naive threshold, but they may hurt the real one
(needs that packed well no longer do: twoclass, Figure 7), so the number found is one that works with the next smaller
one tried not working, not proved to be the least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msj.answers.simulated import simulated
from msj.answers.threshold import UNANSWERED, find_threshold
from msj.effort import USUAL, Effort
from msj.errors import MsjError, OutOfTime
from msj.model import System
from msj.model.changes import with_servers
from msj.planning.what_if import possible_changes
from msj.results import Kind, Outcome

MOST_TIMES = 64  # servers, as a multiple of those there are


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A change after which the arrival rate is taken, and how that is known."""

    words: str
    kind: Kind
    system: System


def takes(
    system: System, arrival_rate: float, effort: Effort = USUAL, root: np.random.SeedSequence | None = None
) -> tuple[bool, Kind]:
    """Return whether the system is stable at the rate, and how that is known.

    Examples
    --------
    >>> import msj
    >>> takes(msj.read("examples/two_servers.toml"), 0.95)
    (False, 'exact')
    """
    if arrival_rate >= system.naive_threshold:
        return False, "bound"
    try:
        found = find_threshold(system, effort, root, completions=False, bracket=False)
    except UNANSWERED:
        result = simulated(system.replace(arrival_rate=arrival_rate), effort, root)
        if result.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt from None
        if result.outcome is Outcome.OUT_OF_TIME:
            raise OutOfTime("the time allowed was used up while simulating whether the queue grows") from None
        return result.outcome is not Outcome.UNSTABLE, "simulated"
    return arrival_rate < found.value, found.stability_threshold.kind


def servers_needed(
    system: System, arrival_rate: float, effort: Effort = USUAL, root: np.random.SeedSequence | None = None
) -> Remedy | None:
    """Return a number of servers that takes the rate, by doubling and bisection; None if 64 times as many do not.

    Examples
    --------
    >>> import msj
    >>> servers_needed(msj.read("examples/two_servers.toml"), 0.95).words
    '3 servers instead of 2'
    """
    low = max(int(arrival_rate * system.mean_work), system.servers)
    high = low
    kind: Kind = "exact"
    while True:
        high = max(high + 1, low + (high - low) * 2)
        if high > MOST_TIMES * max(system.servers, int(arrival_rate * system.mean_work)):
            return None
        works, kind = takes(with_servers(system, high), arrival_rate, effort, root)
        if works:
            break
    while high - low > 1:
        middle = (low + high) // 2
        works, found = takes(with_servers(system, middle), arrival_rate, effort, root)
        low, high, kind = (low, middle, found) if works else (middle, high, kind)
    return Remedy(words=f"{high} servers instead of {system.servers}", kind=kind, system=with_servers(system, high))


def what_makes_it_stable(
    system: System, arrival_rate: float, effort: Effort = USUAL, root: np.random.SeedSequence | None = None
) -> tuple[Remedy, ...]:
    """Return the changes after which the cluster takes the arrival rate: servers, and caps on the largest need."""
    found = []
    try:
        enough = servers_needed(system, arrival_rate, effort, root)
        found += [enough] if enough is not None else []
    except OutOfTime:
        raise
    except MsjError:
        pass  # a policy that exists for some numbers of servers only
    for change in possible_changes(system):
        if change.of == "largest need":
            try:
                works, kind = takes(change.system, arrival_rate, effort, root)
            except OutOfTime:
                raise
            except MsjError:
                continue
            if works:
                found.append(Remedy(words=change.words, kind=kind, system=change.system))
    return tuple(found)
