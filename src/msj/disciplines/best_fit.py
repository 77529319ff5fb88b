"""Best fit without preemption: whenever servers become free, the largest waiting job that fits starts.

Ties go to the older job. Nothing is reserved, so a large job may wait long while small ones pass it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills, Policy, Serve
from msj.disciplines.by_need import serve_by_need
from msj.disciplines.counting import ByNeed, Counting
from msj.disciplines.served_by import ServedBy


@dataclass(frozen=True, kw_only=True)
class BestFit(Policy):
    """Best fit, not preemptive."""

    name: ClassVar[str] = "best-fit"
    summary: ClassVar[str] = "the largest waiting job that fits starts first; no preemption"
    citation: ClassVar[str] = "reset, Appendix H.1"
    preemptive: ClassVar[bool] = False
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="most-first", preemptive=False)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting:
        return ByNeed(servers=servers, needs=tuple(needs), larger_first=True, preemptive=self.preemptive)

    @property
    def serve(self) -> Serve:
        return serve_by_need(larger_first=True, preemptive=self.preemptive)


VARIANT = BestFit
