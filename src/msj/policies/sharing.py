"""Models in which a job may run on fewer servers than it could use: the speed of service is shared, not all or nothing.

A job's need is here the most servers it can use, its duration the time it takes on that many; on a servers it advances
at rate a / need. All are preemptive and given to ``simulate`` as objects; wcfs, sections 3.1 to 3.3 and 6:

- limited processor sharing: the ``limit`` oldest jobs share all servers equally;
- heterogeneous servers: one server per job, the oldest job on the fastest (preemptive fastest server first);
- threshold parallelism: each job its need, the last one what remains; oldest first, or elastic first (larger
  needs first), or inelastic first (smaller needs first), ties by arrival.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.errors import InvalidInput, NotSupported
from msj.model import System
from msj.model.numbers import Number, positive, vector, whole
from msj.policies.base import Policy, Serve
from msj.registry import nearest

ORDERS = ("fcfs", "elastic", "inelastic")


@dataclass(frozen=True, kw_only=True)
class Sharing(Policy):
    """Base of the models that share speed."""

    citation: ClassVar[str] = "wcfs, section 3"
    preemptive: ClassVar[bool] = True

    @property
    def front(self) -> None:
        return None

    @property
    def serve(self) -> Serve:
        raise NotSupported(f"'{self.name}' shares servers between jobs, so no function can say who has all it needs")


@dataclass(frozen=True, kw_only=True)
class LimitedProcessorSharing(Sharing):
    """The ``limit`` oldest jobs share all servers equally; every job can use all of them."""

    name: ClassVar[str] = "limited-processor-sharing"
    summary: ClassVar[str] = "the oldest jobs, at most so many, share all servers equally"

    limit: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", whole(self.limit, "limit"))

    def supports(self, system: System) -> str | None:
        for c in system.active_classes:
            if c.need != system.servers:
                return (
                    f"class '{c.name}' can use {c.need} of {system.servers} servers; all jobs must be able to use all"
                )
        return None


@dataclass(frozen=True, kw_only=True)
class HeterogeneousServers(Sharing):
    """One server per job, servers of different speeds; only the ratios of ``speeds`` matter, their mean is 1."""

    name: ClassVar[str] = "heterogeneous-servers"
    summary: ClassVar[str] = "one job per server, the oldest on the fastest"

    speeds: tuple[Number, ...]

    def __post_init__(self) -> None:
        speeds = [positive(speed, f"speeds[{i}]") for i, speed in enumerate(vector(self.speeds, "speeds"))]
        object.__setattr__(self, "speeds", tuple(sorted(speeds, reverse=True)))

    def supports(self, system: System) -> str | None:
        if len(self.speeds) != system.servers:
            return f"{len(self.speeds)} speeds are given for {system.servers} servers; give one for each"
        for c in system.active_classes:
            if c.need != 1:
                return f"class '{c.name}' needs {c.need} servers; every job must need one"
        return None


@dataclass(frozen=True, kw_only=True)
class ThresholdParallelism(Sharing):
    """Jobs run on up to as many servers as they can use, in the given order; the last gets what remains."""

    name: ClassVar[str] = "threshold-parallelism"
    summary: ClassVar[str] = "each job up to its threshold of servers: oldest, elastic or inelastic jobs first"

    order: str = "fcfs"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise InvalidInput(f"order = {self.order!r} is unknown; {nearest(str(self.order), ORDERS)}")
