"""First fit: jobs in order of arrival, each one that fits is served; nothing is reserved for those that do not.

With ``window`` n the search ends once n jobs have been passed over (First-Fit-n; after reset, Appendix H.1), which
makes it a finite-skip model; window 1 is FCFS. With ``oldest`` n only the n oldest jobs in the system, in service or
not, are looked at: First-Fit-k as the appendix words it. Running jobs stay unless ``preemptive`` is set; then every
decision starts from the oldest job.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Serve
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import whole


@cache
def first_fit(window: int | None, preemptive: bool, oldest: int | None = None) -> Serve:
    """Return the plain function for a window (None: all jobs), with or without preemption."""
    most = 2**62 if window is None else window
    last = 2**62 if oldest is None else oldest
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
        passed_over = 0
        for i in range(min(len(needs), last)):
            if chosen[i]:
                continue
            if needs[i] <= free:
                chosen[i] = True
                free -= needs[i]
            else:
                passed_over += 1
                if passed_over >= most:
                    break

    return serve


@dataclass(frozen=True, kw_only=True)
class FirstFit(Restarting):
    """First fit over all jobs present, the ``oldest`` of them, or until ``window`` have been passed over."""

    name: ClassVar[str] = "first-fit"
    summary: ClassVar[str] = "in order of arrival, each that fits starts; options window, oldest, preemptive"
    citation: ClassVar[str] = "reset, Appendix H.1"
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    window: int | None = None
    preemptive: bool = False
    oldest: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.oldest is not None:
            object.__setattr__(self, "oldest", whole(self.oldest, "oldest"))
            if self.window is not None:
                raise InvalidInput(f"window = {self.window} and oldest = {self.oldest} are both given; choose one")
        if self.window is not None:
            object.__setattr__(self, "window", whole(self.window, "window"))

    @property
    def front(self) -> int | None:
        return self.window if self.oldest is None else self.oldest

    def oldest_served(self, servers: int, least_need: int) -> int | None:
        return super().oldest_served(servers, least_need) if self.oldest is None else self.oldest

    def fills_on(self, servers: int, least_need: int) -> Fills:
        return Fills.UNKNOWN if self.oldest is not None and self.oldest < servers // least_need else self.fills

    def front_model(self, system: System) -> ServedBy | None:
        if self.oldest is None:
            return super().front_model(system)
        return ServedBy("msj.fronts.oldest:OldestFront", oldest=self.oldest)

    def engine(self, servers: int) -> ServedBy:
        if self.front is not None:  # it counts jobs, whatever their need
            return super().engine(servers)
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="first-fit", preemptive=self.preemptive)

    @property
    def serve(self) -> Serve:
        return first_fit(self.window, self.preemptive, self.oldest)


VARIANT = FirstFit
