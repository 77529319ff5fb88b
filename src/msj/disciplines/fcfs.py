"""First come, first served: jobs start in arrival order; a head that does not fit blocks all behind it.

The default of most clusters, and the policy of papers reset, twoclass and lfms (reset, section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Fills, Policy, Serve
from msj.disciplines.served_by import ServedBy
from msj.model import System


def first_come_first_served(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Serve the oldest jobs, stopping at the first that does not fit."""
    free = servers
    for i in range(len(needs)):
        if needs[i] > free:
            break
        chosen[i] = True
        free -= needs[i]


@dataclass(frozen=True, kw_only=True)
class Fcfs(Policy):
    """First come, first served, with head-of-line blocking."""

    name: ClassVar[str] = "fcfs"
    summary: ClassVar[str] = "first come, first served; a head that does not fit blocks all behind it"
    citation: ClassVar[str] = "reset, section 3.1"
    preemptive: ClassVar[bool] = False
    fills: ClassVar[Fills] = Fills.EQUAL_NEEDS

    @property
    def front(self) -> int:
        return 1

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.fcfs:FcfsEngine")

    @property
    def serve(self) -> Serve:
        return first_come_first_served


def is_fcfs(system: System) -> bool:
    """Return whether a system is a plain cluster under FCFS itself: no model, and no other rule of whatever name.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> is_fcfs(system), is_fcfs(system.replace(policy="first-fit"))
    (True, False)
    """
    return system.model is None and type(system.policy) is Fcfs


VARIANT = Fcfs
