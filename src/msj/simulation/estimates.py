"""From a run to quantities with intervals.

Where nothing is shared and service is not lengthened by a model, a job's response time is its waiting time and its
duration, and the mean duration is known: E[T] = E[W] + E[S], so only E[W] is estimated. By Little's law the mean
numbers are lambda × mean times, lambda known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.sharing import Sharing
from msj.model import JobClass, System
from msj.results import Quantity
from msj.simulation.intervals import (
    FADES,
    TRUST,
    Variance,
    batch_variance,
    mean_interval,
    pooled,
    probability_interval,
    student_interval,
)
from msj.simulation.percentile_interval import FEWEST, percentile_intervals
from msj.simulation.reading import Reading
from msj.simulation.sketch import Sketch

LEVELS = (50.0, 90.0, 95.0, 99.0, 99.9)
FEW_JOBS = 1000  # of a class: its percentiles have no interval below
SKETCHED = ("waiting", "response")
RARE = 10.0  # memories with a wait below which theory is asked, too

Interval = tuple[float, float] | None


@dataclass(frozen=True)
class Group:
    """The jobs of one class, or all of them."""

    index: int | None
    name: str | None
    rate: float
    mean_duration: float
    classes: tuple[JobClass, ...]


def groups_of(system: System, rate: float) -> list[Group]:
    """Return all jobs, then each class, unless there is only one."""
    active = tuple(system.active_classes)
    mean = sum(float(c.share) * float(c.duration.mean) for c in active)
    groups = [Group(None, None, rate, mean, active)]
    if len(system.classes) > 1:
        groups += [
            Group(i, c.name, rate * float(c.share), float(c.duration.mean), (c,))
            for i, c in enumerate(system.classes)
            if c.share > 0
        ]
    return groups


def adds_up(system: System) -> bool:
    """Return whether response time is waiting time plus duration."""
    return system.model is None and not isinstance(system.policy, Sharing)


class Estimates:
    """Rows of a run; without intervals where it was too short for them."""

    def __init__(self, system: System, rate: float, reading: Reading, *, method: str, citation: str) -> None:
        self.system, self.rate, self.reading = system, rate, reading
        self.method, self.citation = method, citation
        self.sure = reading.long_enough
        self.forgets = all(math.isfinite(c.duration.second_moment) for c in system.active_classes)

    def rows(self, levels: Sequence[float] = LEVELS) -> Iterator[Quantity]:
        """Return every quantity, for all jobs and for each class that came."""
        for group in groups_of(self.system, self.rate):
            if not self.series("jobs", group).sum():
                continue
            yield from self._times(group)
            if group.index is None:
                yield from self._servers()
            yield from self._percentiles(group, levels)

    def mean_response_time(self) -> Quantity:
        """Return the row that precision is about."""
        return next(self._times(groups_of(self.system, self.rate)[0]))

    def _times(self, group: Group) -> Iterator[Quantity]:
        waits, waiting = self.mean(group, "waiting")
        if adds_up(self.system):
            mean, response = group.mean_duration + waits, _shifted(waiting, group.mean_duration)
        else:
            mean, response = self.mean(group, "response")
        yield self._row("mean_response_time", mean, response, group)
        yield self._row("mean_waiting_time", waits, waiting, group)
        yield self._row("mean_jobs_in_system", group.rate * mean, _scaled(response, group.rate), group)
        yield self._row("mean_jobs_waiting", group.rate * waits, _scaled(waiting, group.rate), group)
        yield self._row("waiting_probability", *self.waiting_probability(group), group)

    def _servers(self) -> Iterator[Quantity]:
        """What servers do, and what happens to jobs on the way."""
        batches, all_jobs = self.reading.batches, groups_of(self.system, self.rate)[0]
        time = np.array([batch.time for batch in batches])
        busy = np.array([batch.busy_area for batch in batches])
        wasted = np.array([batch.wasted_area for batch in batches])
        jobs = self.series("jobs", all_jobs)
        for name, above, below, most in (
            ("utilisation", busy, time * self.system.servers, 1.0),
            ("idle_servers_while_jobs_wait", wasted, time, float(self.system.servers)),
            ("preemptions_per_job", self.series("preemptions", all_jobs), jobs, math.inf),
        ):
            value = min(float(above.sum() / below.sum()), most)
            interval: Interval = None
            if self.sure and self.forgets:
                _, low, high = student_interval(above, below)
                interval = (min(max(low, 0.0), value), max(min(high, most), value))
            yield self._row(name, value, interval, all_jobs)
        value, interval = self.mean(all_jobs, "slowdown")
        settles = all(c.duration.moment(-2) < math.inf for c in all_jobs.classes)
        yield self._row("mean_slowdown", value, interval if settles else None, all_jobs)

    def mean(self, group: Group, name: str) -> tuple[float, Interval]:
        """Return a mean over jobs and its interval."""
        sums, jobs = self.series(name, group), self.series("jobs", group)
        value = float(sums.sum() / jobs.sum())
        if not self.sure or self.reading.no_variance is not None:
            return value, None
        if sums.sum() == 0:  # nobody waited: so few do, and no longer than the cluster remembers
            _, interval = self.waiting_probability(group)
            most = self.reading.pace.memory / self.rate
            return value, None if interval is None else (0.0, interval[1] * most)
        return value, mean_interval(value, self.variance(group, name))

    def variance(self, group: Group, name: str) -> Variance:
        """Return the relative variance of a mean over jobs."""
        sums, jobs = self.series(name, group), self.series("jobs", group)
        count, memories = float(jobs.sum()), self.reading.memories
        if name not in SKETCHED:  # nothing is known of its spread but that of the batches
            return Variance(batch_variance(sums, jobs), len(sums) - 1)
        squares = sum(sketch.sum_of_squares() for sketch in self._sketches(group, name))
        spread = max(count * squares / float(sums.sum()) ** 2 - 1.0, 0.0)
        theory = spread * (1.0 / memories + 1.0 / count)
        return pooled(batch_variance(sums, jobs), len(sums), theory, self.reading.pace.long_jobs / self.reading.jobs)

    def waiting_probability(self, group: Group) -> tuple[float, Interval]:
        """Return the share of jobs that wait; with an interval even if none did."""
        waited, jobs = self.series("waited", group), self.series("jobs", group)
        seen, count, memories = float(waited.sum() / jobs.sum()), len(jobs), self.reading.memories
        if not self.sure or not self.forgets:
            return seen, None
        independent = 1.0 / (1.0 / memories + 1.0 / float(jobs.sum()))
        if seen == 0:
            return seen, probability_interval(seen, Variance(1.0 / independent, count - 1 + TRUST))
        batches = Variance(batch_variance(waited, jobs), count - 1)
        if independent * seen < RARE:
            batches = pooled(batches.value, count, (1.0 - seen) / (independent * seen), fades=FADES)
        return seen, probability_interval(seen, batches)

    def _percentiles(self, group: Group, levels: Sequence[float]) -> Iterator[Quantity]:
        for name in SKETCHED:
            sketches = self._sketches(group, name)
            whole = Sketch.total(sketches)
            jobs = float(whole.counts.sum())
            independent = 1.0 / (1.0 / self.reading.memories + 1.0 / jobs)
            given = self.sure and self.forgets and (group.index is None or jobs >= FEW_JOBS)
            found = percentile_intervals(sketches, levels, independent if given else 0.0)
            for level, ends in zip(levels, found, strict=True):
                value = whole.percentile(level)
                interval = None if ends is None else (min(ends[0], value), max(ends[1], value))
                yield self._row(f"{name}_time_percentile", value, interval, group, level)

    def _sketches(self, group: Group, name: str) -> list[Sketch]:
        """Return the law of waiting or response times as each batch saw it."""
        each: list[Sketch] = [getattr(batch, name) for batch in self.reading.batches]
        return [s.of_all() if group.index is None else s.of_class(group.index) for s in each]

    def level_jobs(self, level: float) -> float:
        """Return how many jobs it takes for the interval of a percentile."""
        pace = self.reading.pace
        return 1.1 * FEWEST / (1.0 - level / 100.0) * pace.memory + pace.settling

    def series(self, name: str, group: Group) -> NDArray[np.float64]:
        """Return one sum for each batch."""
        return np.array([batch.column(name, group.index) for batch in self.reading.batches])

    def _row(self, name: str, value: float, interval: Interval, group: Group, level: float | None = None) -> Quantity:
        low, high = (None, None) if interval is None else interval
        return Quantity(
            name=name,
            value=value,
            kind="simulated",
            method=self.method,
            citation=self.citation,
            job_class=group.name,
            level=level,
            low=low,
            high=high,
        )


def _shifted(interval: Interval, by: float) -> Interval:
    return None if interval is None else (interval[0] + by, interval[1] + by)


def _scaled(interval: Interval, by: float) -> Interval:
    return None if interval is None else (interval[0] * by, interval[1] * by)
