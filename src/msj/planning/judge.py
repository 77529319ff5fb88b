"""Whoever asks whether a cluster meets the targets asks here; each point is answered once, and kept.

A bound that no policy can pass comes first, then exact values, then the sequential test (``sequential``). Points are
filed under a hash of all they depend on, in a folder if there is one, so that a plan that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from msj.effort import Effort
from msj.executors.kept import Kept
from msj.model import System
from msj.planning.exact_point import exactly
from msj.planning.odds import Odds
from msj.planning.point import Point, Verdict
from msj.planning.sequential import Budget, simulate_point
from msj.planning.target import Target
from msj.results.coordinates import At, Place
from msj.store import computing_code, digest
from msj.workloads import seed_record


class Judge:
    """Answers points, each once.

    Parameters
    ----------
    targets
        What is to be met.
    effort
        Limits of exact methods, a deadline, and who is told.
    root
        The seed: every point is served the same jobs.
    odds
        What a wrong verdict may cost, over the whole plan.
    budget
        The most jobs of a point, and how many cores.
    kept
        Where answers are filed.
    """

    def __init__(
        self,
        *,
        targets: tuple[Target, ...],
        effort: Effort,
        root: np.random.SeedSequence,
        odds: Odds,
        budget: Budget,
        kept: Kept,
    ) -> None:
        self.targets, self.effort, self.root = targets, effort, root
        self.odds, self.budget, self.kept = odds, budget, kept
        self.points: dict[At, Point] = {}
        self.out_of_time = False
        self._code = computing_code()

    def point(self, system: System, place: Mapping[str, Place]) -> Point:
        """Return the verdict about a system that says its arrival rate; ``place`` is where it stands in the plan."""
        where = At(place)
        if where in self.points:
            return self.points[where]
        self.effort.tell(min(len(self.points) / 16.0, 0.95), f"{where}")
        found = self._kept(system, where) or self._answered(system, where)
        self.points[where] = found
        return found

    def about(self, targets: tuple[Target, ...]) -> Judge:
        """Return a judge of fewer targets, whose odds come out of the same ones."""
        if targets == self.targets:
            return self
        return Judge(
            targets=targets, effort=self.effort, root=self.root, odds=self.odds, budget=self.budget, kept=self.kept
        )

    def _answered(self, system: System, where: At) -> Point:
        if self.effort.over:
            self.out_of_time = True
            return Point(place=where, note="there was no time for it")
        name = self._identity(system, where)
        known = exactly(system, self.targets, self.effort)
        missed = any(each.verdict is Verdict.MISSES for each in known.judged)
        if known.unstable or missed or not known.left:
            return self._keep(name, Point(place=where, judged=known.judged, unstable=known.unstable))
        found = simulate_point(
            system,
            known.left,
            threshold=known.threshold,
            effort=self.effort,
            root=self.root,
            odds=self.odds.next_point(len(self.targets)),
            budget=self.budget,
        )
        point = Point(
            place=where,
            judged=(*known.judged, *found.judged),
            unstable=found.unstable,
            jobs=found.jobs,
            note=found.note,
        )
        if found.out_of_time and point.verdict is Verdict.UNDECIDED:
            self.out_of_time = True
            return point  # another run may have the time
        return self._keep(name, point)

    def _identity(self, system: System, where: At) -> str | None:
        if system.why_no_identity() is not None:
            return None
        asked: list[Any] = [str(target) for target in self.targets]
        spent = (self.odds.whole, self.odds.asked, self.budget.jobs, self.effort.operations, self.effort.bytes)
        return digest("plan", system.identity(), asked, dict(where), seed_record(self.root), spent, self._code)

    def _kept(self, system: System, where: At) -> Point | None:
        name = self._identity(system, where)
        if name is None or name not in self.kept.answers:
            return None
        found = Point.from_dict(where, self.kept.answers[name].value, self.targets)
        if found.jobs:
            self.odds.next_point(len(self.targets))  # as if it had been asked now
        return found

    def _keep(self, name: str | None, point: Point) -> Point:
        if name is not None:
            self.kept.keep(name, point.to_dict(self.targets), seconds=0.0)
        return point
