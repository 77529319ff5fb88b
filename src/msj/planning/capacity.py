"""How much load a cluster takes, and where the servers go that it loses.

Under FCFS a server stands idle although jobs wait only because the job at the head of the line needs more than are
free. So the loss splits by the class of that job. Given f free servers, the head is any job that needs more than f:
class c with probability p_c·1[v_c > f]/P(V > f) (twoclass, section 4; ``fronts.fcfs_counts``); where jobs come in some
order, p_c is that of the job after the last that has started.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from msj.analysis.saturated_chain import SaturatedChain, SaturatedSystem, saturate
from msj.answers.threshold import (
    LINE_JOBS,
    MOST_LINE_JOBS,
    Threshold,
    attainable_row,
    find_threshold,
    naive_row,
)
from msj.disciplines.fcfs import is_fcfs
from msj.effort import USUAL, Effort
from msj.errors import MsjError
from msj.model import System
from msj.results import Quantity
from msj.simulation.saturated_line import SaturatedLine, saturated_line


@dataclass(frozen=True, kw_only=True)
class Capacity(Threshold):
    """The threshold with what follows from it; ``blocked_servers`` is the loss by class of the head of the line."""

    blocked_servers: tuple[Quantity, ...] = ()

    @property
    def bracketed(self) -> bool:
        """Whether the threshold is known only to lie between a rate that settles and one that does not."""
        return self.stability_threshold.bracket

    @property
    def proved(self) -> bool:
        """Whether the threshold is an answer (exact, or simulated with a 95 % interval) and no mere evidence."""
        return not self.bracketed and self.stability_threshold.kind != "bound"

    @property
    def all_present(self) -> bool:
        """Whether every server is there all the time at speed 1, so that servers and server-time are the same."""
        return math.isclose(self.used.value, self.saturated_utilisation.value, rel_tol=1e-6)

    @property
    def used(self) -> Quantity:
        """Share of the server-time there is that the largest load uses: the threshold over the naive one."""
        share = self.stability_threshold.times(1.0 / self.naive_threshold.value)
        return share.replace(name="saturated_utilisation")

    @property
    def lost(self) -> Quantity:
        """Share of the server-time there is that no load can use."""
        used = self.used
        low, high = (None if end is None else max(1.0 - end, 0.0) for end in (used.high, used.low))
        return used.replace(name="wasted_share", value=max(1.0 - used.value, 0.0), low=low, high=high)

    @property
    def lost_share(self) -> float:
        """Share of the server-time there is that no load can use, as a number."""
        return self.lost.value


def find_capacity(
    system: System, effort: Effort = USUAL, root: np.random.SeedSequence | None = None, *, blame: bool = True
) -> Capacity:
    """Return the stability threshold and the waste; if asked, also which class the servers are lost to.

    Examples
    --------
    >>> import msj
    >>> found = find_capacity(msj.read("examples/two_servers.toml"))
    >>> round(found.stability_threshold.value, 12), found.stability_threshold.kind
    (0.9, 'exact')
    >>> [(row.job_class, round(row.value, 12)) for row in found.blocked_servers]
    [('small', 0.0), ('large', 0.2)]
    """
    threshold = find_threshold(system, effort, root)
    blocked = _blocked(system, threshold, effort, root) if blame else ()
    return Capacity(**{**vars(threshold), "blocked_servers": blocked})


def bounded_capacity(system: System) -> Capacity:
    """Return what no policy can exceed, in place of a threshold that nobody knows.

    Examples
    --------
    >>> import msj
    >>> bounded_capacity(msj.read("examples/two_servers.toml")).stability_threshold.kind
    'bound'
    """
    limit, naive = attainable_row(system), naive_row(system)
    most = naive if limit is None else limit
    idle = system.servers * (1.0 - min(most.value / naive.value, 1.0))
    return Capacity(
        stability_threshold=most.replace(name="stability_threshold"),
        naive_threshold=naive,
        attainable_threshold=limit,
        wasted_servers=most.replace(name="wasted_servers", value=idle),
        saturated_utilisation=most.replace(name="saturated_utilisation", value=most.value / naive.value),
    )


def _blocked(
    system: System, threshold: Threshold, effort: Effort, root: np.random.SeedSequence | None
) -> tuple[Quantity, ...]:
    """Split the loss by the class that blocks; only FCFS has one head of the line that does."""
    if not is_fcfs(system):
        return ()
    if threshold.line is not None:
        return _simulated_blame(system, threshold.line)
    chain = SaturatedChain()
    try:
        if chain.supports(system) is None and effort.allows(chain.cost(system)):
            return _exact_blame(system)
        line = saturated_line(system, jobs=effort.jobs or LINE_JOBS, most_jobs=MOST_LINE_JOBS, rng=root)
        return _simulated_blame(system, line)
    except MsjError:
        return ()


def _exact_blame(system: System) -> tuple[Quantity, ...]:
    solved = saturate(system)
    lost = blocked_by_class(system, solved)
    return tuple(
        Quantity(
            name="blocked_servers",
            value=value,
            kind="exact",
            method="saturated chain, by the class at the head of the line",
            citation="reset, sections 3.5-3.11",
            job_class=c.name,
        )
        for c, value in zip(system.classes, lost, strict=True)
    )


def blocked_by_class(system: System, solved: SaturatedSystem) -> list[float]:
    """Return the mean number of servers idle while a job of each class is at the head of the line."""
    needs = np.array([c.need for c in system.classes])
    state, free = solved.built.order_state, solved.built.free
    heads = system.order_chain.next_class[state] * (needs[None, :] > free[:, None])
    idle = np.divide(
        solved.time_average * free, heads.sum(axis=1), out=np.zeros(len(free)), where=heads.sum(axis=1) > 0
    )
    return [float(value) for value in idle @ heads]


def _simulated_blame(system: System, line: SaturatedLine) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(
            name="blocked_servers",
            value=value,
            kind="simulated",
            method=f"saturated line, {line.jobs:,} jobs, by the class at the head of the line",
            citation="reset, section 3.5",
            job_class=c.name,
            low=max(value - half, 0.0),
            high=value + half,
        )
        for c, (value, half) in zip(system.classes, line.idle_by_class, strict=True)
    )
