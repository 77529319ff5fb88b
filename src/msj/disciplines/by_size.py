"""What the policies share that prefer jobs of least remaining size, need × remaining duration (SRPT); ties by arrival.

They must be told how long each job will take, and stop running jobs for shorter ones. With ``oldest`` n only the n
oldest jobs in the system are looked at. Where every job needs all servers that is the known-size policy of wcfs,
section 2.3: the job of least remaining size among the n in the front is served, at rate 1. It is work-conserving and
finite-skip, and as a job's class is its size, rem_sup = sup S: bounds hold where durations are bounded.
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
from msj.model import System
from msj.model.numbers import whole


@cache
def serve_by_size(*, greedy: bool, oldest: int | None = None) -> Serve:
    """Return the plain function: each job that still fits or, if ``greedy``, up to the first that does not.

    With ``oldest``, of so many of the oldest jobs.
    """
    most = 2**62 if oldest is None else oldest

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
            for i in range(min(len(needs), most)):
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


@dataclass(frozen=True, kw_only=True)
class AmongOldest(BySize):
    """Base of those that may be held to the ``oldest`` jobs in the system."""

    #: Whether the first job that does not fit ends the search.
    greedy: ClassVar[bool]
    #: With as many jobs of one need as fill the servers, the shortest of them do.
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS_IN_ANY_ORDER

    oldest: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.oldest is not None:
            object.__setattr__(self, "oldest", whole(self.oldest, "oldest"))

    @property
    def serve(self) -> Serve:
        return serve_by_size(greedy=self.greedy, oldest=self.oldest)

    @property
    def front(self) -> int | None:  # type: ignore[override]
        return self.oldest

    def engine(self, servers: int) -> ServedBy:
        if self.oldest is not None:  # who is looked at depends on age
            return super().engine(servers)
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="greedy" if self.greedy else "first-fit")

    def fills_on(self, servers: int, least_need: int) -> Fills:
        return Fills.UNKNOWN if self.oldest is not None and self.oldest < servers // least_need else self.fills

    def oldest_served(self, servers: int, least_need: int) -> int | None:
        return self.oldest

    def front_model(self, system: System) -> ServedBy | None:
        # One job is the shortest of one, whatever remains of it.
        return ServedBy("msj.fronts.oldest:OldestFront", oldest=1) if self.oldest == 1 else None

    def why_no_front(self, system: System) -> str | None:
        if self.oldest is not None and self.oldest > 1:
            return f"policy '{self.name}' compares remaining durations, which no finite chain remembers; simulate it"
        return super().why_no_front(system)
