"""Several resources: needs and capacities are vectors, such as cpus, gpus and memory (reset, Appendix H.3).

Jobs start in order of arrival; one starts if all its needs fit beside those of the running jobs. One resource is the
ordinary cluster under FCFS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import JobClass, System
from msj.model.numbers import whole
from msj.model.table import Table, frozen
from msj.registry import nearest

SERVERS = "servers"


@dataclass(frozen=True, kw_only=True)
class SeveralResources(Model):
    """In a spec file: model = { name = "several-resources", capacity = { gpus = 8 } }; class: resources = { gpus = 1 }.

    ``servers`` and ``need`` stay the first resource.

    Examples
    --------
    >>> import msj
    >>> one = msj.Exponential(mean=1)
    >>> batch = msj.JobClass(name="batch", need=2, share="1/2", duration=one)
    >>> training = msj.JobClass(name="training", need=1, share="1/2", duration=one, extra={"resources": {"gpus": 1}})
    >>> model = {"name": "several-resources", "capacity": {"gpus": 1}}
    >>> round(msj.analyse(msj.System(servers=4, classes=[batch, training], model=model))["stability_threshold"], 6)
    1.6
    """

    name: ClassVar[str] = "several-resources"
    summary: ClassVar[str] = "jobs hold servers and amounts of other resources (gpus, memory), and wait for all of them"
    citation: ClassVar[str] = "reset, Appendix H.3"
    class_keys: ClassVar[tuple[str, ...]] = ("resources",)
    idles: ClassVar[str] = "a job may wait for another resource while servers stand idle"

    capacity: Mapping[str, int]

    def __post_init__(self) -> None:
        if not isinstance(self.capacity, Mapping):
            raise InvalidInput(f"capacity = {self.capacity!r} must be a table of resources; write {{ gpus = 8 }}")
        if SERVERS in self.capacity:
            raise InvalidInput(f"capacity names '{SERVERS}', whose number the system gives; take it out")
        capacity = {name: whole(amount, f"capacity.{name}") for name, amount in self.capacity.items()}
        object.__setattr__(self, "capacity", frozen(capacity, "capacity"))

    def engine(self, system: System) -> ServedBy:
        capacity, amounts = self._in_a_row(system)
        pools = [True] + [False] * len(self.capacity)
        ways = [[needs] for needs in amounts]
        return ServedBy("msj.engines.pools:PoolsEngine", capacity=capacity, ways=ways, servers=pools)

    def front_model(self, system: System) -> ServedBy:
        capacity, amounts = self._in_a_row(system)
        return ServedBy("msj.fronts.several_resources:SeveralResourcesFront", capacity=capacity, amounts=amounts)

    def _in_a_row(self, system: System) -> tuple[list[int], list[list[int]]]:
        """Return how much there is of servers and of each resource, and how much a job of each class holds."""
        names = (SERVERS, *self.capacity)
        amounts = [[self.amounts(c).get(name, 0) for name in names] for c in system.classes]
        return [system.servers, *self.capacity.values()], amounts

    def class_value(self, key: str, value: Any) -> Table:
        if not isinstance(value, Mapping):
            raise InvalidInput(f"{key} = {value!r} must be a table of amounts; write {{ gpus = 1 }}")
        for name in value:
            if name not in self.capacity:
                raise InvalidInput(f"resource '{name}' does not exist; {nearest(name, self.capacity)}")
        found: Table = frozen({n: whole(amount, f"{key}.{n}", least=0) for n, amount in value.items()}, key)
        return found

    def check(self, system: System) -> None:
        for index, c in enumerate(system.classes):
            for name, amount in self.amounts(c).items():
                if name != SERVERS and amount > self.capacity[name]:
                    raise InvalidInput(
                        f"class '{c.name}' needs {amount} of {self.capacity[name]} {name}; raise capacity or need less",
                        where=f"classes[{index}]",
                    )

    def amounts(self, job_class: JobClass) -> dict[str, int]:
        """Return what a job holds of each resource, servers first."""
        return {SERVERS: job_class.need, **job_class.extra.get("resources", {})}


VARIANT = SeveralResources
