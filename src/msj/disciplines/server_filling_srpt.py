"""ServerFilling-SRPT: ServerFilling among the jobs of least remaining size instead of the oldest.

Jobs are ordered by remaining size, need × remaining duration (ties by arrival); the shortest prefix whose needs sum to
at least k are the candidates, served largest need first. Needs and servers are powers of two. Optimal in heavy traffic
(Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Serve
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import why_not_powers_of_two
from msj.model import System


def server_filling_srpt(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Serve the largest needs of the shortest prefix, in order of remaining size, that fills all servers."""
    candidate = np.zeros(len(needs), np.bool_)
    wanted = 0
    while wanted < servers:
        least = -1
        for i in range(len(needs)):
            if not candidate[i] and (least < 0 or needs[i] * remaining[i] < needs[least] * remaining[least]):
                least = i
        if least < 0:
            break
        candidate[least] = True
        wanted += needs[least]
    free = servers
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if candidate[i] and not chosen[i] and needs[i] <= free:
                shorter = needs[i] == needs[best] and remaining[i] < remaining[best]  # best = -1 decides below
                if best < 0 or needs[i] > needs[best] or shorter:
                    best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


@dataclass(frozen=True, kw_only=True)
class ServerFillingSrpt(Restarting):
    """ServerFilling-SRPT, preemptive."""

    name: ClassVar[str] = "server-filling-srpt"
    summary: ClassVar[str] = "ServerFilling among the jobs of least remaining size; powers of two"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    preemptive: ClassVar[bool] = True
    knows_durations: ClassVar[bool] = True

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="server-filling")

    @property
    def serve(self) -> Serve:
        return server_filling_srpt

    def supports(self, system: System) -> str | None:
        return why_not_powers_of_two(system)


VARIANT = ServerFillingSrpt
