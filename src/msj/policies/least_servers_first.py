"""Least Servers First: jobs in order of need, the smaller first, ties by arrival; every one that still fits is served.

Preemptive in the papers (wcfs, section 6: "in all cases, prioritisation is preemptive"); as an option it is not, and
then running jobs stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.policies.base import Policy, Serve


def least_servers_first(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Serve jobs in order of need, smaller first, as long as they fit."""
    free = servers
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and (best < 0 or needs[i] < needs[best]):
                best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


def least_servers_first_keeping_those_that_run(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Keep what runs; then start jobs in order of need, smaller first, as long as they fit."""
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and (best < 0 or needs[i] < needs[best]):
                best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


@dataclass(frozen=True, kw_only=True)
class LeastServersFirst(Policy):
    """Least Servers First."""

    name: ClassVar[str] = "least-servers-first"
    summary: ClassVar[str] = "jobs that need few servers first, ties by arrival; preemptive unless preemptive = false"
    citation: ClassVar[str] = "wcfs, section 6"
    preemptive: bool = True

    @property
    def front(self) -> None:
        return None

    @property
    def serve(self) -> Serve:
        return least_servers_first if self.preemptive else least_servers_first_keeping_those_that_run


VARIANT = LeastServersFirst
