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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput, MsjError
from msj.model import JobClass, System
from msj.model.durations import Duration, duration_from_spec
from msj.model.numbers import whole
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
class Stages(Model):
    """In a spec file: model = "stages"; class: then = [{ need = 1, duration = { ... } }, ...], after need and duration.

    A stage has a need and a duration, written as those of a class.

    Examples
    --------
    A map stage on both servers, then a reduce stage on one:

    >>> import msj
    >>> one = msj.Exponential(mean=1)
    >>> job = msj.JobClass(name="map-reduce", need=2, share=1, duration=one,
    ...                    extra={"then": [Stage(need=1, duration=one)]})
    >>> round(msj.analyse(msj.System(servers=2, classes=[job], model="stages"))["stability_threshold"], 9)
    0.5
    """

    name: ClassVar[str] = "stages"
    summary: ClassVar[str] = "jobs go through stages, each with a need and a duration of its own (DAG jobs)"
    citation: ClassVar[str] = "reset, Appendix H.2"
    class_keys: ClassVar[tuple[str, ...]] = ("then",)
    idles: ClassVar[str] = "a job may wait for more servers than are free, at its start or between two stages"

    def engine(self, system: System) -> ServedBy:
        stages = [self.stages_of(c) for c in system.classes]
        return ServedBy(
            "msj.engines.stages:StagesEngine",
            needs=[[stage.need for stage in own] for own in stages],
            laws=[[stage.duration for stage in own] for own in stages],
        )

    def front_model(self, system: System) -> ServedBy:
        return ServedBy("msj.fronts.stages:StagesFront", stages=[self.stages_of(c) for c in system.classes])

    def class_value(self, key: str, value: Any) -> tuple[Stage, ...]:
        if not isinstance(value, (list, tuple)):
            raise InvalidInput(f"{key} = {value!r} must be a list of stages; write [{{ need = 1, duration = ... }}]")
        return tuple(_stage(item, f"{key}[{i}]") for i, item in enumerate(value))

    def check(self, system: System) -> None:
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
        return sum(stage.need * float(stage.duration.mean) for stage in self.stages_of(job_class))

    def why_no_front(self, system: System) -> str | None:
        later = [stage.duration for c in system.active_classes for stage in self.stages_of(c)[1:]]
        unfit = next((law for law in later if law.as_phase_type() is None), None)
        reason = super().why_no_front(system)
        if reason is not None or unfit is None:
            return reason
        return (
            f"a stage has {unfit.law} durations, which are not phase type; "
            f"use law = 'fit' with mean = {float(unfit.mean):g}, cv = {unfit.cv:g}"
        )


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


VARIANT = Stages
