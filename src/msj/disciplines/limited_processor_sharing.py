"""Limited processor sharing: the ``limit`` oldest jobs share all servers equally (wcfs, section 3.2).

Every job can use all servers (its need is the number of servers), and its duration is its time on all of them. Limit 1
is first come first served on one fast machine; a limit that is never reached is processor sharing.

With ``speeds`` the total speed depends on how many share it (wcfs, section 4.3.2): ``speeds[m - 1]`` is what m jobs
have together, as a share of all servers. The cluster then takes ``speeds[limit - 1]`` of its work. Up to the limit that
is fastest it is WCFS; beyond it only the upper bounds of the paper hold, and msj gives none. Zeros are allowed before
the last: limit k and speeds 0, ..., 0, 1 is the batch-processing M/G/k of wcfs, section 2.2, in which nobody is served
until k jobs are there: work-conserving, but E[T] grows without bound as the load goes to 0. It is simulated only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills
from msj.disciplines.served_by import ServedBy
from msj.disciplines.sharing import Sharing
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import Number, number, vector, whole


@dataclass(frozen=True, kw_only=True)
class LimitedProcessorSharing(Sharing):
    """The ``limit`` oldest jobs share all servers equally; without one, as many as there are servers."""

    name: ClassVar[str] = "limited-processor-sharing"
    summary: ClassVar[str] = "the oldest jobs, at most so many, share all servers equally; options limit, speeds"
    citation: ClassVar[str] = "wcfs, section 3.2"

    limit: int | None = None
    speeds: tuple[Number, ...] | None = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            object.__setattr__(self, "limit", whole(self.limit, "limit"))
        if self.speeds is not None:
            speeds = tuple(number(v, f"speeds[{i}]") for i, v in enumerate(vector(self.speeds, "speeds")))
            for i, speed in enumerate(speeds):
                if not 0 <= speed <= 1:
                    raise InvalidInput(f"speeds[{i}] = {speed} must be a share of all servers, from 0 to 1")
            if not speeds or speeds[-1] == 0:
                raise InvalidInput("the last of speeds must be above 0: it is what a full house of jobs has together")
            if self.limit is not None and len(speeds) != self.limit:
                raise InvalidInput(self._wrong_number(len(speeds), self.limit))
            object.__setattr__(self, "speeds", speeds)

    def limit_on(self, servers: int) -> int:
        """Return the limit on a cluster of this size."""
        return servers if self.limit is None else self.limit

    def together(self, servers: int) -> tuple[float, ...]:
        """Return what 1, 2, ... jobs have together, as shares of all servers.

        Examples
        --------
        >>> LimitedProcessorSharing(limit=2, speeds=["1/2", 1]).together(8)
        (0.5, 1.0)
        """
        if self.speeds is None:
            return (1.0,) * self.limit_on(servers)
        return tuple(float(speed) for speed in self.speeds)

    def engine(self, servers: int) -> ServedBy:
        most, together = self.limit_on(servers), self.together(servers)
        return ServedBy("msj.engines.sharing:SharingEngine", rule="equally", most=most, together=together)

    def front_model(self, system: System) -> ServedBy | None:
        together = self.together(system.servers)
        if min(together) == 0.0:  # the level solver wants every level to lead to the one below
            return None
        return ServedBy("msj.fronts.limited_processor_sharing:LimitedProcessorSharingFront", together=together)

    def oldest_served(self, servers: int, least_need: int) -> int:
        return self.limit_on(servers)

    def fills_on(self, servers: int, least_need: int) -> Fills:
        return Fills.SHARED if self.together(servers)[-1] == 1.0 else Fills.UNKNOWN

    def least_busy(self, servers: int, least_need: int) -> tuple[float | None, str]:
        together = self.together(servers)
        least = min(together)
        if least == 0.0:
            return None, f"with {together.index(0.0) + 1} of {len(together)} jobs present nobody is served"
        if least < 1.0:
            return least, f"{together.index(least) + 1} jobs have {least:g} of all servers together"
        return 1.0, "a job alone has all servers"

    def least_busy_per_job(self, servers: int, least_need: int) -> float:
        return min(speed / jobs for jobs, speed in enumerate(self.together(servers), start=1))

    def supports(self, system: System) -> str | None:
        if self.speeds is not None and len(self.speeds) != self.limit_on(system.servers):
            return self._wrong_number(len(self.speeds), self.limit_on(system.servers))
        for c in system.active_classes:
            if c.need != system.servers:
                return (
                    f"class '{c.name}' can use {c.need} of {system.servers} servers; all jobs must be able to use all"
                )
        return None

    @staticmethod
    def _wrong_number(given: int, limit: int) -> str:
        return f"{given} speeds are given and at most {limit} jobs share; give one speed for each number of jobs"


VARIANT = LimitedProcessorSharing
