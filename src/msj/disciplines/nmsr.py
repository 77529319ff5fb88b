"""nMSR: MSR without preemption.

After a change to packing u a job of need i starts only while fewer than u_i of its need are in service and it fits.
While more are in service than the packing has places for, the clock of the next change stands still: they finish
first. Options and defaults: ``disciplines.service_rates``. Simulated only.
After public source of the authors of Chen, Grosof and Berg 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Serve
from msj.disciplines.by_need import serve_by_need
from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.served_by import ServedBy
from msj.disciplines.service_rates import ServiceRates
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class Nmsr(ServiceRates):
    """Packings that take turns, not preemptive."""

    name: ClassVar[str] = "nmsr"
    summary: ClassVar[str] = "packings take turns, no preemption; options packings, shares, cycle (see msj design)"
    citation: ClassVar[str] = "after Chen, Grosof and Berg 2024 (nMSR)"
    preemptive: ClassVar[bool] = False
    serve_is_complete: ClassVar[bool] = False

    def engine(self, servers: int) -> ServedBy:
        return self.served_by_turns()

    def capacity_processes(self, system: System) -> tuple[CapacityProcess, ...]:
        return self.capacity_by_need(system)

    def relaxation_time(self, system: System) -> float:
        return self.longest_turn(system)

    @property
    def serve(self) -> Serve:
        return serve_by_need(larger_first=True, preemptive=False)  # a plain function has no clock


VARIANT = Nmsr
