"""ServerFilling: never an idle server while enough jobs are present, if all needs and the servers are powers of two.

The shortest prefix (in order of arrival) whose needs sum to at least k are the candidates; they are served in order of
need, the largest first, ties by arrival. With powers of two the largest fill all k servers exactly (wcfs, section
3.4.2, Lemma 1), so the threshold is k / E[need × duration]: nothing is wasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills, Serve
from msj.disciplines.filling import serve_filling
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy
from msj.model import System


def why_not_powers_of_two(system: System) -> str | None:
    """Return the reason if the servers or some need are not a power of two, and what applies instead."""
    needs = {c.need for c in system.active_classes}
    instead = "divisor-filling" if all(system.servers % need == 0 for need in needs) else "first-fit or max-weight"
    if system.servers & (system.servers - 1):
        return f"servers = {system.servers} is not a power of two; {instead} applies instead"
    for c in system.active_classes:
        if c.need & (c.need - 1):
            return f"class '{c.name}' needs {c.need} servers, not a power of two; {instead} applies instead"
    return None


@dataclass(frozen=True, kw_only=True)
class ServerFilling(Restarting):
    """ServerFilling, preemptive."""

    name: ClassVar[str] = "server-filling"
    summary: ClassVar[str] = "fills all servers from the shortest prefix that can; needs and servers powers of two"
    citation: ClassVar[str] = "wcfs, section 3.4.2"
    preemptive: ClassVar[bool] = True
    order_within_need: ClassVar[bool] = True
    fills: ClassVar[Fills] = Fills.ALWAYS
    sees_enough_once_full: ClassVar[bool] = True
    oldest_because: ClassVar[str] = ": their needs sum to the servers"

    @property
    def front(self) -> None:
        return None

    def front_on(self, servers: int) -> int:
        return servers

    def oldest_served(self, servers: int, least_need: int) -> int:
        return servers // least_need

    def least_busy_per_job(self, servers: int, least_need: int) -> float:
        return least_need / servers  # all servers, or all jobs present are served

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="most-first", among="prefix")

    @property
    def serve(self) -> Serve:
        return serve_filling("arrival", exactly=False)

    def supports(self, system: System) -> str | None:
        return why_not_powers_of_two(system)


VARIANT = ServerFilling
