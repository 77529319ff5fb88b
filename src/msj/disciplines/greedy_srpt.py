"""Greedy SRPT: jobs in order of remaining size, up to the first that does not fit.

Remaining size is need × remaining duration; ties by arrival. With needs of 1 this is SRPT on k servers. Preemptive
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


def greedy_srpt(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Serve jobs in order of remaining size, up to the first that does not fit."""
    seen = np.zeros(len(needs), np.bool_)
    free = servers
    while free > 0:
        least = -1
        for i in range(len(needs)):
            if not seen[i] and (least < 0 or needs[i] * remaining[i] < needs[least] * remaining[least]):
                least = i
        if least < 0 or needs[least] > free:
            break
        seen[least] = True
        chosen[least] = True
        free -= needs[least]


@dataclass(frozen=True, kw_only=True)
class GreedySrpt(Restarting):
    """Jobs of least remaining size first, preemptive."""

    name: ClassVar[str] = "greedy-srpt"
    summary: ClassVar[str] = "least remaining size first; up to the first that does not fit"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    preemptive: ClassVar[bool] = True
    knows_durations: ClassVar[bool] = True

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="greedy")

    @property
    def serve(self) -> Serve:
        return greedy_srpt


VARIANT = GreedySrpt
