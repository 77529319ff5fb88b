"""What a change of the cluster or of its jobs would bring.

A change gives another system (``model.changes``); what it brings is read off the same arrival rate as before: how much
load is taken, how many servers are lost, how long jobs stay. A cap on the largest need keeps the work of a job
(need × duration): the same program on fewer servers for longer. A shift of the mix keeps the arrival rate.

Where response times have to be simulated, the changed cluster serves the jobs of the original (``answers.changed``), so
that the difference is known better than the means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from msj.answers.changed import SameJobs
from msj.answers.reconcile import reconcile
from msj.answers.response import exact_response
from msj.answers.simulated import jobs_for_an_interval
from msj.answers.threshold import UNANSWERED, find_threshold
from msj.effort import USUAL, Effort
from msj.errors import MsjError, OutOfTime
from msj.model import JobClass, System
from msj.model.changes import with_largest_need, with_servers, with_share
from msj.model.numbers import positive
from msj.planning.capacity import Capacity
from msj.results import Outcome, Quantity

MOST_CAPS = 2
Of: TypeAlias = Literal["servers", "largest need", "mix"]
#: What it is a change of, in words, and how to make it.
Wish: TypeAlias = tuple[Of, str, Callable[[], System]]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change in words, what it is a change of, and the system it leads to."""

    of: Of
    words: str
    system: System


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """What a change brings at an arrival rate; no response time if the changed system is unstable there.

    ``capacity`` is None where no theorem gives the threshold of the changed system; ``difference`` is of the mean
    response time, from the cluster as it is, where that was asked for and is known.
    """

    change: Change
    arrival_rate: float
    capacity: Capacity | None
    stable: bool
    mean_response_time: Quantity | None
    difference: Quantity | None = None


def possible_changes(system: System) -> tuple[Change, ...]:
    """Return the changes worth looking at: more servers, caps on the largest need, fewer of the largest jobs.

    Examples
    --------
    >>> import msj
    >>> for change in possible_changes(msj.read("examples/hpc_partition.toml")):
    ...     print(change.words)
    one more server (33)
    8 more servers (40)
    no job above 16 servers
    no job above 8 servers
    half as many 'full' jobs (1.5 % instead of 3 %)
    twice as many 'full' jobs (6 % instead of 3 %)
    """
    return tuple(_that_make_sense((*_more_servers(system), *_caps(system), *_other_mixes(system))))


def _that_make_sense(wishes: Iterable[Wish]) -> Iterator[Change]:
    """Leave out what contradicts the system: a model may fix how many servers there are, or what a need is."""
    for of, words, change in wishes:
        with suppress(MsjError):
            yield Change(of=of, words=words, system=change())


def _more_servers(system: System) -> Iterator[Wish]:
    k = system.servers
    quarter = max(k // 4, 1)
    for more in [1] if quarter == 1 else [1, quarter]:
        words = f"one more server ({k + 1:,})" if more == 1 else f"{more:,} more servers ({k + more:,})"
        yield "servers", words, partial(with_servers, system, k + more)


def _caps(system: System) -> Iterator[Wish]:
    """Caps at half the largest need and at the next largest ones: where jobs can still be cut in equal parts."""
    needs = sorted({c.need for c in system.active_classes}, reverse=True)
    largest = needs[0]
    caps = sorted({largest // 2, *needs[1:]} - {0, largest}, reverse=True)[:MOST_CAPS]
    for cap in caps:
        words = f"no job above {cap:,} server{'s' if cap > 1 else ''}"
        yield "largest need", words, partial(with_largest_need, system, cap)


def _other_mixes(system: System) -> Iterator[Wish]:
    if len(system.active_classes) < 2:
        return
    largest = max(system.active_classes, key=lambda c: (c.need, system.work_of(c)))
    for words, factor in (("half", 0.5), ("twice", 2.0)):
        share = float(largest.share) * factor
        if share <= 0.9:
            yield "mix", _mix_words(words, largest, share), partial(with_share, system, largest.name, share)


def _mix_words(words: str, job_class: JobClass, share: float) -> str:
    return (
        f"{words} as many '{job_class.name}' jobs ({100 * share:.3g} % instead of {100 * float(job_class.share):.3g} %)"
    )


def what_if(
    change: Change,
    arrival_rate: float,
    effort: Effort = USUAL,
    root: np.random.SeedSequence | None = None,
    *,
    before: Quantity | None = None,
    same_jobs: SameJobs | None = None,
) -> WhatIf:
    """Return what the change brings at the arrival rate: exactly where possible, else simulated.

    Parameters
    ----------
    change
        The change.
    arrival_rate
        How much arrives, before and after it.
    effort, root
        For whatever has to be computed or simulated.
    before
        The mean response time of the cluster as it is, where the difference is asked for and both may be exact.
    same_jobs
        Its jobs, where the changed cluster shall serve the same if it has to be simulated.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> capped = next(c for c in possible_changes(system) if c.of == "largest need")
    >>> found = what_if(capped, 0.72)
    >>> capped.words, round(found.capacity.stability_threshold.value, 9), round(found.mean_response_time.value, 4)
    ('no job above 1 server', 1.0, 5.1644)
    """
    rate = float(positive(arrival_rate, "arrival_rate"))
    capacity = _capacity(change.system, effort, root)
    there = change.system.replace(arrival_rate=rate)
    made = partial(WhatIf, change=change, arrival_rate=rate, capacity=capacity)
    if capacity is not None and rate >= capacity.highest:
        return made(stable=False, mean_response_time=None)
    with suppress(*UNANSWERED):
        stay = exact_response(there, rate, effort, percentiles=False).find("mean_response_time")
        if stay is not None:
            return made(stable=True, mean_response_time=stay, difference=reconcile(before, stay, None)[1])
    jobs = effort.jobs or jobs_for_an_interval(there, None if capacity is None else capacity.value)
    same_jobs = same_jobs or SameJobs(system=there, root=root or np.random.SeedSequence(), jobs=jobs)
    threshold = None if capacity is None else capacity.value
    if there == same_jobs.system:
        run, difference = same_jobs.own(effort), None
    else:
        run, difference = same_jobs.beside(there, effort, threshold)
    if run.outcome is Outcome.OUT_OF_TIME:
        raise OutOfTime(f"the time allowed was used up while simulating '{change.words}'; allow more")
    if run.outcome is Outcome.UNSTABLE:
        return made(stable=False, mean_response_time=None)
    stay, difference = reconcile(before, run.find("mean_response_time"), difference)
    return made(stable=True, mean_response_time=stay, difference=difference)


def _capacity(system: System, effort: Effort, root: np.random.SeedSequence | None) -> Capacity | None:
    """Return what the changed system takes, where a theorem tells; evidence of a bracket takes too long for each."""
    with suppress(*UNANSWERED):
        found = find_threshold(system, effort, root, completions=False, bracket=False)
        return Capacity(**vars(found))
    return None
