"""First-Fit-SRPT: jobs in order of remaining size, each one that still fits is served.

Remaining size is need × remaining duration; ties by arrival. Preemptive
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


def first_fit_srpt(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Serve jobs in order of remaining size, each one that still fits is served."""
    seen = np.zeros(len(needs), np.bool_)
    free = servers
    while free > 0:
        least = -1
        for i in range(len(needs)):
            if not seen[i] and (least < 0 or needs[i] * remaining[i] < needs[least] * remaining[least]):
                least = i
        if least < 0:
            break
        seen[least] = True
        if needs[least] <= free:
            chosen[least] = True
            free -= needs[least]


@dataclass(frozen=True, kw_only=True)
class FirstFitSrpt(Restarting):
    """Jobs of least remaining size first, preemptive."""

    name: ClassVar[str] = "first-fit-srpt"
    summary: ClassVar[str] = "least remaining size first; each one that still fits is served"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    preemptive: ClassVar[bool] = True
    knows_durations: ClassVar[bool] = True

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="first-fit")

    @property
    def serve(self) -> Serve:
        return first_fit_srpt


VARIANT = FirstFitSrpt
