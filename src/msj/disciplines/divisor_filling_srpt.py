"""DivisorFilling-SRPT: among the k jobs of least remaining size a set is served that fills all servers.

Size is need × remaining duration, ties by arrival. Of these k jobs a set whose needs sum to k is served if there is one
(with k jobs there always is, if every need divides k), else the fullest; of several the one with the most jobs of the
largest need, then of the next; within a need the shortest.
After Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022, whose DivisorFilling is read as in ``divisor_filling``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Serve
from msj.disciplines.by_size import BySize
from msj.disciplines.divisor_filling import why_not_divisors
from msj.disciplines.filling import serve_filling
from msj.disciplines.served_by import ServedBy
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class DivisorFillingSrpt(BySize):
    """DivisorFilling-SRPT, preemptive."""

    name: ClassVar[str] = "divisor-filling-srpt"
    summary: ClassVar[str] = "DivisorFilling among the k jobs of least remaining size; needs divide the servers"
    citation: ClassVar[str] = "after Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="divisor-filling")

    @property
    def serve(self) -> Serve:
        return serve_filling("size", exactly=True)

    def supports(self, system: System) -> str | None:
        return why_not_divisors(system)


VARIANT = DivisorFillingSrpt
