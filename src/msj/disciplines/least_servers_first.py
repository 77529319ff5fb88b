"""Least Servers First: jobs in order of need, the smaller first, ties by arrival; every one that still fits is served.

Preemptive in the papers (wcfs, section 6: "in all cases, prioritisation is preemptive"); as an option it is not, and
then running jobs stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Fills, Serve
from msj.disciplines.by_need import serve_by_need
from msj.disciplines.counting import ByNeed, Counting
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy


@dataclass(frozen=True, kw_only=True)
class LeastServersFirst(Restarting):
    """Least Servers First."""

    name: ClassVar[str] = "least-servers-first"
    summary: ClassVar[str] = "jobs that need few servers first, ties by arrival; preemptive unless preemptive = false"
    citation: ClassVar[str] = "wcfs, section 6"
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS
    preemptive: bool = True

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="least-first", preemptive=self.preemptive)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting:
        return ByNeed(servers=servers, needs=tuple(needs), larger_first=False, preemptive=self.preemptive)

    @property
    def serve(self) -> Serve:
        return serve_by_need(larger_first=False, preemptive=self.preemptive)


VARIANT = LeastServersFirst
