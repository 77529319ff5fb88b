"""Best fit without preemption: whenever servers become free, the largest waiting job that fits starts.

Ties go to the older job. Nothing is reserved, so a large job may wait long while small ones pass it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.policies.base import Policy, Serve


def best_fit(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Keep what runs; then start the largest job that fits, again and again."""
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    while free > 0:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and (best < 0 or needs[i] > needs[best]):
                best = i
        if best < 0:
            break
        chosen[best] = True
        free -= needs[best]


@dataclass(frozen=True, kw_only=True)
class BestFit(Policy):
    """Best fit, not preemptive."""

    name: ClassVar[str] = "best-fit"
    summary: ClassVar[str] = "the largest waiting job that fits starts first; no preemption"
    citation: ClassVar[str] = "reset, Appendix H.1"
    preemptive: ClassVar[bool] = False

    @property
    def front(self) -> None:
        return None

    @property
    def serve(self) -> Serve:
        return best_fit


VARIANT = BestFit
