"""DivisorFilling-Gittins: as DivisorFilling-SRPT, in order of need × Gittins rank instead of remaining size.

It needs the laws of the durations, not the durations (``gittins_rank``). After Grosof, Scully, Harchol-Balter and
Scheller-Wolf 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Serve
from msj.disciplines.by_gittins import ByGittins
from msj.disciplines.divisor_filling import why_not_divisors
from msj.disciplines.filling import serve_filling
from msj.disciplines.served_by import ServedBy
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class DivisorFillingGittins(ByGittins):
    """DivisorFilling-Gittins, preemptive."""

    name: ClassVar[str] = "divisor-filling-gittins"
    summary: ClassVar[str] = (
        "DivisorFilling among the k jobs of least Gittins rank (laws known); needs divide the servers"
    )
    citation: ClassVar[str] = "after Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    serve_is_complete: ClassVar[bool] = False

    def engine(self, servers: int) -> ServedBy:
        return self.ranked("divisor-filling")

    @property
    def serve(self) -> Serve:
        return serve_filling("need", exactly=True)  # the order of rank where all laws are the same

    def supports(self, system: System) -> str | None:
        return why_not_divisors(system)


VARIANT = DivisorFillingGittins
