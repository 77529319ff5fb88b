"""What a run must have seen often enough before its intervals mean anything: rare things that make jobs wait.

A class of one job in a hundred thousand that needs the whole cluster, an outage a month, a burst of arrivals now and
then: a run that holds none of them has short waits, and batches that agree on them. So each such cause must be expected
:data:`ENOUGH` times in the jobs that count. Expected, from the spec: a rule on how often a run happened to see it would
favour runs that saw it often.

**Classes.** A job of class c that runs takes the work X, and if its need exceeds the servers to spare it also keeps
servers idle while it waits for enough of them: it takes away Y = need × (S + D), D the time until so many are free, at
most the longest mean duration times 1 + 1/2 + ... + 1/need. Classes count by share × E[Y²], as waits do.

**Environments, turns, arrivals.** States in which capacity is below its mean, or arrivals are above it, count by visits
× (work that piles up)² (``disciplines.capacity_process``). Visits whose lengths t are very unequal say less: so more of
them are asked for, in proportion to E[t⁴]/E[t²]².

**What is too small to matter.** A cause that makes less of the waits than a fraction (:data:`HIDDEN`) of what chance
does is not waited for: it is hidden in the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from msj.disciplines.capacity_process import CapacityProcess
from msj.model import System
from msj.model.assumptions import why_not_independent
from msj.model.durations import Exponential
from msj.model.environments.base import ANY, Component
from msj.simulation.memory import capacity_processes, drain_time, held_up_by, work_per_time

ENOUGH = 30.0  # of a cause, expected among the jobs that count
ALIKE = 2.0  # E[t⁴]/E[t²]² of times up to which visits of a state count fully; more unequal ones count for fewer
HIDDEN = 0.1  # of the relative standard error of a mean wait, about
MOST_PHASES = 200  # of arrivals
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Something that makes jobs wait.

    Parameters
    ----------
    what
        In words, for a sentence: "... must have been seen often enough".
    between
        How many jobs arrive from one to the next, on average.
    share
        About how much of all waiting it makes, at most 1.
    enough
        How many must be expected among the jobs that count.
    """

    what: str
    between: float
    share: float
    enough: float = ENOUGH

    @property
    def jobs(self) -> float:
        """How many jobs must count."""
        return self.enough * self.between

    def shows(self, jobs: float, memory: float) -> bool:
        """Return whether it makes more of the waits than chance could hide in so many jobs."""
        return self.share > HIDDEN * math.sqrt(memory / max(jobs, 1.0))

    def missing(self, jobs: float, memory: float) -> bool:
        """Return whether so many jobs hold too few of it, although it shows."""
        return jobs < self.jobs * (1.0 - ROUNDING) and self.shows(jobs, memory)


def rare_causes(system: System, rate: float, threshold: float | None = None) -> tuple[Cause, ...]:
    """Return the causes of waits that a run must have seen, rarest first.

    Examples
    --------
    One job in a hundred thousand needs the whole cluster:

    >>> import msj
    >>> jobs = [
    ...     msj.JobClass(name=name, need=need, share=share, duration=msj.Exponential(mean=1))
    ...     for name, need, share in (("single", 1, "99999/100000"), ("whole", 64, "1/100000"))
    ... ]
    >>> rarest = rare_causes(msj.System(servers=64, classes=jobs), 57.6)[0]
    >>> rarest.what, round(rarest.between)
    ("jobs of class 'whole'", 100000)
    """
    found = [*_classes(system, rate, threshold), *_changes(system, rate)]
    return tuple(sorted(found, key=lambda cause: -cause.jobs))


def _classes(system: System, rate: float, threshold: float | None) -> list[Cause]:
    together = 1.0 if why_not_independent(system) is None else max(system.only_active.order_chain.memory, 1.0)
    effects = []
    for c in system.active_classes:
        first, second = float(c.duration.mean), c.duration.second_moment
        idle = drain_time(system, c) if held_up_by(system, c, rate, threshold) == 1 else 0.0
        if math.isinf(second):
            continue  # such means have no interval, however long the run
        effects.append(float(c.share) * work_per_time(system, c) ** 2 * (second + 2.0 * first * idle + idle**2))
    total = math.fsum(effects)
    return [
        Cause(what=f"jobs of class '{c.name}'", between=together / float(c.share), share=effect / total)
        for c, effect in zip(
            (c for c in system.active_classes if math.isfinite(c.duration.second_moment)), effects, strict=True
        )
    ]


def _changes(system: System, rate: float) -> list[Cause]:
    found = [("states of the environment", each) for each in capacity_processes(system) if each.needs is None]
    found += [("turns of the policy", each) for each in capacity_processes(system) if each.needs is not None]
    if (arrivals := _arrivals(system, rate)) is not None:
        found.append(("states of the arrivals", arrivals))
    causes = []
    for what, process in found:
        if (state := process.rarest) is not None:
            enough = ENOUGH * max(state.unequal / ALIKE, 1.0)
            causes.append(Cause(what=what, between=rate / state.rate, share=1.0, enough=enough))
    return causes


def _arrivals(system: System, rate: float) -> CapacityProcess | None:
    """Return the arrivals' phases as a process that takes capacity away; None where there are none, or too many."""
    form = system.arrivals.markov_form(rate)
    if form is None or not 1 < len(form.D0) <= MOST_PHASES or np.any(form.passing):
        return None
    quiet = form.D0 + form.D1
    leaving = quiet.sum(axis=1) - np.diag(quiet)
    if np.any(leaving <= 0):
        return None
    jump = (quiet - np.diag(np.diag(quiet))) / leaving[:, None]
    component = Component(
        sojourn=tuple(Exponential(rate=float(each)) for each in leaving),
        jump=tuple(map(tuple, jump.tolist())),
        taken=((0,),) * len(leaving),
        speed=(1.0,) * len(leaving),
        hits=ANY,
    )
    brought = form.D1.sum(axis=1) * system.mean_work
    return CapacityProcess(component=component, capacity=tuple((-brought).tolist()))
