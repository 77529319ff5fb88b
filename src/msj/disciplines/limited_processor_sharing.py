"""Limited processor sharing: the ``limit`` oldest jobs share all servers equally (wcfs, section 3.2).

Every job can use all servers (its need is the number of servers), and its duration is its time on all of them. Limit 1
is first come first served on one fast machine; a limit that is never reached is processor sharing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.served_by import ServedBy
from msj.disciplines.sharing import Sharing
from msj.model import System
from msj.model.numbers import whole


@dataclass(frozen=True, kw_only=True)
class LimitedProcessorSharing(Sharing):
    """The ``limit`` oldest jobs share all servers equally; without one, as many as there are servers."""

    name: ClassVar[str] = "limited-processor-sharing"
    summary: ClassVar[str] = "the oldest jobs, at most so many, share all servers equally; option limit"
    citation: ClassVar[str] = "wcfs, section 3.2"

    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            object.__setattr__(self, "limit", whole(self.limit, "limit"))

    def limit_on(self, servers: int) -> int:
        """Return the limit on a cluster of this size."""
        return servers if self.limit is None else self.limit

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.sharing:SharingEngine", rule="equally", most=self.limit_on(servers))

    def front_model(self, system: System) -> ServedBy:
        limit = self.limit_on(system.servers)
        return ServedBy("msj.fronts.limited_processor_sharing:LimitedProcessorSharingFront", limit=limit)

    def oldest_served(self, servers: int, least_need: int) -> int:
        return self.limit_on(servers)

    def least_busy(self, servers: int, least_need: int) -> tuple[float, str]:
        return 1.0, "a job alone has all servers"

    def least_busy_per_job(self, servers: int, least_need: int) -> float:
        return 1.0 / self.limit_on(servers)

    def supports(self, system: System) -> str | None:
        for c in system.active_classes:
            if c.need != system.servers:
                return (
                    f"class '{c.name}' can use {c.need} of {system.servers} servers; all jobs must be able to use all"
                )
        return None


VARIANT = LimitedProcessorSharing
