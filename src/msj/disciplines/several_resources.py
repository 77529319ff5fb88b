"""Several resources: needs and capacities are vectors, such as cpus, gpus and memory (reset, Appendix H.3).

Jobs start in order of arrival; one starts if all its needs fit beside those of the running jobs. One resource is the
ordinary cluster under FCFS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.part import Part
from msj.disciplines.resource_amounts import SERVERS, amounts
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import JobClass, System
from msj.model.table import Table


@dataclass(frozen=True, kw_only=True)
class SeveralResources(Part):
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
        object.__setattr__(self, "capacity", amounts(self.capacity, "capacity", least=1))

    def engine(self, system: System) -> ServedBy:
        capacity, held = self._in_a_row(system)
        pools = [True] + [False] * len(self.capacity)
        ways = [[needs] for needs in held]
        return ServedBy("msj.engines.pools:PoolsEngine", capacity=capacity, ways=ways, servers=pools)

    front_model = Part.front_model  # the same rule, whichever loop simulates it

    def told(self) -> dict[str, Any]:
        return {"capacity": dict(self.capacity)}

    def _in_a_row(self, system: System) -> tuple[list[int], list[list[int]]]:
        """Return how much there is of servers and of each resource, and how much a job of each class holds."""
        names = (SERVERS, *self.capacity)
        held = [[self.amounts(c).get(name, 0) for name in names] for c in system.classes]
        return [system.servers, *self.capacity.values()], held

    def class_value(self, key: str, value: Any) -> Table:
        return amounts(value, key)

    def amounts(self, job_class: JobClass) -> dict[str, int]:
        """Return what a job holds of each resource, servers first."""
        return {SERVERS: job_class.need, **job_class.extra.get("resources", {})}


VARIANT = SeveralResources
