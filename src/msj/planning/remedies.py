"""What would make an overloaded cluster stable: fewer arrivals, more servers, smaller jobs.

A cluster takes an arrival rate if it is below the stability threshold: below the low end of its interval, where it is
simulated, since what is too close to call is no cure. More servers never hurt the naive threshold, but they may hurt
the real one (needs that packed well no longer do: twoclass, Figure 7), so the number found is one that works with the
next smaller one tried not working, not proved to be the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from msj.answers.threshold import UNANSWERED, attainable_row, find_threshold
from msj.effort import USUAL, Effort
from msj.errors import MsjError, OutOfTime
from msj.model import System
from msj.model.changes import with_servers
from msj.planning.what_if import possible_changes
from msj.results import Kind

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
    limit = attainable_row(system)
    if arrival_rate >= (system.naive_threshold if limit is None else limit.value):
        return False, "bound"
    found = find_threshold(system, effort, root, completions=False)
    return arrival_rate < found.lowest, found.stability_threshold.kind


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
    high = max(int(arrival_rate * system.mean_work), system.servers)
    low, most = high - 1, MOST_TIMES * high
    works, kind = takes(with_servers(system, high), arrival_rate, effort, root)
    while not works:
        _require_time(effort)
        low, high = high, high + max(2 * (high - low), 1)
        if high > most:
            return None
        works, kind = takes(with_servers(system, high), arrival_rate, effort, root)
    while high - low > 1 and not effort.over:  # what was found so far is enough, if perhaps not the least
        middle = (low + high) // 2
        works, found = takes(with_servers(system, middle), arrival_rate, effort, root)
        low, high, kind = (low, middle, found) if works else (middle, high, kind)
    words = f"{high:,} servers instead of {system.servers:,}" if high > system.servers else f"{high:,} servers"
    return Remedy(words=words, kind=kind, system=with_servers(system, high))


def what_makes_it_stable(
    system: System, arrival_rate: float, effort: Effort = USUAL, root: np.random.SeedSequence | None = None
) -> tuple[Remedy, ...]:
    """Return the changes after which the cluster takes the arrival rate: servers, and caps on the largest need."""
    found: list[Remedy] = []
    try:
        found += _caps_that_do(system, arrival_rate, effort, root)
        enough = servers_needed(system, arrival_rate, effort, root)
        found = [*([] if enough is None else [enough]), *found]
    except OutOfTime:
        if not found:
            raise
    except MsjError:
        pass  # a policy that exists for some numbers of servers only
    return tuple(found)


def _caps_that_do(
    system: System, arrival_rate: float, effort: Effort, root: np.random.SeedSequence | None
) -> Iterator[Remedy]:
    for change in possible_changes(system):
        if change.of == "largest need":
            _require_time(effort)
            with suppress(*UNANSWERED):
                works, kind = takes(change.system, arrival_rate, effort, root)
                if works:
                    yield Remedy(words=change.words, kind=kind, system=change.system)


def _require_time(effort: Effort) -> None:
    if effort.over:
        raise OutOfTime("the time allowed was used up while looking for what would make it stable; allow more")
