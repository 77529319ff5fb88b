"""A log as what is planned: its jobs, served again at every point (``msj replay``).

A replay is a fact about these very jobs: a point meets a target or misses it, and there are no odds. How far that hangs
on seconds is another matter, so the answer and the size below it are replayed again with moved submissions, and the
plan says how often these agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msj.disciplines import Policy
from msj.disciplines.fcfs import Fcfs
from msj.effort import Effort
from msj.engines.completed import Completed
from msj.logs import Trace
from msj.logs.scenario import Prepared, prepared
from msj.options import Scenario
from msj.planning.cap import Efficiency
from msj.planning.point import Judged, Point, Verdict
from msj.planning.subject import Subject
from msj.planning.target import Measure, Target
from msj.planning.trial import values_of
from msj.results import Quantity
from msj.results.coordinates import At
from msj.simulation import replay_jobs
from msj.workloads import RecordedJobs, Streams

SHAKE = 60.0  # seconds by which submissions are moved at most
SHAKES = 10


class LogSubject(Subject):
    """The jobs of a log."""

    evidence = "replayed"
    time_unit = "seconds"

    def __init__(
        self,
        trace: Trace,
        servers: int,
        policies: Mapping[str, Policy],
        targets: tuple[Target, ...],
        scenario: Scenario,
        effort: Effort,
        root: np.random.SeedSequence,
    ) -> None:
        self.trace, self.servers, self.policies, self.targets = trace, servers, policies, targets
        self.scenario, self.effort, self.root = scenario, effort, root
        self.points: dict[At, Point] = {}
        self._late = False
        self._given = prepared(trace, scenario, max(servers, int(trace.column("need").max())))
        jobs = self._given.jobs.jobs
        span = float(jobs.arrival[-1] - jobs.arrival[0])
        self._work = float((jobs.need * jobs.duration).sum()) / span if span > 0 else 0.0
        self._needs = sorted({int(need) for need in np.unique(jobs.need)})

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of how jobs were prepared."""
        return self._given.notes

    def at_servers(self, policy: str, servers: int) -> Point:
        return self._point(At({"policy": policy, "servers": servers}), self._given, servers, policy)

    def at_load(self, policy: str, factor: float) -> Point:
        given = prepared(self.trace, _changed(self.scenario, scale_load=factor), self.servers)
        used = factor * self.work / self.servers
        return self._point(At({"policy": policy, "utilisation": used}), given, self.servers, policy)

    def at_cap(self, policy: str, largest: int, efficiency: Efficiency) -> Point:
        given = _with_efficiency(self._given, largest, efficiency)
        return self._point(At({"policy": policy, "largest_need": largest}), given, self.servers, policy)

    @property
    def work(self) -> float:
        return self._work

    @property
    def needs(self) -> list[int]:
        return self._needs

    @property
    def least_servers(self) -> int:
        return self._needs[-1]  # a log ends, so that any size serves it, if jobs fit

    def remark_on(self, policy: str, sizes: Sequence[int]) -> str:
        told = []
        for servers in sizes:
            if self.effort.over:
                return ""
            told.append(f"{self.shaken(policy, servers)} meet the targets with {servers:,} servers")
        return f"Of {SHAKES} replays with submissions moved by up to a minute, {' and '.join(told)}."

    def monotone(self, policy: str) -> bool:
        return type(self.policies[policy]) is Fcfs

    @property
    def out_of_time(self) -> bool:
        return self._late

    def _point(self, where: At, given: Prepared, servers: int, policy: str) -> Point:
        if where in self.points:
            return self.points[where]
        if self.effort.over:
            self._late = True
            return Point(place=where, note="there was no time for it")
        self.effort.tell(min(len(self.points) / 16.0, 0.95), str(where))
        done = replay_jobs(given.jobs, servers=servers, policy=self.policies[policy], rng=self.root)
        judged = tuple(self._judged(target, given, done, servers) for target in self.targets)
        self.points[where] = Point(place=where, judged=judged)
        return self.points[where]

    def _judged(self, target: Target, given: Prepared, done: Completed, servers: int) -> Judged:
        value = self._value(target, given, done, servers)
        row = Quantity(
            name=target.name,
            value=value,
            kind="replayed",
            method=f"replay of {int(given.counted.sum()):,} jobs",
            job_class=target.group or None,
            level=target.level,
        )
        verdict = Verdict.MEETS if value <= target.limit else Verdict.MISSES
        return Judged(target=target, row=row, limit=target.limit, verdict=verdict)

    def _value(self, target: Target, given: Prepared, done: Completed, servers: int) -> float:
        if target.measure is None:
            span = float(done.finish.max() - done.arrival.min())
            return float((done.need * done.duration).sum()) / (servers * span)
        chosen = given.counted.copy()
        if target.need is not None:  # what the job asked for, whatever it gets
            chosen &= self.trace.column("need")[given.place] == target.need
        if target.measure is Measure.SLOWDOWN:
            chosen &= done.duration > 0  # a job of no length has no slowdown
        values = values_of(target.measure, done, self.time_unit)[chosen]
        if target.statistic == "mean":
            return float(values.mean())
        if target.statistic == "percentile":
            assert target.level is not None
            return float(np.percentile(values, target.level))
        return float((values > target.bound).mean())

    def shaken(self, policy: str, servers: int, times: int = SHAKES) -> int:
        """Return how many of so many replays with moved submissions meet the targets."""
        block = self._given.jobs.jobs
        met = 0
        for number in range(times):
            moved = Streams(root=self.root, replication=number).generator("arrivals")
            arrival = np.maximum(block.arrival + moved.uniform(-SHAKE, SHAKE, len(block)), float(block.arrival[0]))
            order = np.argsort(arrival, kind="stable")
            jobs = RecordedJobs(
                arrival=arrival[order],
                need=block.need[order],
                duration=block.duration[order],
                estimate=None if block.estimate is None else block.estimate[order],
            )
            given = Prepared(
                jobs=jobs,
                counted=self._given.counted[order],
                waited=self._given.waited[order],
                place=self._given.place[order],
            )
            done = replay_jobs(jobs, servers=servers, policy=self.policies[policy], rng=self.root)
            met += all(self._judged(target, given, done, servers).verdict is Verdict.MEETS for target in self.targets)
        return met


def _changed(scenario: Scenario, **changes: Any) -> Scenario:
    return Scenario(**{**vars(scenario), **changes})


def _with_efficiency(given: Prepared, largest: int, efficiency: Efficiency) -> Prepared:
    """Return the jobs with at most so many servers each."""
    block = given.jobs.jobs
    needs = np.unique(block.need)
    less = np.minimum(needs, largest)
    slower = np.array(
        [efficiency.speed_up(int(a)) / efficiency.speed_up(int(b)) for a, b in zip(needs, less, strict=True)]
    )
    longer = slower[np.searchsorted(needs, block.need)]
    jobs = RecordedJobs(
        arrival=block.arrival,
        need=np.minimum(block.need, largest),
        duration=block.duration * longer,
        estimate=None if block.estimate is None else block.estimate * longer,
    )
    return Prepared(jobs=jobs, counted=given.counted, waited=given.waited, place=given.place)
