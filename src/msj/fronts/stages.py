"""The front of jobs in stages (``disciplines.stages``): a job's type is its class, its stage and the phase it is in.

A class has the phase-type law of the sum of its stages' durations; which stage a phase belongs to says what it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from msj.fronts.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.model import System
from msj.model.durations import Duration, PhaseType


class Stage(Protocol):
    """What is known here of a stage."""

    @property
    def need(self) -> int:
        """How many servers it needs."""

    @property
    def duration(self) -> Duration:
        """How long it takes: a phase type."""


class StagesFront(HeadOfLine):
    """Jobs whose need changes from stage to stage; ``stages`` are those of each class."""

    def __init__(self, system: System, *, stages: Sequence[Sequence[Stage]]) -> None:
        super().__init__(system)
        self.stages = stages
        self.classes = [
            c.replace(duration=one_after_the_other(own)) if c.share > 0 else c
            for c, own in zip(system.classes, stages, strict=True)
        ]

    @property
    def most_jobs(self) -> int:
        return self.servers // min(self.needs) + 1

    @cached_property
    def _stage_of(self) -> tuple[int, ...]:
        """The stage of each type, in the order of ``types``: by class, stage and phase."""
        arriving = (own for c, own in zip(self.classes, self.stages, strict=True) if c.share > 0)
        return tuple(i for own in arriving for i, stage in enumerate(own) for _ in _law(stage).alpha)

    @cached_property
    def needs(self) -> tuple[int, ...]:
        """The need of each type: that of its stage."""
        places = zip(self.types.class_of, self._stage_of, strict=True)
        return tuple(self.stages[c][i].need for c, i in places)

    def started(self, running: Running, job: int) -> int | None:
        return job if self.need_of(running) + self.needs[job] <= self.servers else None

    def moved(self, rest: Running, before: int, after: int, waiting: tuple[int, ...]) -> RunningAndWaiting:
        between = tuple(job for job in waiting if self._stage_of[job] > 0)
        fits = not between and self.started(rest, after) is not None
        if self.needs[after] <= self.needs[before] or fits:
            return self.after_starts((*rest, after), waiting)
        return self.after_starts(rest, (*between, after, *waiting[len(between) :]))

    def busy_servers(self, front: RunningAndWaiting) -> float:
        return float(self.need_of(front[0]))


def _law(stage: Stage) -> PhaseType:
    law = stage.duration.as_phase_type()
    assert law is not None  # else the model has said so
    return law


def one_after_the_other(stages: Sequence[Stage]) -> PhaseType:
    """Return the law of the sum of the stages' durations, phases in order of stage."""
    laws = [_law(stage) for stage in stages]
    starts = np.cumsum([0, *(len(law.alpha) for law in laws)])
    generator = np.zeros((starts[-1], starts[-1]))
    initial = np.zeros(starts[-1])
    initial[: starts[1]] = laws[0].alpha
    for i, law in enumerate(laws):
        own = slice(starts[i], starts[i + 1])
        generator[own, own] = law.subgenerator
        if i + 1 < len(laws):
            generator[own, starts[i + 1] : starts[i + 2]] = np.outer(law.exit_rates, laws[i + 1].alpha)
    return PhaseType(initial=tuple(initial.tolist()), generator=tuple(map(tuple, generator.tolist())))
