"""Deciding by need: what Least Servers First, Most Servers First and best fit have in common."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Serve


@cache
def serve_by_need(*, larger_first: bool, preemptive: bool) -> Serve:
    """Return the plain function that serves jobs in order of need, ties by arrival, every one that still fits.

    Without preemption the running jobs keep their servers and only the others are taken in that order.
    """
    keep = not preemptive
    sign = 1 if larger_first else -1

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        free = servers
        for i in range(len(needs)):
            if keep and running[i]:
                chosen[i] = True
                free -= needs[i]
        while free > 0:
            best = -1
            for i in range(len(needs)):
                if not chosen[i] and needs[i] <= free and (best < 0 or sign * needs[i] > sign * needs[best]):
                    best = i
            if best < 0:
                break
            chosen[best] = True
            free -= needs[best]

    return serve
