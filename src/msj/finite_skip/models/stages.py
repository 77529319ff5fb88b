"""Jobs in stages: the need changes during service (DAG jobs whose segments run in a fixed order; reset, H.2).

A job goes through the stages of its class, each with a need and a duration of its own. Jobs start in order of arrival
when their first stage fits. When a stage ends:

- if the next one needs no more servers than the job has, it goes on at once and gives back what it no longer needs;
- if it needs more, it takes them if they are free and no job waits between two stages;
- else it gives its servers back and waits, behind those that wait between stages and before all that have not started.

Nobody starts while somebody waits, so at most as many jobs are under way as could run at once, and one more waits to
start: the front is finite. Keeping one's servers while waiting for more would be simpler to say, but two jobs can then
wait for each other for ever. Waiting without holding cannot lock up: in the end the first in line has all servers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from msj.errors import InvalidInput, NotSupported
from msj.finite_skip.models.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.finite_skip.models.phased_model import ModelClass, given_classes
from msj.model.durations import Duration, PhaseType
from msj.model.numbers import Number, probability, whole
from msj.model.value import Value


@dataclass(frozen=True, kw_only=True)
class Stage(Value):
    """A part of a job: ``need`` servers for a time drawn from ``duration``."""

    need: int
    duration: Duration

    def __post_init__(self) -> None:
        object.__setattr__(self, "need", whole(self.need, "need"))
        if not isinstance(self.duration, Duration):
            raise InvalidInput(f"duration = {self.duration!r} is not a duration law; write Exponential(mean=1)")
        if self.duration.as_phase_type() is None:
            raise NotSupported(
                f"a stage has {self.duration.law} durations, which are not phase type; "
                f"use law = 'fit' with mean = {float(self.duration.mean):g}, cv = {self.duration.cv:g}"
            )


@dataclass(frozen=True, kw_only=True)
class StagedClass(Value):
    """Jobs that go through ``stages`` one after the other."""

    name: str
    share: Number
    stages: Sequence[Stage]

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", probability(self.share, "share"))
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages or not all(isinstance(stage, Stage) for stage in self.stages):
            raise InvalidInput(f"stages = {self.stages!r} must be a non-empty list of stages; write [Stage(...)]")


@dataclass(frozen=True, kw_only=True)
class Stages(HeadOfLine):
    """Jobs whose need changes from stage to stage.

    Examples
    --------
    A map stage on both servers, then a reduce stage on one:

    >>> import msj
    >>> job = StagedClass(name="map-reduce", share=1, stages=[
    ...     Stage(need=2, duration=msj.Exponential(mean=1)), Stage(need=1, duration=msj.Exponential(mean=1))])
    >>> round(msj.analyse_model(Stages(servers=2, classes=[job]))["stability_threshold"], 9)
    0.5
    """

    servers: int
    classes: Sequence[StagedClass]

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "classes", given_classes(self.classes, StagedClass))
        for c in self.classes:
            for i, stage in enumerate(c.stages):
                if stage.need > self.servers:
                    raise InvalidInput(
                        f"stages[{i}] of class '{c.name}' needs {stage.need} of {self.servers} servers; "
                        "raise servers or lower need"
                    )
        self._check_classes()

    @cached_property
    def job_classes(self) -> Sequence[ModelClass]:
        """The classes with the whole of their stages as one phase-type law."""
        return tuple(
            ModelClass(name=c.name, share=c.share, duration=one_after_the_other(c.stages)) for c in self.classes
        )

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return self.servers // min(self._needs) + 1

    @cached_property
    def _stage_of(self) -> tuple[int, ...]:
        """The stage of each type, in the order of ``types``: by class, stage and phase."""
        return tuple(
            i for c in self.classes if c.share > 0 for i, stage in enumerate(c.stages) for _ in _law(stage).alpha
        )

    @cached_property
    def _needs(self) -> tuple[int, ...]:
        places = zip(self.types.class_of, self._stage_of, strict=True)
        return tuple(self.classes[c].stages[i].need for c, i in places)

    def started(self, running: Running, job: int) -> int | None:
        """See :meth:`HeadOfLine.started`."""
        return job if self._needs[job] <= self._free(running) else None

    def moved(self, rest: Running, before: int, after: int, waiting: tuple[int, ...]) -> RunningAndWaiting:
        """See :meth:`HeadOfLine.moved`."""
        between = tuple(job for job in waiting if self._stage_of[job] > 0)
        fits = not between and self._needs[after] <= self._free(rest)
        if self._needs[after] <= self._needs[before] or fits:
            return self.after_starts((*rest, after), waiting)
        return self.after_starts(rest, (*between, after, *waiting[len(between) :]))

    def busy_servers(self, front: RunningAndWaiting) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return float(self.servers - self._free(front[0]))

    def _free(self, running: Running) -> int:
        return self.servers - sum(self._needs[job] for job in running)


def _law(stage: Stage) -> PhaseType:
    law = stage.duration.as_phase_type()
    assert law is not None
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
