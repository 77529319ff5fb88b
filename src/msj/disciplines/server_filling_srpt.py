"""ServerFilling-SRPT: ServerFilling among the jobs of least remaining size instead of the oldest.

Jobs are ordered by remaining size, need × remaining duration (ties by arrival); the shortest prefix whose needs sum to
at least k are the candidates, served largest need first. Needs and servers are powers of two. Optimal in heavy traffic
(Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Serve
from msj.disciplines.by_size import BySize
from msj.disciplines.filling import serve_filling
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import why_not_powers_of_two
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class ServerFillingSrpt(BySize):
    """ServerFilling-SRPT, preemptive."""

    name: ClassVar[str] = "server-filling-srpt"
    summary: ClassVar[str] = "ServerFilling among the jobs of least remaining size; powers of two"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="server-filling")

    @property
    def serve(self) -> Serve:
        return serve_filling("size", exactly=False)

    def supports(self, system: System) -> str | None:
        return why_not_powers_of_two(system)


VARIANT = ServerFillingSrpt
