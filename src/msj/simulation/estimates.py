"""From a run to quantities with intervals.

Where nothing is shared and service is not lengthened by a model, a job's response time is its waiting time and its
duration, and the mean duration is known: E[T] = E[W] + E[S], so only E[W] is estimated. By Little's law the mean
numbers are lambda × mean times, lambda known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.model import mean_speed, policy_of
from msj.disciplines.sharing import Sharing
from msj.model import JobClass, System
from msj.model.arrivals import DailyArrivals
from msj.model.assumptions import why_not_plain
from msj.options import LEVELS
from msj.results import Quantity
from msj.simulation.controlled import Remainder, remainder
from msj.simulation.controls import Controls
from msj.simulation.intervals import (
    TRUST,
    Variance,
    batch_variance,
    mean_interval,
    pooled,
    probability_interval,
    remaining,
    student_interval,
    unseen,
)
from msj.simulation.long_memory import hurst_of, inflation, old_enough
from msj.simulation.long_spells import LongSpells
from msj.simulation.percentile_interval import FEWEST, percentile_intervals
from msj.simulation.reading import Reading
from msj.simulation.sketch import Sketch
from msj.simulation.tally import COLUMNS

FEW_JOBS = 1000  # of a class: its percentiles have no interval below
SKETCHED = ("waiting", "response")
WORTH_IT = 0.33  # of the variance, at most, must be left over; else what is gained is less than what is risked
ROUNDING = 1e-10  # relative: what a control that knows everything still leaves open
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

    def __init__(
        self,
        system: System,
        rate: float,
        reading: Reading,
        *,
        controls: Controls | None = None,
        areas: Sequence[str] = (),
        method: str = "",
        citation: str = "",
    ) -> None:
        self.system, self.rate, self.reading, self.controls = system, rate, reading, controls
        # Who asks about jobs only (a target, say) gives no names, and gets no rows of servers.
        kept = np.array([batch.areas for batch in reading.batches]).T if areas else ()
        self.areas = dict(zip(areas, kept, strict=True))
        self.method, self.citation = method, citation
        self.sure = reading.long_enough
        self._laws: dict[tuple[str, int | None], list[Sketch]] = {}
        self.plain = why_not_plain(system) is None
        self.alone = all(2 * c.need > system.servers for c in system.active_classes)  # no two jobs run at once
        self.reductions: dict[str, float] = {}  # what controls have divided the variance by, for means over all jobs
        self.forgets = all(math.isfinite(c.duration.second_moment) for c in system.active_classes)
        if policy_of(system).restart:  # service in vain is as long as waits are
            self.forgets = self.forgets and reading.no_variance is None

    def rows(self, levels: Sequence[float] = LEVELS) -> Iterator[Quantity]:
        """Return every quantity, for all jobs and for each class that came."""
        for group in groups_of(self.system, self.rate):
            if not self.series("jobs", group).sum():
                continue
            yield from self._times(group)
            if group.index is None:
                yield from self._reduced(group)
                yield from self._servers()
                yield from self._by_time_of_day(group)
            if levels and not policy_of(self.system).turns_away:
                yield from self._percentiles(group, levels)

    def mean_response_time(self) -> Quantity:
        """Return the row that precision is about."""
        return next(self._times(groups_of(self.system, self.rate)[0]))

    def _lost(self, group: Group) -> Iterator[Quantity]:
        """Where jobs are turned away: those that do not start at once are lost, and nobody waits."""
        yield self._row("loss_probability", *self.waiting_probability(group), group)
        mean, interval = self.mean(group, "response")  # of those lost it is 0
        yield self._row("mean_jobs_in_system", group.rate * mean, _scaled(interval, group.rate), group)

    def _times(self, group: Group) -> Iterator[Quantity]:
        if policy_of(self.system).turns_away:
            yield from self._lost(group)
            return
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

    def _reduced(self, group: Group) -> Iterator[Quantity]:
        """What controls have divided the variance by, for the rows they have sharpened."""
        response = "waiting" if adds_up(self.system) else "response"
        for quantity, column in (("mean_response_time", response), ("waiting_probability", "waited")):
            if column in self.reductions:
                row = self._row("variance_reduction", self.reductions[column], None, group)
                yield row.put(quantity=quantity)

    def _servers(self) -> Iterator[Quantity]:
        """What servers do, and what happens to jobs on the way."""
        batches, all_jobs = self.reading.batches, groups_of(self.system, self.rate)[0]
        time = np.array([batch.time for batch in batches])
        busy = self.areas.get("busy_servers", np.array([batch.busy_area for batch in batches]))
        wasted = np.array([batch.wasted_area for batch in batches])
        jobs = self.series("jobs", all_jobs)
        if mean_speed(self.system) != 1.0:  # what engines add up is work then; one server each, jobs that run count
            busy = (self.series("response", all_jobs) - self.series("waiting", all_jobs)) * time * self.rate / jobs
        means = [
            ("utilisation", busy, time * self.system.servers, 1.0),
            ("idle_servers_while_jobs_wait", wasted, time, float(self.system.servers)),
            ("preemptions_per_job", self.series("preemptions", all_jobs), jobs, math.inf),
            *((name, area, time, math.inf) for name, area in self.areas.items()),
        ]
        for name, above, below, most in means[:1] if policy_of(self.system).turns_away else means:
            value = min(float(above.sum() / below.sum()), most)
            interval: Interval = None
            if self.sure and self.forgets:
                _, low, high = student_interval(above, below)
                interval = (min(max(low, 0.0), value), max(min(high, most), value))
            yield self._row(name, value, interval, all_jobs)
        if policy_of(self.system).turns_away:
            return
        value, interval = self.mean(all_jobs, "slowdown")
        settles = all(c.duration.moment(-2) < math.inf for c in all_jobs.classes)
        yield self._row("mean_slowdown", value, interval if settles else None, all_jobs)

    def _by_time_of_day(self, group: Group) -> Iterator[Quantity]:
        """How long jobs wait that come in each step of a cycle, where arrivals go by a clock."""
        batches = np.array([batch.by_time_of_day for batch in self.reading.batches])
        law = self.system.arrivals
        if not isinstance(law, DailyArrivals):
            return
        for step in range(law.steps):
            jobs = batches[:, step, 0]
            for name, column, most in (
                ("hourly_mean_waiting_time", 1, math.inf),
                ("hourly_waiting_probability", 2, 1.0),
            ):
                if not jobs.sum():
                    continue
                value, low, high = student_interval(batches[:, step, column], jobs)
                interval = (max(low, 0.0), min(high, most)) if self.sure and self.forgets else None
                row = self._row(name, value, interval, group)
                yield row.put(time_of_day=float(law.cycle) * step / law.steps)

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
        value, variance = self.controlled(group, name, self.theory(group, name))
        return value, mean_interval(value, variance)

    def controlled(self, group: Group, name: str, theory: tuple[float, float] | None) -> tuple[float, Variance]:
        """Return a mean over jobs and its relative variance, less what the controls take off both."""
        sums, jobs = self.series(name, group), self.series("jobs", group)
        value, count = float(sums.sum() / jobs.sum()), len(sums)
        batches = batch_variance(sums, jobs)
        if theory is not None and not self.plain and sum(theory) < batches:
            theory = None  # what theory says of other arrivals is rough: it may widen an interval, never narrow it
        plain = Variance(batches, count - 1) if theory is None else pooled(batches, count, *theory)
        found = self._remainder(group, name, value)
        if found is not None and not found.carried_by_many(alone=self.alone):
            return value, plain
        adjusted = value if found is None else value + found.shift / float(jobs.sum())
        most = 1.0 if name == "waited" else math.inf  # a probability stays one
        if found is None or not 0 < adjusted < most:
            return value, plain
        size = len(found.beyond) // count
        smaller = (value / adjusted) ** 2
        share, finely = found.left_over(size), found.left_over(max(size // 2, 1), overlapping=True)
        if share >= WORTH_IT:
            return value, plain
        left_over = remaining(batches, count, share, finely, theory)
        if group.index is None:
            self.reductions[name] = 1.0 / (finely * unseen(finely))  # as the interval has it
        return adjusted, Variance(max(left_over.value * smaller, ROUNDING**2), left_over.freedom)

    def _remainder(self, group: Group, name: str, value: float) -> Remainder | None:
        if self.controls is None:
            return None
        beyond = self.series(name, group, pieces=True) - value * self.series("jobs", group, pieces=True)
        return remainder(beyond, self.control_series(group, busy=name == "waited"))

    def control_series(self, group: Group, *, busy: bool = False) -> NDArray[np.float64]:
        """Return the controls, one row for each piece."""
        assert self.controls is not None
        pieces = self.reading.pieces
        sums, time = np.array([piece.controls for piece in pieces]), np.array([piece.time for piece in pieces])
        return self.controls.centred(sums, time, job_class=group.index, busy=busy)

    def theory(self, group: Group, name: str) -> tuple[float, float] | None:
        """Return the relative variance that theory gives a mean, for the queue and for long jobs; None if none.

        The waits of a class vary with those of all jobs: where a policy lets some classes wait for others, no less than
        they do. Slowdowns are made of waits: theory corrects their batches as it corrects those of the waits.
        """
        reading = self.reading
        count = float(self.series("jobs", group).sum())
        if name == "slowdown":
            return self._like_waits(group, name)
        if name not in SKETCHED:
            return None
        spread = self._spread(group, name)
        if group.index is not None:
            spread = max(spread, self._spread(groups_of(self.system, self.rate)[0], name))
        return spread * (1.0 / reading.memories + 1.0 / count), reading.pace.long_jobs / reading.jobs

    def _spread(self, group: Group, name: str) -> float:
        """Return the squared coefficient of variation of a time of jobs, as seen."""
        sums, count = float(self.series(name, group).sum()), float(self.series("jobs", group).sum())
        squares = sum(sketch.sum_of_squares() for sketch in self._sketches(group, name))
        return max(count * squares / sums**2 - 1.0, 0.0)

    def _like_waits(self, group: Group, name: str) -> tuple[float, float] | None:
        """Return what theory gives waits, times what batches of this column spread over what those of waits do."""
        jobs, waits = self.series("jobs", group), self.series("waiting", group)
        if waits.sum() == 0:
            return None
        of_waits = batch_variance(waits, jobs)
        found = self.theory(group, "waiting")
        if found is None or of_waits == 0:
            return None
        over = batch_variance(self.series(name, group), jobs) / of_waits
        return found[0] * over, found[1] * over

    def waiting_probability(self, group: Group) -> tuple[float, Interval]:
        """Return the share of jobs that wait; with an interval even if none did."""
        waited, jobs = self.series("waited", group), self.series("jobs", group)
        seen, count, memories = float(waited.sum() / jobs.sum()), len(jobs), self.reading.memories
        if not self.sure or not self.forgets:
            return seen, None
        independent = 1.0 / (1.0 / memories + 1.0 / float(jobs.sum()))
        if seen == 0:
            return seen, probability_interval(seen, Variance(1.0 / independent, count - 1 + TRUST))
        if independent * seen < RARE:
            variance = pooled(batch_variance(waited, jobs), count, (1.0 - seen) / (independent * seen))
            return seen, probability_interval(seen, variance)
        seen, variance = self.controlled(group, "waited", None)
        return seen, probability_interval(seen, variance)

    def _percentiles(self, group: Group, levels: Sequence[float]) -> Iterator[Quantity]:
        for name in SKETCHED:
            sketches = self._sketches(group, name)
            whole = Sketch.total(sketches)
            jobs = float(whole.counts.sum())
            independent = 1.0 / (1.0 / self.reading.memories + 1.0 / jobs)
            wider = self._wider(len(sketches), name)
            given = self.sure and wider is not None and (group.index is None or self.expected(group) >= FEW_JOBS)
            found = percentile_intervals(
                sketches,
                levels,
                independent if given else 0.0,
                wider=wider or 1.0,
                long_jobs=self._long_spells,
                run=self.reading.jobs,
            )
            for level, ends in zip(levels, found, strict=True):
                value = whole.percentile(level)
                interval = None if ends is None else (min(ends[0], value), max(ends[1], value))
                yield self._row(f"{name}_time_percentile", value, interval, group, level)

    @cached_property
    def _long_spells(self) -> LongSpells:
        return LongSpells(self.system, self.rate)

    def _wider(self, batches: int, name: str) -> float | None:
        """Return by how much batches that are alike understate a variance; None where nothing is known of it."""
        if self.forgets:
            return 1.0
        hurst, runs = hurst_of(self.system), self.reading.runs
        time = self.reading.jobs / runs / self.rate
        if hurst is None or name != "waiting" or policy_of(self.system).restart:
            return None
        return inflation(batches, runs, hurst) if old_enough(self.system, self.rate, time) else None

    def _sketches(self, group: Group, name: str) -> list[Sketch]:
        """Return the law of waiting or response times as each batch saw it."""
        key = name, group.index
        if key not in self._laws:
            each: list[Sketch] = [getattr(batch, name) for batch in self.reading.batches]
            self._laws[key] = [s.of_all() if group.index is None else s.of_class(group.index) for s in each]
        return self._laws[key]

    def expected(self, group: Group) -> float:
        """Return how many jobs of a group a run of this length counts, by expectation."""
        return self.reading.jobs * group.rate / self.rate

    def level_jobs(self, level: float, group: Group | None = None) -> float:
        """Return how many jobs it takes for the interval of a percentile, of all jobs or of those of a class."""
        pace = self.reading.pace
        each = pace.memory if group is None else pace.memory + self.rate / group.rate
        return 1.1 * FEWEST / (1.0 - level / 100.0) * each + pace.settling

    def series(self, name: str, group: Group, *, pieces: bool = False) -> NDArray[np.float64]:
        """Return one sum for each batch, or piece."""
        sums = (self._piece_sums if pieces else self._batch_sums)[:, :, COLUMNS.index(name)]
        return np.asarray(sums.sum(axis=1) if group.index is None else sums[:, group.index])

    @cached_property
    def _piece_sums(self) -> NDArray[np.float64]:
        return np.array([tally.sums for tally in self.reading.pieces])

    @cached_property
    def _batch_sums(self) -> NDArray[np.float64]:
        return np.array([tally.sums for tally in self.reading.batches])

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


def relative_half_width(row: Quantity) -> float:
    """Return half the width of an interval over its value; infinite where there is none, or nothing was seen."""
    if row.interval is None or row.value == 0:
        return math.inf
    low, high = row.interval
    return (high - low) / 2.0 / row.value


def _shifted(interval: Interval, by: float) -> Interval:
    return None if interval is None else (interval[0] + by, interval[1] + by)


def _scaled(interval: Interval, by: float) -> Interval:
    return None if interval is None else (interval[0] * by, interval[1] * by)
