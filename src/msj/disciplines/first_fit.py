"""First fit: jobs in order of arrival, each one that fits is served; nothing is reserved for those that do not.

With ``window`` n the search ends once n jobs have been passed over (First-Fit-n; after reset, Appendix H.1), which
makes it a finite-skip model; window 1 is FCFS. Running jobs stay unless ``preemptive`` is set; then every decision
starts from the oldest job.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Policy, Serve
from msj.disciplines.served_by import ServedBy
from msj.model.numbers import whole


@cache
def first_fit(window: int | None, preemptive: bool) -> Serve:
    """Return the plain function for a window (None: all jobs), with or without preemption."""
    most = 2**62 if window is None else window
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
        for i in range(len(needs)):
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
class FirstFit(Policy):
    """First fit over all jobs present, or until ``window`` jobs have been passed over."""

    name: ClassVar[str] = "first-fit"
    summary: ClassVar[str] = "in order of arrival, each that fits starts; options window, preemptive"
    citation: ClassVar[str] = "reset, Appendix H.1"
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    window: int | None = None
    preemptive: bool = False

    def __post_init__(self) -> None:
        if self.window is not None:
            object.__setattr__(self, "window", whole(self.window, "window"))

    @property
    def front(self) -> int | None:
        return self.window

    def engine(self, servers: int) -> ServedBy:
        if self.window is not None:  # it counts jobs passed over, whatever their need
            return super().engine(servers)
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule="first-fit", preemptive=self.preemptive)

    @property
    def serve(self) -> Serve:
        return first_fit(self.window, self.preemptive)


VARIANT = FirstFit
