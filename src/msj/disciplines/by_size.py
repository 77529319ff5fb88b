"""What the policies share that prefer jobs of least remaining size, need × remaining duration (SRPT); ties by arrival.

They must be told how long each job will take, and stop running jobs for shorter ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Serve
from msj.disciplines.restarting import Restarting


@cache
def serve_by_size(*, greedy: bool) -> Serve:
    """Return the plain function: each job that still fits or, if ``greedy``, up to the first that does not."""

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        seen = np.zeros(len(needs), np.bool_)
        free = servers
        while free > 0:
            least = -1
            for i in range(len(needs)):
                if not seen[i] and (least < 0 or needs[i] * remaining[i] < needs[least] * remaining[least]):
                    least = i
            if least < 0 or (greedy and needs[least] > free):
                break
            seen[least] = True
            if needs[least] <= free:
                chosen[least] = True
                free -= needs[least]

    return serve


@dataclass(frozen=True, kw_only=True)
class BySize(Restarting):
    """Base of the policies in order of remaining size."""

    preemptive: ClassVar[bool] = True
    knows_durations: ClassVar[bool] = True

    @property
    def front(self) -> None:
        return None
