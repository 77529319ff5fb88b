"""ServerFilling-Gittins: ServerFilling with the jobs of least Gittins rank in front; needs and servers powers of two.

Jobs in order of need × Gittins rank of their age, ties by arrival; of the shortest beginning of that order whose needs
sum to at least k the largest needs are served, as under ServerFilling-SRPT. It needs the laws of the durations, not the
durations. For exponential laws the rank is need × mean: a fixed priority.
After texts about the policy (Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Serve
from msj.disciplines.by_gittins import ByGittins
from msj.disciplines.filling import serve_filling
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import why_not_powers_of_two
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class ServerFillingGittins(ByGittins):
    """ServerFilling-Gittins, preemptive."""

    name: ClassVar[str] = "server-filling-gittins"
    summary: ClassVar[str] = (
        "ServerFilling among the jobs of least Gittins rank (laws known, not durations); powers of two"
    )
    citation: ClassVar[str] = "after Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    serve_is_complete: ClassVar[bool] = False

    def engine(self, servers: int) -> ServedBy:
        return self.ranked("server-filling")

    @property
    def serve(self) -> Serve:
        return serve_filling("need", exactly=False)  # the order of rank where all laws are the same

    def supports(self, system: System) -> str | None:
        return why_not_powers_of_two(system)


VARIANT = ServerFillingGittins
