"""Conservative backfilling: jobs may overtake only if they delay none of those ahead of them.

At every event all waiting jobs are planned anew in order of arrival: each gets the earliest time, by the run time
estimates, at which its servers are free for as long as it needs them, given the jobs running and those planned
before it. Those planned for now start. No preemption (Mu'alem and Feitelson 2001; wcfs, section 4.5.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Serve
from msj.disciplines.run_time_estimates import RunTimeEstimates


def conservative_backfilling(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Plan every job in order of arrival, those running first; start those planned for now."""
    # Servers free from time[j] until time[j + 1], counted from now.
    time = np.empty(2 * len(needs) + 2)
    free = np.empty(2 * len(needs) + 2, np.int64)
    time[0], free[0], steps = 0.0, servers, 1
    idle = servers
    for turn in range(2):
        for i in range(len(needs)):
            if running[i] != (turn == 0):
                continue
            if turn == 1 and idle == 0:
                return  # nobody else can start now, whatever the plan
            first = 0
            while turn == 1:  # the first step from which there is room for long enough
                blocked = -1
                for j in range(first, steps):
                    if j > first and time[j] >= time[first] + remaining[i]:
                        break
                    if free[j] < needs[i]:
                        blocked = j
                        break
                if blocked < 0:
                    break
                first = blocked + 1
            begin = time[first]
            end = begin + remaining[i]
            last = first
            while last < steps and time[last] < end:
                last += 1
            if last == steps or time[last] > end:  # split the step in which the job ends
                for j in range(steps, last, -1):
                    time[j], free[j] = time[j - 1], free[j - 1]
                time[last], free[last] = end, free[last - 1]
                steps += 1
            for j in range(first, last):
                free[j] -= needs[i]
            if begin == 0.0 and needs[i] <= idle:  # a job that ends this very moment may not have left yet
                chosen[i] = True
                idle -= needs[i]


@dataclass(frozen=True, kw_only=True)
class ConservativeBackfilling(RunTimeEstimates):
    """Conservative backfilling with run time estimates (options ``factor`` and ``round_up_to``)."""

    name: ClassVar[str] = "conservative-backfilling"
    summary: ClassVar[str] = "jobs overtake if that delays none ahead of them; options factor, round_up_to"
    citation: ClassVar[str] = "wcfs, section 4.5.3"
    preemptive: ClassVar[bool] = False
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    @property
    def front(self) -> None:
        return None

    @property
    def serve(self) -> Serve:
        return conservative_backfilling


VARIANT = ConservativeBackfilling
