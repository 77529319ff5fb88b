"""Threshold parallelism: jobs run on up to as many servers as they can use, the last one on what remains.

A job's need is its threshold, the most servers it can use, and its duration the time it takes on that many; on fewer
it takes longer in proportion. Servers are given out (wcfs, sections 3.3 and 6)

- ``fcfs``       in order of arrival: finite-skip and work-conserving;
- ``elastic``    to larger thresholds first, ties by arrival;
- ``inelastic``  to smaller thresholds first, ties by arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.counting import ByNeed, Counting
from msj.disciplines.served_by import ServedBy
from msj.disciplines.sharing import Sharing
from msj.errors import InvalidInput
from msj.model import System
from msj.registry import nearest

ORDERS = ("fcfs", "elastic", "inelastic")


@dataclass(frozen=True, kw_only=True)
class ThresholdParallelism(Sharing):
    """Jobs on up to as many servers as they can use, in the given ``order``."""

    name: ClassVar[str] = "threshold-parallelism"
    summary: ClassVar[str] = "each job on up to its need of servers, the last on what remains; option order"
    citation: ClassVar[str] = "wcfs, section 3.3"

    order: str = "fcfs"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise InvalidInput(f"order = {self.order!r} is unknown; {nearest(str(self.order), ORDERS)}")

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.sharing:SharingEngine", rule="up-to-need", order=self.order)

    def front_model(self, system: System) -> ServedBy:
        return ServedBy("msj.fronts.threshold_parallelism:ThresholdParallelismFront")

    def why_no_front(self, system: System) -> str | None:
        if self.order != "fcfs":
            return f"threshold parallelism with order '{self.order}' may serve any job first; simulate it"
        return super().why_no_front(system)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting | None:
        if self.order == "fcfs":
            return None
        return ByNeed(servers=servers, needs=tuple(needs), larger_first=self.order == "elastic", shares=True)

    def oldest_served(self, servers: int, least_need: int) -> int | None:
        return -(-servers // least_need) if self.order == "fcfs" else None

    def least_busy_per_job(self, servers: int, least_need: int) -> float | None:
        return 1.0 / -(-servers // least_need) if self.order == "fcfs" else None


VARIANT = ThresholdParallelism
