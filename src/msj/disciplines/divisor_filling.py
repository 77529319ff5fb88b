"""DivisorFilling: never an idle server while at least k jobs are present, if every need divides the servers k.

Among the k oldest jobs a set is served whose needs sum to k exactly; among k or more jobs there always is one (wcfs,
section 3.4.3). With fewer jobs the set with the largest sum is served. Of several such sets the one with the most
jobs of the largest need is taken, then of the next largest, and so on; within a need the oldest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills, Serve
from msj.disciplines.filling import serve_filling
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy
from msj.model import System


def why_not_divisors(system: System) -> str | None:
    """Return the reason if some need does not divide the servers, and what applies instead."""
    for c in system.active_classes:
        if system.servers % c.need:
            return (
                f"class '{c.name}' needs {c.need} servers, which does not divide servers = {system.servers}; "
                "first-fit or max-weight applies instead"
            )
    return None


@dataclass(frozen=True, kw_only=True)
class DivisorFilling(Restarting):
    """DivisorFilling, preemptive."""

    name: ClassVar[str] = "divisor-filling"
    summary: ClassVar[str] = "fills all servers from the k oldest jobs; every need must divide the servers"
    citation: ClassVar[str] = "wcfs, section 3.4.3"
    preemptive: ClassVar[bool] = True
    order_within_need: ClassVar[bool] = True
    fills: ClassVar[Fills] = Fills.ALWAYS

    @property
    def front(self) -> None:
        return None

    def front_on(self, servers: int) -> int:
        return servers

    def oldest_served(self, servers: int, least_need: int) -> int:
        return servers

    def least_busy_per_job(self, servers: int, least_need: int) -> float:
        # All are served, each on at least one server; or largest needs first, those that fit, fill more than half.
        return 1.0 / (2 * servers)

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="exactly", among="oldest")

    @property
    def serve(self) -> Serve:
        return serve_filling("arrival", exactly=True)

    def supports(self, system: System) -> str | None:
        return why_not_divisors(system)


VARIANT = DivisorFilling
