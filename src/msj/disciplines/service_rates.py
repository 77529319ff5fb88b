"""What MSR and nMSR share: packings that take turns, and how long each of them lasts.

A packing says how many jobs of each need may be in service. The packings take turns in a fixed cycle; packing j lasts
an exponential time of mean ``cycle`` × alpha_j, alpha the ``shares`` of the time. With packings u^j this serves need i
on sum_j alpha_j·u^j_i places on average, so it takes lambda* = min over i of sum_j alpha_j·u^j_i·mu_i/p_i; the best
packings and shares are a linear programme (``msj design``). Without packings each need has the cluster for itself in
turn, as long as its share of the work asks for. Jobs of one need are one kind, whatever their class.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from msj.disciplines.base import Policy
from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System
from msj.model.durations import Exponential
from msj.model.environments.base import ANY, Component
from msj.model.numbers import Number, positive, whole

LASTS = 10  # a cycle, in mean durations, where nobody says


@dataclass(frozen=True, kw_only=True)
class ServiceRates(Policy):
    """Options of both: ``packings`` (jobs by ascending need), their ``shares`` of the time, the mean ``cycle``."""

    time_powers: ClassVar[Mapping[str, int]] = {"cycle": 1}

    packings: tuple[tuple[int, ...], ...] = field(default=())
    shares: tuple[Number, ...] = field(default=())
    cycle: Number | None = None

    def __post_init__(self) -> None:
        rows = tuple(tuple(whole(n, "packings", least=0) for n in row) for row in self.packings)
        shares = tuple(positive(share, "shares") for share in self.shares)
        if len(rows) != len(shares):
            raise InvalidInput(f"{len(rows)} packings and {len(shares)} shares are given; give as many of both")
        if len({len(row) for row in rows}) > 1:
            raise InvalidInput(
                f"packings = {[list(row) for row in rows]} differ in length; give one number for each need"
            )
        object.__setattr__(self, "packings", rows)
        object.__setattr__(self, "shares", shares)
        if self.cycle is not None:
            object.__setattr__(self, "cycle", positive(self.cycle, "cycle"))

    @property
    def front(self) -> None:
        return None

    def least_busy(self, servers: int, least_need: int) -> tuple[None, str]:
        return None, f"policy '{self.name}' serves those its packing names, so all servers may stand idle"

    def on(self, system: System) -> Self:
        needs = sorted({c.need for c in system.active_classes})
        work = dict.fromkeys(needs, 0.0)
        for c in system.active_classes:
            work[c.need] += float(c.share) * float(c.duration.mean)
        chosen = self
        if not self.packings:
            parts = [work[v] / (system.servers // v) for v in needs]
            chosen = chosen.replace(
                packings=alone_in_turn(needs, system.servers), shares=tuple(part / math.fsum(parts) for part in parts)
            )
        if self.cycle is None:
            chosen = chosen.replace(cycle=LASTS * math.fsum(work.values()))
        return chosen

    def supports(self, system: System) -> str | None:
        needs = sorted({c.need for c in system.active_classes})
        chosen = self.on(system)
        for row in chosen.packings:
            if len(row) != len(needs):
                return f"packing {list(row)} has {len(row)} numbers and there are {len(needs)} needs, {needs}; one each"
            used = sum(n * v for n, v in zip(row, needs, strict=True))
            if used > system.servers:
                return f"packing {list(row)} of needs {needs} takes {used} of {system.servers} servers; make it smaller"
        for i, v in enumerate(needs):
            if not any(row[i] for row in chosen.packings):
                return f"no packing serves need {v}; add one that does (msj design finds some)"
        return None

    def mean_stays(self) -> tuple[float, ...]:
        """Return how long each packing lasts on average."""
        total = math.fsum(float(share) for share in self.shares)
        return tuple(float(self.cycle or LASTS) * float(share) / total for share in self.shares)

    def capacity_by_need(self, system: System) -> tuple[CapacityProcess, ...]:
        """Return what the turns give to each need."""
        chosen = self.on(system)
        needs = sorted({c.need for c in system.active_classes})
        turns = len(chosen.packings)
        jump = tuple(tuple(float(j == (i + 1) % turns) for j in range(turns)) for i in range(turns))
        component = Component(
            sojourn=tuple(Exponential(mean=stay) for stay in chosen.mean_stays()),
            jump=jump,
            taken=((0,),) * turns,
            speed=(1.0,) * turns,
            hits=ANY,
        )
        if turns < 2:
            return ()
        return tuple(
            CapacityProcess(
                component=component,
                capacity=tuple(float(row[i] * need) for row in chosen.packings),
                needs=frozenset({need}),
            )
            for i, need in enumerate(needs)
        )

    def longest_turn(self, system: System) -> float:
        """Return how long the longest turn lasts on average."""
        return max(self.on(system).mean_stays())

    def served_by_turns(self, **options: Any) -> ServedBy:
        """Return the engine; each of the policies names it itself, for it belongs to its rule."""
        return ServedBy(
            "msj.engines.msr:MsrEngine",
            packings=self.packings,
            stays=self.mean_stays(),
            preemptive=self.preemptive,
            **options,
        )


def alone_in_turn(needs: Sequence[int], servers: int) -> tuple[tuple[int, ...], ...]:
    """Return the packings in which each need has the cluster for itself."""
    return tuple(tuple(servers // v if v == mine else 0 for v in needs) for mine in needs)
