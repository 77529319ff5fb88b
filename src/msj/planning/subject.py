"""What is planned: a cluster that is described, under policies and with changes, as points that a judge answers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msj.answers.threshold import find_threshold
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.model import discipline_of
from msj.errors import NotSupported
from msj.model import System
from msj.model.assumptions import why_not_plain
from msj.model.changes import with_share
from msj.planning.cap import Efficiency, capped
from msj.planning.exact_point import classes_of
from msj.planning.judge import Judge
from msj.planning.point import Point
from msj.planning.target import Measure, Target
from msj.results import Quantity
from msj.results.coordinates import Place
from msj.results.units import said

DRAWN = 100_000  # durations by which it is seen that a run time alone exceeds a target
SURELY = 5.0  # standard errors


class Subject(ABC):
    """A cluster or a log, and what may be changed about it.

    Parameters
    ----------
    servers
        How many there are now.
    policies
        By name; the first is the one there is now, or the one asked about.
    targets, time_unit
        What is to be met, and the unit of their times.
    """

    servers: int
    policies: Mapping[str, Any]
    targets: tuple[Target, ...]
    time_unit: str | None
    #: What kind of evidence points have where they are not exact.
    evidence: str

    @abstractmethod
    def at_servers(self, policy: str, servers: int) -> Point:
        """Return the point of a size."""

    @abstractmethod
    def at_load(self, policy: str, factor: float) -> Point:
        """Return the point at so many times the arrival rate."""

    @abstractmethod
    def at_cap(self, policy: str, largest: int, efficiency: Efficiency) -> Point:
        """Return the point where no job gets more servers."""

    @property
    @abstractmethod
    def work(self) -> float:
        """Servers that the work alone would keep busy."""

    @property
    @abstractmethod
    def needs(self) -> list[int]:
        """The needs there are, in increasing order."""

    @property
    def naive_servers(self) -> int:
        """What counting server-hours says: the work fits, and every job does."""
        return max(math.floor(self.work + 1e-12) + 1, self.needs[-1])

    @property
    def least_servers(self) -> int:
        """Fewer cannot do: more work would arrive than is done, or a job would not fit."""
        return self.naive_servers

    def next_size(self, policy: str, servers: int) -> int:  # noqa: ARG002
        """Return the next size, from this one on, that the policy is for: some want a power of two."""
        return servers

    def remark_on(self, policy: str, sizes: Sequence[int]) -> str:  # noqa: ARG002
        """Return what else to say of the evidence for sizes; nothing where it speaks for itself."""
        return ""

    @abstractmethod
    def monotone(self, policy: str) -> bool:
        """Whether more servers, or later arrivals, never make any job wait longer."""

    def why_never(self) -> str:
        """Return why no size whatever can meet the targets; empty if that is not known."""
        return ""

    def parts(self) -> Mapping[int, tuple[Subject, Subject]]:
        """Return the two partitions of every cut between needs; the key is the largest need of the first."""
        raise NotSupported("the jobs of a log are not cut into partitions; plan a cluster that is described")

    @property
    @abstractmethod
    def out_of_time(self) -> bool:
        """Whether something was left open because time was up."""


class SystemSubject(Subject):
    """A cluster that is described; it says its arrival rate."""

    evidence = "simulated"

    def __init__(self, system: System, policies: Mapping[str, Any], judge: Judge, part: str = "") -> None:
        self.system, self.policies, self.judge, self.part = system, policies, judge, part
        self.servers, self.targets, self.time_unit = system.servers, judge.targets, system.time_unit
        self.rate = float(system.arrival_rate)  # type: ignore[arg-type]

    def under(self, policy: str) -> System:
        """Return the cluster under one of the policies."""
        return self.system.replace(policy=self.policies[policy])

    def at_servers(self, policy: str, servers: int) -> Point:
        where: dict[str, Place] = {"policy": policy, "servers": servers}
        where |= {"cluster": self.part} if self.part else {}
        return self.judge.point(self.under(policy).replace(servers=servers), where)

    def next_size(self, policy: str, servers: int) -> int:
        for size in range(servers, 2 * servers + 1):
            system = self.under(policy).replace(servers=size)
            if discipline_of(system).supports(system) is None:
                return size
        return servers  # what is wrong with it is said by who serves it

    def at_load(self, policy: str, factor: float) -> Point:
        system = self.under(policy).replace(arrival_rate=self.rate * factor)
        return self.judge.point(system, {"policy": policy, "arrival_rate": self.rate * factor})

    def at_cap(self, policy: str, largest: int, efficiency: Efficiency) -> Point:
        return self.judge.point(
            capped(self.under(policy), largest, efficiency), {"policy": policy, "largest_need": largest}
        )

    def at_share(self, policy: str, job_class: str, share: float) -> Point:
        """Return the point where a class has this share of the arrivals; the arrival rate stays."""
        system = with_share(self.under(policy), job_class, share)
        return self.judge.point(system, {"policy": policy, "of_class": job_class, "class_share": share})

    def threshold_row(self, policy: str) -> Quantity:
        """Return the stability threshold as it is known, or as it can be found."""
        return find_threshold(
            self.under(policy), self.judge.effort, self.judge.root, completions=False
        ).stability_threshold

    @property
    def work(self) -> float:
        return self.rate * self.system.mean_work

    @property
    def needs(self) -> list[int]:
        return sorted({c.need for c in self.system.active_classes})

    def monotone(self, policy: str) -> bool:
        return is_fcfs(self.under(policy))

    @property
    def out_of_time(self) -> bool:
        return self.judge.out_of_time

    def parts(self) -> Mapping[int, tuple[Subject, Subject]]:
        require_plain(self.system, "a partition")
        if why := why_not_plain(self.system):
            raise NotSupported(f"partitions of jobs that are not independent cannot be planned one by one: {why}")
        if len(self.needs) < 2:
            raise NotSupported(f"all jobs need {self.needs[0]:,} servers, so there is nowhere to cut; vary servers")
        found: dict[int, tuple[Subject, Subject]] = {}
        for cut in self.needs[:-1]:
            small, large = (self._part(cut, small=small) for small in (True, False))
            found[cut] = small, large
        return found

    def _part(self, cut: int, *, small: bool) -> Subject:
        """Return the partition of the small or the large jobs; its size now is what its work takes of the whole."""
        classes = [c for c in self.system.active_classes if (c.need <= cut) is small]
        share = sum(float(c.share) for c in classes)
        servers = max(c.need for c in classes)
        system = self.system.replace(
            servers=servers,
            arrival_rate=self.rate * share,
            classes=[c.replace(share=c.share / sum(d.share for d in classes)) for c in classes],
        )
        names, needs = {c.name for c in classes}, {c.need for c in classes}
        own = tuple(
            target
            for target in self.judge.targets
            if target.everybody or target.job_class in names or target.need in needs
        )
        word = f"needs up to {cut}" if small else f"needs above {cut}"
        return SystemSubject(system, self.policies, self.judge.about(own), word)

    def why_never(self) -> str:
        for target in self.targets:
            if reason := _run_time_alone(self.system, target):
                return f"{target.words(self.time_unit)} cannot be met by any size: {reason}"
        return ""


def _run_time_alone(system: System, target: Target) -> str:
    """Return why run times alone exceed a target; empty if they do not."""
    classes = [c for c in system.active_classes if c.name in classes_of(system, target)]
    if target.measure is Measure.SLOWDOWN and target.statistic == "mean":
        endless = next((c for c in classes if math.isinf(c.duration.moment(-1))), None)
        if endless is not None:
            return (
                f"durations of class '{endless.name}' ({endless.duration.law}) may be so short that the mean slowdown "
                "is infinite as soon as anybody waits; bound a percentile, or the bounded slowdown"
            )
    if target.measure in (Measure.SLOWDOWN, Measure.BOUNDED_SLOWDOWN) and target.bound < 1:
        return "nobody leaves sooner than alone, so no slowdown is below 1"
    if target.measure is not Measure.RESPONSE or system.model is not None:
        return ""
    shares = np.array([float(c.share) for c in classes])
    shares /= shares.sum()
    if target.statistic == "mean":
        alone = float(shares @ [float(c.duration.mean) for c in classes])
        mean = said(alone, "time", system.time_unit)
        return f"the mean run time alone is {mean}" if alone >= target.limit else ""
    rng = np.random.default_rng(0)
    beyond = float(shares @ [(c.duration.sample(rng, DRAWN) > target.bound).mean() for c in classes])
    error = math.sqrt(beyond * (1.0 - beyond) / DRAWN)
    if beyond - SURELY * error <= target.allowed:
        return ""
    return f"{beyond:.1%} of the run times alone exceed {said(target.bound, 'time', system.time_unit)}"


def require_plain(system: System, what: str) -> None:
    """Refuse a change that means something else under a model."""
    if system.model is not None:
        raise NotSupported(f"{what} means something else in model '{system.model.name}'; plan a plain cluster")
