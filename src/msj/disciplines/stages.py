"""Jobs in stages: the need changes during service, stages may run side by side (DAG jobs; reset, Appendix H.2).

A job goes through the stages of its class, each with a need and a duration of its own, one after the other unless they
say otherwise: a stage may have a ``name`` and come ``after`` any stages before it (after none: it starts with the job).
Jobs start in order of arrival when all their first stages fit at once. When a stage ends, those that become ready by it
are one unit:

- if they need no more servers together than the one that ended, they go on at once and give back what is left over;
- if they need more, they take them if they are free and no unit waits;
- else the servers are given back and the unit waits, behind those that wait between stages and before all jobs that
  have not started.

``need`` may be a list, one for each phase of a phase-type duration; the step to a phase follows the same rule.

Nobody starts while somebody waits, so at most as many jobs are under way as could run at once, and one more waits to
start: the front is finite. Keeping one's servers while waiting for more would be simpler to say, but two jobs can then
wait for each other for ever. Waiting without holding cannot lock up: in the end the first in line has all servers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.part import Part, Segment
from msj.disciplines.resource_amounts import amounts
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput, MsjError
from msj.model import JobClass, System
from msj.model.durations import Duration, duration_from_spec
from msj.model.numbers import text, whole
from msj.model.table import Table, plain
from msj.model.value import Value
from msj.registry import nearest

FIRST = "start"  # what the class's own stage is called unless the class says otherwise


@dataclass(frozen=True, kw_only=True)
class Stage(Value):
    """A part of a job: ``need`` servers for a time drawn from ``duration``.

    ``need`` may be a list, one for each phase; ``after`` names the stages it comes after (None: the one before it).
    """

    need: int | tuple[int, ...]
    duration: Duration
    name: str | None = None
    after: tuple[str, ...] | None = None
    resources: Mapping[str, int] = Table()

    def __post_init__(self) -> None:
        if self.name is not None:
            text(self.name, "name")
        if self.after is not None:
            if not isinstance(self.after, (list, tuple)):
                raise InvalidInput(
                    f"after = {self.after!r} must be a list of stages; write ['{FIRST}'], or [] for none"
                )
            object.__setattr__(self, "after", tuple(text(name, "after") for name in self.after))
        object.__setattr__(self, "resources", amounts(self.resources, "resources"))
        self._set_duration()
        self._set_need()

    def _set_need(self) -> None:
        if not isinstance(self.need, (list, tuple)):
            object.__setattr__(self, "need", whole(self.need, "need"))
            return
        needs = tuple(whole(need, f"need[{i}]") for i, need in enumerate(self.need))
        law = self.duration.as_phase_type()
        phases = 0 if law is None else len(law.alpha)
        if len(needs) != phases:
            raise InvalidInput(
                f"need has {len(needs)} entries and its duration ({self.duration.law}) {phases or 'no'} phases; "
                "give one for each phase of a phase-type law"
            )
        object.__setattr__(self, "need", needs)

    def _set_duration(self) -> None:
        if not isinstance(self.duration, Duration):
            try:
                object.__setattr__(self, "duration", duration_from_spec(self.duration))
            except MsjError as error:
                raise error.within("duration") from None

    def to_spec(self) -> dict[str, Any]:
        """Return the table that describes this stage."""
        need = self.need if isinstance(self.need, int) else list(self.need)
        spec: dict[str, Any] = {} if self.name is None else {"name": self.name}
        spec |= {"need": need, "duration": self.duration.to_spec()}
        spec |= {} if self.after is None else {"after": list(self.after)}
        return spec | ({"resources": plain(self.resources)} if self.resources else {})


@dataclass(frozen=True, kw_only=True)
class Stages(Part):
    """In a spec file: model = "stages"; class: then = [{ need = 1, duration = { ... } }, ...], after need and duration.

    A stage has a need and a duration, written as those of a class, and may have ``name``, ``after`` and ``resources``.
    The class's own stage is called "start" unless the class says ``first = "..."``.

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
    class_keys: ClassVar[tuple[str, ...]] = ("then", "first")
    idles: ClassVar[str] = "a job may wait for more servers than are free, at its start or between two stages"

    def engine(self, system: System) -> ServedBy | None:
        stages = [self.stages_of(c) for c in system.classes]
        if any(not isinstance(s.need, int) or s.after is not None for own in stages for s in own):
            return super().engine(system)  # the loop of its own knows only one stage after the other
        return ServedBy(
            "msj.engines.stages:StagesEngine",
            needs=[[stage.need for stage in own] for own in stages],
            laws=[[stage.duration for stage in own] for own in stages],
        )

    front_model = Part.front_model  # the same rule, whichever loop simulates it

    def segments(self, job_class: JobClass, segments: list[Segment]) -> list[Segment]:
        places = {job_class.extra.get("first", FIRST): 0}
        found = list(segments)
        for stage in job_class.extra.get("then", ()):
            after = [len(found) - 1] if stage.after is None else [places[name] for name in stage.after]
            if stage.name is not None:
                places[stage.name] = len(found)
            law, held = stage.duration, dict(stage.resources)
            found.append({"need": stage.need, "resources": held, "law": law, "after": after})
        return found

    def class_value(self, key: str, value: Any) -> Any:
        if key == "first":
            return text(value, key)
        if not isinstance(value, (list, tuple)):
            raise InvalidInput(f"{key} = {value!r} must be a list of stages; write [{{ need = 1, duration = ... }}]")
        return tuple(_stage(item, f"{key}[{i}]") for i, item in enumerate(value))

    def check_class(self, job_class: JobClass) -> None:
        """Refuse names of stages that are not there, or twice."""
        known = [job_class.extra.get("first", FIRST)]
        for i, stage in enumerate(job_class.extra.get("then", ())):
            for name in stage.after or ():
                if name not in known:
                    raise InvalidInput(
                        f"after names stage '{name}', which is not one of those before; {nearest(name, known)}",
                        where=f"then[{i}]",
                    )
            if len(set(stage.after or ())) < len(stage.after or ()):
                raise InvalidInput(
                    f"after = {list(stage.after)} names a stage twice; name each once", where=f"then[{i}]"
                )
            if stage.name in known:
                raise InvalidInput(
                    f"name = '{stage.name}' is taken by a stage before; take another", where=f"then[{i}]"
                )
            known += [] if stage.name is None else [stage.name]

    def stages_of(self, job_class: JobClass) -> tuple[Stage, ...]:
        """Return all stages of a class, the first included."""
        return (Stage(need=job_class.need, duration=job_class.duration), *job_class.extra.get("then", ()))


def _stage(value: object, name: str) -> Stage:
    if isinstance(value, Stage):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} = {value!r} is not a stage; write {{ need = 1, duration = {{ ... }} }}")
    keys = ("need", "duration")
    known = (*keys, "name", "after", "resources")
    for key in (*value, *keys):
        if key not in known:
            raise InvalidInput(f"unknown key '{key}'; {nearest(key, known)}", where=name)
        if key not in value:
            raise InvalidInput(f"key '{key}' is missing; add {key} = ...", where=name)
    try:
        return Stage(**{**value, "duration": plain(value["duration"])})
    except MsjError as error:
        raise error.within(name) from None


VARIANT = Stages
