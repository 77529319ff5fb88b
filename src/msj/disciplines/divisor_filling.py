"""DivisorFilling: never an idle server while at least k jobs are present, if every need divides the servers k.

Among the k oldest jobs a set is served whose needs sum to k exactly; among k or more jobs there always is one (wcfs,
section 3.4.3). With fewer jobs the set with the largest sum is served. Of several such sets the one with the most
jobs of the largest need is taken, then of the next largest, and so on; within a need the oldest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Policy, Serve
from msj.disciplines.served_by import ServedBy
from msj.model import System


def divisor_filling(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Serve the set of largest total need among the k oldest jobs."""
    candidates = min(len(needs), servers)
    # reach[i, c]: some of the jobs from the i-th candidate on (largest need first) need c servers together.
    order = np.empty(candidates, np.int64)
    for i in range(candidates):
        place = i
        while place > 0 and needs[order[place - 1]] < needs[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    reach = np.zeros((candidates + 1, servers + 1), np.bool_)
    reach[candidates, 0] = True
    for i in range(candidates - 1, -1, -1):
        need = needs[order[i]]
        for c in range(servers + 1):
            reach[i, c] = reach[i + 1, c] or (c >= need and reach[i + 1, c - need])
    left = servers
    while not reach[0, left]:
        left -= 1
    for i in range(candidates):
        need = needs[order[i]]
        if need <= left and reach[i + 1, left - need]:
            chosen[order[i]] = True
            left -= need


@dataclass(frozen=True, kw_only=True)
class DivisorFilling(Policy):
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
        return divisor_filling

    def supports(self, system: System) -> str | None:
        for c in system.active_classes:
            if system.servers % c.need:
                return (
                    f"class '{c.name}' needs {c.need} servers, which does not divide servers = {system.servers}; "
                    "first-fit or max-weight applies instead"
                )
        return None


VARIANT = DivisorFilling
