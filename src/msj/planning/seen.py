"""What the blocks of a trial say of one target: the mean, its interval at any odds, and the verdict.

The statistics are those of every simulation (``simulation.estimates``), taken over the jobs that the target is about.
An indicator that is never or hardly ever 1 spreads in no batch; then the number of independent observations, memories
of the cluster, says how small its mean may be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.planning.point import Judged, Verdict
from msj.planning.target import Measure, Target
from msj.planning.trial import Seen, judged_by_wait
from msj.results import Quantity
from msj.simulation.blocks import PIECES
from msj.simulation.estimates import RARE, Estimates, Group, groups_of
from msj.simulation.intervals import (
    CONFIDENCE,
    TRUST,
    Variance,
    batch_variance,
    mean_interval,
    pooled,
    probability_interval,
)

Floats = NDArray[np.float64]
FEWEST_JOBS = 100  # that a target is about: below, nothing is said


class TargetEstimate(Estimates):
    """The mean over jobs that a target bounds.

    Parameters
    ----------
    system, rate, reading, controls
        As for any estimate.
    target, of
        The target, and the classes whose jobs it is about.
    seen, groups
        What each counted block says of it, and the numbers of the blocks that make each batch.
    jobs
        Jobs simulated so far.
    """

    def __init__(
        self, *given: Any, target: Target, of: list[str], seen: Sequence[Seen], groups: Any, jobs: int, **named: Any
    ) -> None:
        super().__init__(*given, **named)
        self.target, self.of, self.simulated = target, of, jobs
        self.values = np.concatenate([each.values for each in seen])
        sums: list[Floats] = []
        counts: list[Floats] = []
        place = 0
        for group in groups:
            part = seen[place : place + len(group)]
            place += len(group)
            for into, name in ((sums, "sums"), (counts, "jobs")):
                pieces = np.concatenate([getattr(each, name) for each in part])
                into.append(pieces.reshape(PIECES, -1).sum(axis=1))
        self.sums, self.counts = np.concatenate(sums), np.concatenate(counts)

    def series(self, name: str, group: Group, *, pieces: bool = False) -> Floats:
        """Return one sum for each batch, or piece; ``target`` is what the target averages."""
        if name not in ("target", "jobs"):
            return super().series(name, group, pieces=pieces)
        found = self.sums if name == "target" else self.counts
        return found if pieces else found.reshape(-1, PIECES).sum(axis=1)

    @cached_property
    def mean_duration(self) -> float:
        """Mean duration of the jobs that the target is about."""
        classes = [c for c in self.system.active_classes if c.name in self.of]
        shares = [float(c.share) for c in classes]
        return sum(p * float(c.duration.mean) for p, c in zip(shares, classes, strict=True)) / sum(shares)

    @cached_property
    def _group(self) -> Group:
        """The jobs as controls and theory know them: one class, or all."""
        found = groups_of(self.system, self.rate)
        return next((each for each in found[1:] if len(self.of) == 1 and each.name == self.of[0]), found[0])

    @cached_property
    def _estimate(self) -> tuple[float, Variance | None]:
        """The mean and its relative variance; None where it has none."""
        jobs = float(self.counts.sum())
        if jobs < FEWEST_JOBS:
            return math.nan, None
        seen = float(self.sums.sum()) / jobs
        batches = self.series("jobs", self._group)
        if not batches.all() or not self.forgets:
            return seen, None
        if self.target.counts:
            return self._counted(seen)
        if self.reading.no_variance is not None:
            return seen, None
        if self.target.measure is Measure.SLOWDOWN and not self._slowdowns_settle:
            return seen, None
        if seen == 0:
            return seen, None
        whole = len(self.of) in (1, len(self.system.active_classes))
        column = "waiting" if self._waits else "response" if self.target.measure is Measure.RESPONSE else None
        return self.controlled(self._group, "target", self.theory(self._group, column) if whole and column else None)

    @property
    def _waits(self) -> bool:
        """Whether what is averaged is the wait."""
        return self.target.measure is Measure.WAIT or judged_by_wait(self.target, self.system)

    @property
    def _slowdowns_settle(self) -> bool:
        classes = [c for c in self.system.active_classes if c.name in self.of]
        return all(c.duration.moment(-2) < math.inf for c in classes)

    def _counted(self, seen: float) -> tuple[float, Variance]:
        """Return the mean of an indicator, and its relative variance even if it was hardly ever 1."""
        sums, jobs = self.series("target", self._group), self.series("jobs", self._group)
        independent = 1.0 / (1.0 / self.reading.memories + 1.0 / float(jobs.sum()))
        if seen == 0:
            return seen, Variance(1.0 / independent, len(jobs) - 1 + TRUST)
        if independent * seen < RARE:
            theory = (1.0 - seen) / (independent * seen)
            return seen, pooled(batch_variance(sums, jobs), len(jobs), theory)
        return self.controlled(self._group, "target", None)

    def interval(self, odds: float) -> tuple[float, float] | None:
        """Return the mean's interval, each end of which fails with these odds; None if there is none."""
        value, variance = self._estimate
        if value == 0 and self._waits and not self.target.counts and self.sure:  # nobody waited, nor for long
            most = self.reading.pace.memory / self.rate
            nobody = Variance(1.0 / self.reading.memories, len(self.reading.batches) - 1 + TRUST)
            return self.known_part, self.known_part + probability_interval(0.0, nobody, 1.0 - odds)[1] * most
        if variance is None:
            return None
        if self.target.counts:
            return probability_interval(value, variance, 1.0 - odds)
        low, high = mean_interval(value, variance, 1.0 - odds)
        return self.known_part + low, self.known_part + high

    @property
    def known_part(self) -> float:
        """What of the mean is known, and needs no interval: the mean duration in a mean response time."""
        return self.mean_duration if judged_by_wait(self.target, self.system) else 0.0

    def judged(self, odds: float, *, may_meet: bool = True) -> Judged:
        """Return the verdict, wrong with at most these odds."""
        ends = self.interval(odds)
        verdict = Verdict.UNDECIDED
        if ends is not None and ends[0] > self.target.allowed:
            verdict = Verdict.MISSES
        elif ends is not None and ends[1] <= self.target.allowed and self.sure and may_meet:
            verdict = Verdict.MEETS
        return Judged(target=self.target, row=self.row(), limit=self.target.limit, verdict=verdict)

    def row(self) -> Quantity:
        """Return what people asked about, with its usual interval."""
        value, low, high = self._shown()
        return Quantity(
            name=self.target.name,
            value=value,
            kind="simulated",
            method=f"simulation of {self.system.policy.name}, {self.simulated:,} jobs",
            job_class=self.target.group or None,
            level=self.target.level,
            low=low,
            high=high,
        )

    def _shown(self) -> tuple[float, float | None, float | None]:
        if self.target.statistic == "percentile":
            return self._percentile()
        value = self._estimate[0] + self.known_part
        ends = self.interval(1.0 - CONFIDENCE) if self.sure else None
        return (value, None, None) if ends is None else (value, min(ends[0], value), max(ends[1], value))

    def _percentile(self) -> tuple[float, float | None, float | None]:
        """Return the percentile, and those of the levels between which its own level is uncertain."""
        assert self.target.level is not None
        if len(self.values) < FEWEST_JOBS:
            return math.nan, None, None
        level = self.target.level / 100.0
        value = float(np.quantile(self.values, level))
        jobs = self.series("jobs", self._group)
        if not self.sure or not self.forgets or not jobs.all():
            return value, None, None
        beyond = np.add.reduceat((self.values > value).astype(float), np.cumsum([0, *jobs[:-1]]).astype(int))
        if not beyond.any():
            return value, None, None
        share = 1.0 - level
        low, high = probability_interval(share, Variance(batch_variance(beyond, jobs), len(jobs) - 1))
        lower, upper = np.quantile(self.values, [max(1.0 - high, 0.0), min(1.0 - low, 1.0)])
        return value, min(float(lower), value), max(float(upper), value)
