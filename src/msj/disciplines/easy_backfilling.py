"""EASY backfilling: first come, first served, but jobs may overtake if they do not delay the head of the line.

The head of the line gets a reservation: the moment (by the run time estimates) at which enough servers will be free.
A job behind it starts now if it fits now and either ends, by its estimate, before that moment, or takes only servers
that the head will not need then. No preemption (Lifka 1995; Mu'alem and Feitelson 2001; wcfs, section 4.5.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Serve
from msj.disciplines.run_time_estimates import RunTimeEstimates
from msj.disciplines.served_by import ServedBy


def easy_backfilling(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Start from the head while jobs fit; then start those that do not delay the first that does not."""
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    head = 0
    while head < len(needs) and (running[head] or needs[head] <= free):
        if not running[head]:
            chosen[head] = True
            free -= needs[head]
        head += 1
    if head == len(needs):
        return
    shadow = np.inf  # when the head will start
    extra = 0  # servers it will leave free then
    for i in range(len(needs)):
        if chosen[i] and remaining[i] < shadow:
            then = free
            for j in range(len(needs)):
                if chosen[j] and remaining[j] <= remaining[i]:
                    then += needs[j]
            if then >= needs[head]:
                shadow = remaining[i]
                extra = then - needs[head]
    for i in range(head + 1, len(needs)):
        if not chosen[i] and needs[i] <= free and (remaining[i] <= shadow or needs[i] <= extra):
            chosen[i] = True
            free -= needs[i]
            if remaining[i] > shadow:
                extra -= needs[i]


@dataclass(frozen=True, kw_only=True)
class EasyBackfilling(RunTimeEstimates):
    """EASY backfilling with run time estimates (options ``factor`` and ``round_up_to``)."""

    name: ClassVar[str] = "easy-backfilling"
    summary: ClassVar[str] = "jobs overtake if that does not delay the head of the line; options factor, round_up_to"
    citation: ClassVar[str] = "wcfs, section 4.5.3"
    preemptive: ClassVar[bool] = False
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.easy:EasyEngine", estimated=self.estimated)

    @property
    def serve(self) -> Serve:
        return easy_backfilling


VARIANT = EasyBackfilling
