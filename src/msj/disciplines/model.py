"""What every model declares: what serving means where it is not "so many servers from start to end".

``policy`` says who is served; ``model`` says what a job or a server is: several resources, groups of servers, tasks
that end one by one, stages, set-up times, preemption that costs, colours. A model's file reads and checks its options
and the keys it adds to a ``[[classes]]`` table, once; the engine that simulates it (``engine``) and the front that
solves it (``front_model``) get plain values and trust them.
"""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar, cast

from msj.disciplines.base import Policy, declared_at, told_apart
from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.served_by import ServedBy
from msj.model import JobClass, System
from msj.model.chosen import Chosen
from msj.model.system import ChosenPolicy
from msj.registry import POLICIES


class Model(Chosen, ABC):
    """Base of the models that a spec file can name; each is a frozen dataclass whose fields are its options."""

    kind: ClassVar[str] = "model"
    #: Keys that the model adds to a ``[[classes]]`` table.
    class_keys: ClassVar[tuple[str, ...]] = ()
    #: The one policy the model goes with; its own order of service is part of the model.
    goes_with: ClassVar[type[Policy]] = Fcfs
    #: Why servers may stand idle, or work without progress, although jobs wait (wcfs: not work-conserving).
    idles: ClassVar[str | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Whoever serves in another way in a simulation does so in the chain too, so says both or has one only.
        for one, other in (("engine", "front_model"), ("front_model", "engine")):
            if declared_at(cls, one) < declared_at(cls, other) < cls.__mro__.index(Model):
                setattr(cls, other, getattr(Model, other))

    @property
    def parts(self) -> tuple[Model, ...]:
        """What it is put together from: itself, unless it is several."""
        return (self,)

    @property
    def policy(self) -> str:
        """What a spec file calls the policy the model goes with."""
        return self.goes_with.name

    def engine(self, system: System) -> ServedBy | None:
        """Return the engine that simulates the model, made for an ``engines.Cluster``; None where there is none."""
        return None

    def front_model(self, system: System) -> ServedBy | None:
        """Return the front that solves the model, made for a system; None where there is none."""
        return None

    def oldest_served(self, servers: int) -> int | None:
        """Return n, where only the n oldest jobs are ever served and n jobs keep all servers busy (wcfs, section 2).

        None where ``idles`` says why servers may stand idle all the same, or where nothing is known.
        """
        return None

    def least_busy_per_job(self, servers: int) -> float | None:
        """Return beta: with N jobs among the n oldest at least beta·N of the capacity is in use; None if not known."""
        return None

    def class_value(self, key: str, value: Any) -> Any:
        """Return the value of one of ``class_keys``, validated on its own."""
        return value

    def check(self, system: System) -> None:
        """Refuse a system that contradicts the model; called when the system is made."""

    def work(self, job_class: JobClass) -> float:
        """Return the mean server-time a job takes."""
        return job_class.work

    def service_capacity(self, system: System) -> float:
        """Return the work that all servers could do in a unit of time, if none ever stood idle."""
        return float(system.servers)

    def capacity_processes(self, system: System) -> tuple[CapacityProcess, ...]:
        """Return what changes the capacity by itself, whatever jobs there are."""
        return ()

    def relaxation_time(self, system: System) -> float:
        """Return the time over which servers forget what the model did to them (set-up times, say)."""
        return 0.0

    def supports(self, system: System) -> str | None:
        """Return None if the model can run ``system`` under its policy, else the reason why not."""
        return self.why_not_policy(system.policy)

    def why_no_front(self, system: System) -> str | None:
        """Return the reason why the model has no finite front on a system, whatever its first durations."""
        reason = self.supports(system)
        if reason is None and self.front_model(system) is None:
            return f"model '{self.name}' has no chain; simulate it"
        return reason

    def why_not_policy(self, policy: ChosenPolicy | str) -> str | None:
        """Return the reason if the model does not go with a policy; a text is a name in the catalogue."""
        chosen = POLICIES.get(policy) if isinstance(policy, str) else type(policy)
        if chosen is self.goes_with:
            return None
        other = f"'{policy}'" if isinstance(policy, str) else told_apart(policy, self.goes_with)
        return f"model '{self.name}' goes with policy '{self.policy}', not {other}; set policy = '{self.policy}'"


def policy_of(system: System) -> Policy:
    """Return the policy of a system, which lies below this room and knows it by its name only."""
    return cast(Policy, system.policy)


def model_of(system: System) -> Model | None:
    """Return the model of a system, if it has one."""
    return cast("Model | None", system.model)


def mean_speed(system: System) -> float:
    """Return the mean speed of the servers under the policy; 1 under a model, whose speeds are part of the model."""
    if system.model is not None:
        return 1.0
    return policy_of(system).service_capacity(system.servers) / system.servers


def discipline_of(system: System) -> Policy | Model:
    """Return what serves the jobs of a system: its model, which has an order of service of its own, or its policy."""
    return model_of(system) or policy_of(system)
