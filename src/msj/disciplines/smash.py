"""SMASH(w): of the w oldest waiting jobs the largest that fits starts, again and again until none of them fits.

When a job has started, the next in line comes into the window. ``window = 1`` is FCFS; without a window it is best fit,
which is also Most Servers First without preemption. No preemption and nothing reserved. With a window nobody behind
the w-th waiting job is ever served, so it is a finite-skip model and solved exactly (``fronts.smash``).
After the public source of simulators that have it; no text of the rule was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Policy, Serve
from msj.disciplines.by_need import serve_by_need
from msj.disciplines.counting import ByNeed, Counting
from msj.disciplines.served_by import ServedBy
from msj.model import System
from msj.model.numbers import whole


@cache
def smash(window: int) -> Serve:
    """Return the plain function for a window."""

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        free = servers
        for i in range(len(needs)):
            if running[i]:
                chosen[i] = True
                free -= needs[i]
        while free > 0:
            best = -1
            seen = 0
            for i in range(len(needs)):
                if not chosen[i]:
                    seen += 1
                    if needs[i] <= free and (best < 0 or needs[i] > needs[best]):
                        best = i
                    if seen == window:
                        break
            if best < 0:
                break
            chosen[best] = True
            free -= needs[best]

    return serve


@dataclass(frozen=True, kw_only=True)
class Smash(Policy):
    """SMASH; ``window`` is how many of the oldest waiting jobs are looked at, all of them without a word."""

    name: ClassVar[str] = "smash"
    summary: ClassVar[str] = "of the w oldest waiting jobs the largest that fits starts; option window (w)"
    citation: ClassVar[str] = "after public simulators: SMASH"
    preemptive: ClassVar[bool] = False
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    window: int | None = None

    def __post_init__(self) -> None:
        if self.window is not None:
            object.__setattr__(self, "window", whole(self.window, "window"))

    @property
    def front(self) -> int | None:
        return self.window

    def front_on(self, servers: int) -> int | None:
        # Whoever starts lets one more be seen, and at least one server is left for the last.
        return None if self.window is None else self.window + servers - 1

    def oldest_served(self, servers: int, least_need: int) -> int | None:
        return None if self.window is None else servers // least_need + self.window - 1

    def engine(self, servers: int) -> ServedBy:
        if self.window is not None:
            return super().engine(servers)
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="most-first", preemptive=False)

    def front_model(self, system: System) -> ServedBy:
        return ServedBy("msj.fronts.smash:SmashFront", window=self.window)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting | None:
        if self.window is not None:
            return None
        return ByNeed(servers=servers, needs=tuple(needs), larger_first=True, preemptive=False)

    @property
    def serve(self) -> Serve:
        return serve_by_need(larger_first=True, preemptive=False) if self.window is None else smash(self.window)


VARIANT = Smash
