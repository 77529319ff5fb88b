"""MSR, Markovian service rate: packings take turns, whoever is present; with preemption.

While packing u lasts, the oldest min(n_i, u_i) jobs of each need are served. The needs do not see each other, so each
is a queue whose service rate changes from outside, and for exponential durations it is solved exactly
(``analysis.service_rates``). With ``fill`` servers that the packing leaves idle serve whoever fits, the largest needs
first; then they are coupled and simulated. Options and defaults: ``disciplines.service_rates``.
After public source of the authors of Chen, Grosof and Berg 2024; the chain of packings is here a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Serve
from msj.disciplines.by_need import serve_by_need
from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.served_by import ServedBy
from msj.disciplines.service_rates import ServiceRates
from msj.model import System


@cache
def first_packing(packing: tuple[int, ...]) -> Serve:
    """Return who is served while the first packing lasts; by need, largest first, where none is given."""
    if not packing:
        return serve_by_need(larger_first=True, preemptive=True)

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        for need, places in zip(np.unique(needs), packing, strict=False):
            chosen[np.flatnonzero(needs == need)[:places]] = True

    return serve


@dataclass(frozen=True, kw_only=True)
class Msr(ServiceRates):
    """Packings that take turns, preemptive."""

    name: ClassVar[str] = "msr"
    summary: ClassVar[str] = "packings take turns, preemptive; options packings, shares, cycle, fill (see msj design)"
    citation: ClassVar[str] = "after Chen, Grosof and Berg 2024 (MSR)"
    preemptive: ClassVar[bool] = True
    serve_is_complete: ClassVar[bool] = False
    why_no_restart: ClassVar[str] = "stops jobs by the clock, so that one longer than a turn might never be through"

    fill: bool = False

    def engine(self, servers: int) -> ServedBy:
        return self.served_by_turns(fill=self.fill)

    def capacity_processes(self, system: System) -> tuple[CapacityProcess, ...]:
        return () if self.fill else self.capacity_by_need(system)

    def relaxation_time(self, system: System) -> float:
        return self.longest_turn(system)

    @property
    def serve(self) -> Serve:
        return first_packing(self.packings[0] if self.packings else ())


VARIANT = Msr
