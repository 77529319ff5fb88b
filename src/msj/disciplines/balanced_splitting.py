"""Balanced splitting: each need owns servers in proportion to its work, and the rest help, first come first served.

With q_v the share of the work that jobs of need v bring, need v owns v·floor(psi·(k/v)·q_v) servers; what is left are
helpers. In order of arrival a job takes servers of its own need if enough are free, else helpers, if nobody who waits
for helpers came before it, else it waits; own servers that become free take the oldest waiting job of their need.
``psi`` is the share of the cluster that is split; ``owned`` (pairs of a need and its servers) says it outright.
Classes of one need are one here. Where no arrival rates are known (a log) nobody owns servers, which is FCFS.
After public source; the paper is Anselmi and Doncel 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Self

from msj.disciplines.base import Policy, Serve
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import Number, number


@dataclass(frozen=True, kw_only=True)
class BalancedSplitting(Policy):
    """Servers of one's own, and helpers."""

    name: ClassVar[str] = "balanced-splitting"
    summary: ClassVar[str] = "each need owns servers in proportion to its work, the rest serve FCFS; option psi"
    citation: ClassVar[str] = "after Anselmi and Doncel 2024 (balanced splitting)"
    preemptive: ClassVar[bool] = False
    serve_is_complete: ClassVar[bool] = False

    psi: Number = field(default=0.9)
    owned: tuple[tuple[int, int], ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "psi", number(self.psi, "psi"))
        if not 0 <= self.psi <= 1:
            raise InvalidInput(f"psi = {self.psi} must be between 0 (all servers help) and 1; give a share such as 0.9")
        object.__setattr__(self, "owned", tuple((int(need), int(count)) for need, count in self.owned))

    @property
    def front(self) -> None:
        return None

    def on(self, system: System) -> Self:
        if self.owned:
            return self
        work: dict[int, float] = {}
        for c in system.active_classes:
            work[c.need] = work.get(c.need, 0.0) + float(c.share) * c.need * float(c.duration.mean)
        share = float(self.psi) * system.servers / math.fsum(work.values())
        rounding = 1e-12  # a whole number of blocks is not cut by rounding
        owned = tuple((v, v * math.floor(share * q / v * (1 + rounding))) for v, q in sorted(work.items()))
        return self.replace(owned=owned)

    def supports(self, system: System) -> str | None:
        owned = dict(self.on(system).owned)
        helpers = system.servers - sum(owned.values())
        if helpers < 0:
            return f"owned = {owned} is more than servers = {system.servers}; own fewer"
        for c in system.active_classes:
            if max(owned.get(c.need, 0), helpers) < c.need:
                return (
                    f"class '{c.name}' needs {c.need} servers, owns {owned.get(c.need, 0)}, and {helpers} help, so "
                    f"it would wait for ever; lower psi = {self.psi}"
                )
        return None

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.splitting:SplittingEngine", owned=self.owned)

    @property
    def serve(self) -> Serve:
        return Fcfs().serve  # where nobody owns servers


VARIANT = BalancedSplitting
