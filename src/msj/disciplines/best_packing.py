"""Best packing: of the ``window`` oldest waiting jobs, start those that fill the free servers best.

Running jobs stay. Among the subsets of the ``window`` oldest waiting jobs that fit into the free servers, the one with
the largest total need starts; of several such the one with the older jobs: the oldest has a part in it if it has a part
in any, then the next, and so on. Nobody left in the window fits then. Those who take the empty places are taken as
first fit does, one after the other: each that fits starts, until ``window`` jobs have been passed over. Window 1 is
FCFS.

With ``preemptive`` nobody stays: after every change the ``window`` oldest jobs are packed anew and no other is served.
This is the packing policy of reset, Appendix H.1; there n is the window, and without preemption the policy above is
its counterpart, which counts only jobs that wait, as first fit's window does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Serve
from msj.disciplines.restarting import Restarting
from msj.model.numbers import whole


@cache
def best_packing(window: int, preemptive: bool) -> Serve:
    """Return the plain function for a window, with or without preemption."""
    keep = not preemptive

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
        candidates = np.zeros(window, dtype=np.int64)
        count = 0
        for i in range(len(needs)):
            if not chosen[i] and count < window:
                candidates[count] = i
                count += 1
        # reaches[j, s]: whether needs from the j-th candidate on can sum to s; so the oldest can be asked first.
        reaches = np.zeros((count + 1, free + 1), dtype=np.bool_)
        reaches[count, 0] = True
        for j in range(count - 1, -1, -1):
            need = needs[candidates[j]]
            for total in range(free + 1):
                if reaches[j + 1, total] or (total >= need and reaches[j + 1, total - need]):
                    reaches[j, total] = True
        best = free
        while not reaches[0, best]:
            best -= 1
        passed_over = 0
        for j in range(count):
            need = needs[candidates[j]]
            if need <= best and reaches[j + 1, best - need]:
                chosen[candidates[j]] = True
                best -= need
                free -= need
            else:
                passed_over += 1
        if keep and 0 < count == window:
            for i in range(candidates[count - 1] + 1, len(needs)):
                if passed_over >= window:
                    break
                if not chosen[i]:
                    if needs[i] <= free:
                        chosen[i] = True
                        free -= needs[i]
                    else:
                        passed_over += 1

    return serve


@dataclass(frozen=True, kw_only=True)
class BestPacking(Restarting):
    """The best packing of the free servers from the ``window`` oldest waiting jobs."""

    name: ClassVar[str] = "best-packing"
    summary: ClassVar[str] = "of the oldest waiting jobs those that fill the servers best; options window, preemptive"
    citation: ClassVar[str] = "reset, Appendix H.1"
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    window: int = 4
    preemptive: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "window", whole(self.window, "window"))

    @property
    def front(self) -> int | None:
        return None if self.preemptive else self.window

    def front_on(self, servers: int) -> int:
        return self.window

    def fills_on(self, servers: int, least_need: int) -> Fills:
        # With preemption nobody outside the window is served, and it may be too short for all servers.
        return Fills.UNKNOWN if self.preemptive and self.window * least_need < servers else self.fills

    @property
    def serve(self) -> Serve:
        return best_packing(self.window, self.preemptive)


VARIANT = BestPacking
