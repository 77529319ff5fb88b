"""Models that go together: each says its part of what a cluster is, in plain values (reset, Appendices H.2 to H.6).

``model = [{ name = "server-groups", ... }, { name = "set-up", ... }]`` chooses several at once. A part tells what it
knows (``told``) and what it makes of the segments of a job (``segments``); ``plain_parts`` puts that together for the
one front (``fronts.parts``) and the one engine (``engines.parts``) that know all parts.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.model import Model
from msj.disciplines.parts_policy import why_not_served, why_not_under
from msj.disciplines.plain_parts import (
    capacity_processes,
    check_parts,
    mean_capacity,
    mean_work,
    plain_parts,
    why_not_phase_type,
)
from msj.disciplines.served_by import ServedBy
from msj.errors import MsjError
from msj.model import JobClass, System
from msj.model.durations import Duration, duration_from_spec
from msj.model.system import ChosenPolicy
from msj.model.table import plain

PREEMPTIVE_FRONT = "msj.fronts.parts_preemptive:PreemptivePartsFront"
FRONT, ENGINE = "msj.fronts.parts:PartsFront", "msj.engines.parts:PartsEngine"
Segment = dict[str, Any]  # need, resources, law, after


class Part(Model):
    """Base of the models that stand alone or beside others; what it does not tell is as in a plain cluster."""

    #: In which order parts make the segments of a job: stages before they are forked.
    rank: ClassVar[int] = 0

    def told(self) -> dict[str, Any]:
        """Return what the part says of servers: some of the values of ``plain_parts``."""
        return {}

    def segments(self, job_class: JobClass, segments: list[Segment]) -> list[Segment]:
        """Return the segments of a job, made of those that the parts before know of."""
        return segments

    def values(self, system: System) -> dict[str, Any]:
        """Return all plain values of a system of this model."""
        return plain_parts(system, self.parts)

    def why_alone(self, system: System) -> str | None:
        """Return the reason if the part changes nothing on a system under FCFS."""
        return None

    def check_class(self, job_class: JobClass) -> None:
        """Refuse what a class says that contradicts itself."""

    def front_model(self, system: System) -> ServedBy | None:
        values = self.values(system)
        return ServedBy(FRONT if values["rule"] is None else PREEMPTIVE_FRONT, **values)

    def engine(self, system: System) -> ServedBy | None:
        return ServedBy(ENGINE, **self.values(system))

    def check(self, system: System) -> None:
        check_parts(system, self.parts)

    def work(self, job_class: JobClass) -> float:
        return mean_work(job_class, self.parts)

    def service_capacity(self, system: System) -> float:
        return mean_capacity(self.values(system))

    def capacity_processes(self, system: System) -> tuple[CapacityProcess, ...]:
        return capacity_processes(system, self.parts)

    def relaxation_time(self, system: System) -> float:
        values = self.values(system)
        laws = [law for key in ("set_up", "overhead") for law in (values[key] or {}).values()]
        return max((float(law.mean) for law in laws if isinstance(law, Duration)), default=0.0)

    def why_not_policy(self, policy: ChosenPolicy | str) -> str | None:
        return why_not_under(policy, self.parts, self.name)

    def supports(self, system: System) -> str | None:
        return super().supports(system) or why_not_served(system, self.parts)

    def why_no_front(self, system: System) -> str | None:
        return super().why_no_front(system) or why_not_phase_type(system, self.values(system))

    def set_law(self, key: str) -> None:
        """Make a duration law of an option that may be the table that describes one."""
        value = getattr(self, key)
        if value is not None and not isinstance(value, Duration):
            try:
                object.__setattr__(self, key, duration_from_spec(plain(value)))
            except MsjError as error:
                raise error.within(key) from None
