"""Several resources: needs and capacities are vectors, such as cpus, gpus and memory (reset, Appendix H.3).

Jobs start in order of arrival; one starts if all its needs fit beside those of the running jobs. One resource is the
ordinary cluster under FCFS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linprog

from msj.errors import InvalidInput
from msj.fronts.models.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.fronts.models.phased_model import ModelClass, given_classes
from msj.fronts.models.system_model import SystemModel
from msj.model import JobClass, System
from msj.model.numbers import whole
from msj.model.table import Table, frozen
from msj.registry import nearest

SERVERS = "servers"


@dataclass(frozen=True, kw_only=True)
class ResourceClass(ModelClass):
    """Jobs that hold ``needs``, by name of the resource; what is not named is not needed."""

    needs: Mapping[str, int]

    def __post_init__(self) -> None:
        super().__post_init__()
        needs = {name: whole(need, f"needs['{name}']", least=0) for name, need in self.needs.items()}
        if not any(needs.values()):
            raise InvalidInput(f"class '{self.name}' needs no resource at all; give at least one need of 1 or more")
        object.__setattr__(self, "needs", needs)

    def __hash__(self) -> int:
        return hash((self.name, self.share, self.duration, tuple(sorted(self.needs.items()))))


@dataclass(frozen=True, kw_only=True)
class SeveralResources(HeadOfLine):
    """FCFS where jobs hold amounts of several resources.

    Examples
    --------
    >>> import msj
    >>> one = msj.Exponential(mean=1)
    >>> model = SeveralResources(capacities={"cpus": 4, "gpus": 1}, classes=[
    ...     ResourceClass(name="batch", share="1/2", needs={"cpus": 2}, duration=one),
    ...     ResourceClass(name="training", share="1/2", needs={"cpus": 1, "gpus": 1}, duration=one)])
    >>> result = msj.analyse_model(model, load=0.8)
    >>> round(result["stability_threshold"], 6)
    1.6
    """

    capacities: Mapping[str, int]
    classes: Sequence[ResourceClass]

    def __post_init__(self) -> None:
        if not isinstance(self.capacities, Mapping) or not self.capacities:
            raise InvalidInput(f"capacities = {self.capacities!r} must name resources; write {{'cpus': 8, 'gpus': 1}}")
        capacities = {name: whole(amount, f"capacities['{name}']") for name, amount in self.capacities.items()}
        object.__setattr__(self, "capacities", capacities)
        object.__setattr__(self, "classes", given_classes(self.classes, ResourceClass))
        for c in self.classes:
            for name, need in c.needs.items():
                if name not in capacities:
                    raise InvalidInput(f"class '{c.name}' needs '{name}', of which there is none; add it to capacities")
                if need > capacities[name]:
                    raise InvalidInput(
                        f"class '{c.name}' needs {need} of {capacities[name]} {name}; raise the capacity or lower need"
                    )
        self._check_classes()

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.capacities.items())), self.classes))

    @property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

    @cached_property
    def most_jobs(self) -> int:
        """The most jobs that fit at once (no more than the linear programme says), and one that waits."""
        needs = np.array(sorted(set(self._needs)))
        found = linprog(-np.ones(len(needs)), A_ub=needs.T, b_ub=list(self.capacities.values()))
        return int(-found.fun + 1e-6) + 1

    @cached_property
    def _needs(self) -> tuple[tuple[int, ...], ...]:
        """Needs of each type, in the order of the capacities."""
        return tuple(tuple(self.classes[c].needs.get(name, 0) for name in self.capacities) for c in self.types.class_of)

    def started(self, running: Running, job: int) -> int | None:
        """See :meth:`HeadOfLine.started`."""
        free = self._free(running)
        return job if all(need <= f for need, f in zip(self._needs[job], free, strict=True)) else None

    def busy(self, front: RunningAndWaiting) -> dict[str, int]:
        """Return how much of each resource is in use."""
        free = self._free(front[0])
        return {name: amount - f for (name, amount), f in zip(self.capacities.items(), free, strict=True)}

    def busy_servers(self, front: RunningAndWaiting) -> float | None:
        """See :meth:`FrontModel.busy_servers`; servers are one of the resources, or none."""
        return float(self.busy(front)[SERVERS]) if SERVERS in self.capacities else None

    def _free(self, running: Running) -> list[int]:
        held = zip(*(self._needs[job] for job in running), strict=True) if running else [()] * len(self.capacities)
        return [amount - sum(needs) for amount, needs in zip(self.capacities.values(), held, strict=True)]


@dataclass(frozen=True, kw_only=True)
class SeveralResourcesModel(SystemModel):
    """In a spec file: model = { name = "several-resources", capacity = { gpus = 8 } }; class: resources = { gpus = 1 }.

    ``servers`` and ``need`` stay the first resource.
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

    def class_value(self, key: str, value: Any) -> Table:
        """See :meth:`SystemModel.class_value`."""
        if not isinstance(value, Mapping):
            raise InvalidInput(f"{key} = {value!r} must be a table of amounts; write {{ gpus = 1 }}")
        for name in value:
            if name not in self.capacity:
                raise InvalidInput(f"resource '{name}' does not exist; {nearest(name, self.capacity)}")
        found: Table = frozen({n: whole(amount, f"{key}.{n}", least=0) for n, amount in value.items()}, key)
        return found

    def check(self, system: System) -> None:
        """See :meth:`SystemModel.check`."""
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

    def front(self, system: System) -> SeveralResources:
        """See :meth:`SystemModel.front`."""
        classes = [
            ResourceClass(name=c.name, share=c.share, needs=self.amounts(c), duration=c.duration)
            for c in system.classes
        ]
        return SeveralResources(capacities={SERVERS: system.servers, **self.capacity}, classes=classes)


VARIANT = SeveralResourcesModel
