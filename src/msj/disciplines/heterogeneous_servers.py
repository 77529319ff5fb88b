"""Servers of different speeds, one job each, in order of arrival (wcfs, section 3.1).

A job on a server of speed v advances at rate v: its declared duration is the time it takes at speed 1. The capacity of
the cluster is the sum of the ``speeds`` (wcfs scales them so that it is 1; multiplying all speeds by c is dividing all
durations by c). No job waits while a server is free. Who is on which server is the ``assignment``:

- ``fastest-first``  preemptive: always the oldest job on the fastest server, the next on the second fastest, ...;
- ``newest-first``   preemptive: of the jobs in service the newest is on the fastest server;
- ``move-up``        preemptive: a job starts on the fastest free server; when one leaves, the job on the slowest server
                     in use takes its place;
- ``slowest-first``  as the first, with the slowest server first: what careless placing costs at most;
- ``stay``           a job takes the fastest free server when it starts and stays there.

All but the last two keep the fastest servers busy (preemptive fastest server first); wcfs allows any of them and does
not say which its Figure 7b has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.served_by import ServedBy
from msj.disciplines.sharing import Sharing
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import Number, positive, vector
from msj.registry import nearest

ASSIGNMENTS = ("fastest-first", "newest-first", "move-up", "slowest-first", "stay")
#: How the engine calls them.
RULES = {
    "fastest-first": "by-rank",
    "newest-first": "newest-first",
    "move-up": "moving-up",
    "slowest-first": "by-rank",
    "stay": "staying",
}


@dataclass(frozen=True, kw_only=True)
class HeterogeneousServers(Sharing):
    """One server per job, servers of different ``speeds`` (None: all 1); durations are those at speed 1."""

    name: ClassVar[str] = "heterogeneous-servers"
    summary: ClassVar[str] = "one job per server, servers of given speeds, the oldest on the fastest; option assignment"
    citation: ClassVar[str] = "wcfs, section 3.1"

    speeds: tuple[Number, ...] | None = None
    assignment: str = "fastest-first"

    def __post_init__(self) -> None:
        if self.speeds is not None:
            speeds = [positive(speed, f"speeds[{i}]") for i, speed in enumerate(vector(self.speeds, "speeds"))]
            object.__setattr__(self, "speeds", tuple(sorted(speeds, reverse=True)))
        if self.assignment not in ASSIGNMENTS:
            raise InvalidInput(
                f"assignment = {self.assignment!r} is unknown; {nearest(str(self.assignment), ASSIGNMENTS)}"
            )

    def server_speeds(self, servers: int) -> tuple[float, ...]:
        """Return the speeds of so many servers, the fastest first.

        Examples
        --------
        >>> HeterogeneousServers(speeds=[1, 3]).server_speeds(2)
        (3.0, 1.0)
        """
        if self.speeds is None:
            return (1.0,) * servers
        if len(self.speeds) != servers:
            raise InvalidInput(self._wrong_number(servers))
        return tuple(float(speed) for speed in self.speeds)

    def speeds_in_order(self, servers: int) -> tuple[float, ...]:
        """Return them in the order in which jobs take servers."""
        speeds = self.server_speeds(servers)
        return speeds[::-1] if self.assignment == "slowest-first" else speeds

    def engine(self, servers: int) -> ServedBy:
        rule, speeds = RULES[self.assignment], self.speeds_in_order(servers)
        return ServedBy("msj.engines.sharing:SharingEngine", rule=rule, speeds=speeds)

    def front_model(self, system: System) -> ServedBy:
        return ServedBy(
            "msj.fronts.heterogeneous_servers:HeterogeneousServersFront",
            speeds=self.speeds_in_order(system.servers),
            rule=RULES[self.assignment],
        )

    def oldest_served(self, servers: int, least_need: int) -> int:
        return servers

    def least_busy(self, servers: int, least_need: int) -> tuple[float | None, str]:
        if self.speeds is not None and len(self.speeds) != servers:
            return None, self._wrong_number(servers)
        capacity = self.service_capacity(servers)
        if self.assignment in ("slowest-first", "stay"):  # who stays may be left alone on the slowest
            return min(self.server_speeds(servers)) / capacity, "a job alone may have the slowest server"
        return self.fastest_speed(servers) / capacity, "a job alone has the fastest server"

    def least_busy_per_job(self, servers: int, least_need: int) -> float | None:
        if self.speeds is not None and len(self.speeds) != servers:
            return None
        if self.assignment in ("slowest-first", "stay"):
            return min(self.server_speeds(servers)) / self.service_capacity(servers)
        return 1.0 / servers  # the fastest j of k servers have at least j/k of the capacity

    def fastest_speed(self, servers: int) -> float:
        return max(self.server_speeds(servers))

    def service_capacity(self, servers: int) -> float:
        return float(servers) if self.speeds is None else float(sum(self.speeds))

    def supports(self, system: System) -> str | None:
        if self.speeds is not None and len(self.speeds) != system.servers:
            return self._wrong_number(system.servers)
        for c in system.active_classes:
            if c.need != 1:
                return f"class '{c.name}' needs {c.need} servers; every job must need one"
        return None

    def _wrong_number(self, servers: int) -> str:
        given = 0 if self.speeds is None else len(self.speeds)
        return f"{given} speeds are given for {servers} servers; give one for each"


VARIANT = HeterogeneousServers
