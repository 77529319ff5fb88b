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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from msj.errors import InvalidInput, MsjError, NotSupported
from msj.fronts.models.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.fronts.models.phased_model import ModelClass, given_classes
from msj.fronts.models.system_model import SystemModel
from msj.model import JobClass, System
from msj.model.durations import Duration, PhaseType, duration_from_spec
from msj.model.numbers import Number, probability, whole
from msj.model.table import plain
from msj.model.value import Value
from msj.registry import nearest


@dataclass(frozen=True, kw_only=True)
class Stage(Value):
    """A part of a job: ``need`` servers for a time drawn from ``duration``."""

    need: int
    duration: Duration

    def __post_init__(self) -> None:
        object.__setattr__(self, "need", whole(self.need, "need"))
        if not isinstance(self.duration, Duration):
            try:
                object.__setattr__(self, "duration", duration_from_spec(self.duration))
            except MsjError as error:
                raise error.within("duration") from None

    def to_spec(self) -> dict[str, Any]:
        """Return the table that describes this stage."""
        return {"need": self.need, "duration": self.duration.to_spec()}


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
    if law is None:
        raise NotSupported(_not_phase_type(stage))
    return law


def _not_phase_type(stage: Stage) -> str:
    return (
        f"a stage has {stage.duration.law} durations, which are not phase type; "
        f"use law = 'fit' with mean = {float(stage.duration.mean):g}, cv = {stage.duration.cv:g}"
    )


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


@dataclass(frozen=True, kw_only=True)
class StagesModel(SystemModel):
    """In a spec file: model = "stages"; class: then = [{ need = 1, duration = { ... } }, ...], after need and duration.

    A stage has a need and a duration, written as those of a class.
    """

    name: ClassVar[str] = "stages"
    summary: ClassVar[str] = "jobs go through stages, each with a need and a duration of its own (DAG jobs)"
    citation: ClassVar[str] = "reset, Appendix H.2"
    class_keys: ClassVar[tuple[str, ...]] = ("then",)
    idles: ClassVar[str] = "a job may wait for more servers than are free, at its start or between two stages"

    def class_value(self, key: str, value: Any) -> tuple[Stage, ...]:
        """See :meth:`SystemModel.class_value`."""
        if not isinstance(value, (list, tuple)):
            raise InvalidInput(f"{key} = {value!r} must be a list of stages; write [{{ need = 1, duration = ... }}]")
        return tuple(_stage(item, f"{key}[{i}]") for i, item in enumerate(value))

    def check(self, system: System) -> None:
        """See :meth:`SystemModel.check`."""
        for index, c in enumerate(system.classes):
            for i, stage in enumerate(c.extra.get("then", ())):
                if stage.need > system.servers:
                    raise InvalidInput(
                        f"class '{c.name}' needs {stage.need} of {system.servers} servers; raise servers or lower need",
                        where=f"classes[{index}].then[{i}]",
                    )

    def stages_of(self, job_class: JobClass) -> tuple[Stage, ...]:
        """Return all stages of a class, the first included."""
        return (Stage(need=job_class.need, duration=job_class.duration), *job_class.extra.get("then", ()))

    def work(self, job_class: JobClass) -> float:
        """See :meth:`SystemModel.work`: the sum over the stages."""
        return sum(stage.need * float(stage.duration.mean) for stage in self.stages_of(job_class))

    def supports(self, system: System) -> str | None:
        """See :meth:`SystemModel.supports`."""
        later = [stage for c in system.active_classes for stage in self.stages_of(c)[1:]]
        unfit = next((_not_phase_type(stage) for stage in later if stage.duration.as_phase_type() is None), None)
        return super().supports(system) or unfit

    def front(self, system: System) -> Stages:
        """See :meth:`SystemModel.front`."""
        classes = [StagedClass(name=c.name, share=c.share, stages=self.stages_of(c)) for c in system.classes]
        return Stages(servers=system.servers, classes=classes)


def _stage(value: object, name: str) -> Stage:
    if isinstance(value, Stage):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} = {value!r} is not a stage; write {{ need = 1, duration = {{ ... }} }}")
    keys = ("need", "duration")
    for key in (*value, *keys):
        if key not in keys:
            raise InvalidInput(f"unknown key '{key}'; {nearest(key, keys)}", where=name)
        if key not in value:
            raise InvalidInput(f"key '{key}' is missing; add {key} = ...", where=name)
    try:
        return Stage(need=value["need"], duration=plain(value["duration"]))
    except MsjError as error:
        raise error.within(name) from None


VARIANT = StagesModel
