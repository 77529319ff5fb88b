"""DivisorFilling-SRPT: among the k jobs of least remaining size a set is served that fills all servers.

Size is need × remaining duration, ties by arrival. Of these k jobs a set whose needs sum to k is served if there is one
(with k jobs there always is, if every need divides k), else the fullest; of several the one with the most jobs of the
largest need, then of the next; within a need the shortest.
After Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022, whose DivisorFilling is read as in ``divisor_filling``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Serve
from msj.disciplines.divisor_filling import DivisorFilling
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy
from msj.model import System


@cache
def fullest_of_the_shortest(alike: bool) -> Serve:
    """Return the function that serves the fullest of the k jobs of least size; ``alike``: as if all took as long."""

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        size = min(len(needs), servers)
        candidate = np.zeros(len(needs), np.bool_)
        order = np.empty(size, np.int64)  # of the candidates: largest need first, then shortest, then oldest
        for count in range(size):
            least, size_of_least = -1, 0.0
            for i in range(len(needs)):
                its = needs[i] * (1.0 if alike else remaining[i])
                if not candidate[i] and (least < 0 or its < size_of_least):
                    least, size_of_least = i, its
            candidate[least] = True
            place = count
            while place > 0 and needs[order[place - 1]] < needs[least]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = least
        reach = np.zeros((size + 1, servers + 1), np.bool_)  # what the candidates from the i-th on can need together
        reach[size, 0] = True
        for i in range(size - 1, -1, -1):
            need = needs[order[i]]
            for c in range(servers + 1):
                reach[i, c] = reach[i + 1, c] or (c >= need and reach[i + 1, c - need])
        left = servers
        while not reach[0, left]:
            left -= 1
        for i in range(size):
            need = needs[order[i]]
            if need <= left and reach[i + 1, left - need]:
                chosen[order[i]] = True
                left -= need

    return serve


@dataclass(frozen=True, kw_only=True)
class DivisorFillingSrpt(Restarting):
    """DivisorFilling-SRPT, preemptive."""

    name: ClassVar[str] = "divisor-filling-srpt"
    summary: ClassVar[str] = "DivisorFilling among the k jobs of least remaining size; needs divide the servers"
    citation: ClassVar[str] = "after Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    preemptive: ClassVar[bool] = True
    knows_durations: ClassVar[bool] = True

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="divisor-filling")

    @property
    def serve(self) -> Serve:
        return fullest_of_the_shortest(alike=False)

    def supports(self, system: System) -> str | None:
        return DivisorFilling().supports(system)


VARIANT = DivisorFillingSrpt
