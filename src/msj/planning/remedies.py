"""What would make an overloaded cluster stable: fewer arrivals, more servers, smaller jobs.

A cluster takes an arrival rate if it is below the stability threshold; where that is not known exactly, a simulation
says whether the queue keeps growing. More servers never hurt the naive threshold, but they may hurt the real one
(needs that packed well no longer do: twoclass, Figure 7), so the number found is one that works with the next smaller
one tried not working, not proved to be the least.
"""

from __future__ import annotations

from dataclasses import dataclass

from msj.answers import simulate
from msj.errors import MsjError
from msj.model import System
from msj.model.changes import with_servers
from msj.planning.capacity import UNANSWERED
from msj.planning.effort import analyse_quickly, enough_jobs
from msj.planning.what_if import possible_changes
from msj.results import Kind, Outcome, Watch
from msj.workloads import Rng

MOST_TIMES = 64  # servers, as a multiple of those there are


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A change after which the arrival rate is taken, and how that is known."""

    words: str
    kind: Kind
    system: System


def takes(
    system: System, arrival_rate: float, *, jobs: int = 200_000, rng: Rng = None, watch: Watch | None = None
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
        threshold = analyse_quickly(system.replace(arrival_rate=None, load=None, utilisation=None))[
            "stability_threshold"
        ]
    except UNANSWERED:
        jobs = enough_jobs(system, arrival_rate, jobs, replications=20)
        result = simulate(system.replace(arrival_rate=arrival_rate), jobs=jobs, rng=rng, progress=watch)
        if result.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt from None
        return result.outcome is not Outcome.UNSTABLE, "simulated"
    return arrival_rate < threshold, "exact"


def servers_needed(
    system: System, arrival_rate: float, *, jobs: int = 200_000, rng: Rng = None, watch: Watch | None = None
) -> Remedy | None:
    """Return a number of servers that takes the rate, by doubling and bisection; None if 64 times as many do not.

    Examples
    --------
    >>> import msj
    >>> servers_needed(msj.read("examples/two_servers.toml"), 0.95).words
    '3 servers instead of 2'
    """
    low = max(int(arrival_rate * system.mean_work), system.servers)
    high, kind = low, "exact"
    while True:
        high = max(high + 1, low + (high - low) * 2)
        if high > MOST_TIMES * max(system.servers, int(arrival_rate * system.mean_work)):
            return None
        works, kind = takes(with_servers(system, high), arrival_rate, jobs=jobs, rng=rng, watch=watch)
        if works:
            break
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        works, found = takes(with_servers(system, middle), arrival_rate, jobs=jobs, rng=rng, watch=watch)
        low, high, kind = (low, middle, found) if works else (middle, high, kind)
    return Remedy(words=f"{high} servers instead of {system.servers}", kind=kind, system=with_servers(system, high))


def what_makes_it_stable(
    system: System, arrival_rate: float, *, jobs: int = 200_000, rng: Rng = None, watch: Watch | None = None
) -> tuple[Remedy, ...]:
    """Return the changes after which the cluster takes the arrival rate: servers, and caps on the largest need."""
    found = []
    try:
        enough = servers_needed(system, arrival_rate, jobs=jobs, rng=rng, watch=watch)
        found += [enough] if enough is not None else []
    except MsjError:
        pass  # a policy that exists for some numbers of servers only
    for change in possible_changes(system):
        if change.of == "largest need":
            try:
                works, kind = takes(change.system, arrival_rate, jobs=jobs, rng=rng, watch=watch)
            except MsjError:
                continue
            if works:
                found.append(Remedy(words=change.words, kind=kind, system=change.system))
    return tuple(found)
