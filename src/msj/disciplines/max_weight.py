"""MaxWeight: serve by the packing that maximises the sum of N_i·z_i, N_i the jobs present with need v_i.

In the papers (wcfs, sections 4.5.2 and 6) the packings z with sum v_i·z_i <= k are not limited by how many jobs are
present; the min(z_i, N_i) oldest jobs of each need are served. ``limited = true`` asks for z_i <= N_i: it serves more.
``ties`` says which of several best packings is taken: ``random`` (the default, as in the papers), or the one with the
most jobs of the ``smallest`` or of the ``largest`` need, then of the next. Random ties are drawn in the simulation;
the plain function, which has no random numbers, then takes ``smallest``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Serve
from msj.disciplines.counting import Counting, Heaviest
from msj.disciplines.restarting import Restarting
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.registry import nearest

TIES = ("random", "smallest", "largest")


@cache
def max_weight(limited: bool, largest: bool) -> Serve:
    """Return the plain function for one variant."""

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        present = np.zeros(servers + 1, np.int64)
        for i in range(len(needs)):
            present[needs[i]] += 1
        # best[v, c]: the largest weight of packings into c servers of needs from v on, in order of preference.
        best = np.zeros((servers + 2, servers + 1), np.int64)
        for step in range(servers, 0, -1):
            v = servers + 1 - step if largest else step
            for c in range(servers + 1):
                best[step, c] = best[step + 1, c]
                if present[v] > 0:
                    most = c // v
                    if limited:
                        most = min(most, present[v])
                    for z in range(1, most + 1):
                        best[step, c] = max(best[step, c], best[step + 1, c - v * z] + z * present[v])
        left = servers
        for step in range(1, servers + 1):
            v = servers + 1 - step if largest else step
            if present[v] > 0:
                z = left // v
                if limited:
                    z = min(z, present[v])
                while best[step + 1, left - v * z] + z * present[v] < best[step, left]:
                    z -= 1
                left -= v * z
                for i in range(len(needs)):
                    if z > 0 and needs[i] == v:
                        chosen[i] = True
                        z -= 1

    return serve


@dataclass(frozen=True, kw_only=True)
class MaxWeight(Restarting):
    """MaxWeight, preemptive."""

    name: ClassVar[str] = "max-weight"
    summary: ClassVar[str] = "the packing of largest total weight, weight = jobs present of that need; preemptive"
    citation: ClassVar[str] = "wcfs, section 4.5.2"
    preemptive: ClassVar[bool] = True
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    limited: bool = False
    ties: str = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ties not in TIES:
            raise InvalidInput(f"ties = {self.ties!r} is unknown; {nearest(str(self.ties), TIES)}")

    @property
    def front(self) -> None:
        return None

    def engine(self, servers: int) -> ServedBy:
        rule = "heaviest-present" if self.limited else "heaviest"
        return ServedBy("msj.engines.by_need:ByNeedEngine", rule=rule, ties=self.ties)

    def counting(self, servers: int, needs: Sequence[int]) -> Counting:
        return Heaviest(servers=servers, needs=tuple(needs), limited=self.limited, ties=self.ties)

    @property
    def serve_is_complete(self) -> bool:
        """Random ties are drawn by its kernel."""
        return self.ties != "random"

    @property
    def serve(self) -> Serve:
        return max_weight(self.limited, self.ties == "largest")


VARIANT = MaxWeight
