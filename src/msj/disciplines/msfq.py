"""MSFQ(l), Most Servers First with quickswap, where jobs need one server or all of them.

Jobs that need all servers are served until none is left; then jobs of need 1 until at most l of them are left; then
nobody starts until those in service are through, and it begins again. ``threshold`` is l, by default servers − 1; with
l = 0 it is Most Servers First without preemption. ``drain`` says when nobody starts any more: ``always`` once at most l
are left, or only while a job that needs all servers is ``waiting`` for them (the default: else servers idle for
nobody). Those who find less than l jobs when their turn comes all start, and drain.
After texts about the policy and public source; the paper (Chen, Anggraito, Olliaro, Marin,
Ajmone Marsan, Berg and Grosof 2025) was not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from msj.disciplines.remembering import Decide, Remembering, Whole
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import whole
from msj.registry import nearest

DRAINS = ("waiting", "always")
LARGE, SMALL, DRAINING = range(3)  # whose turn it is


@cache
def msfq(threshold: int, always: bool) -> Decide:
    """Return the plain function; a threshold below 0 means servers − 1."""

    def decide(needs: Whole, present: Whole, running: Whole, servers: int, memory: Whole) -> None:
        last = len(needs) - 1
        large = last if last >= 0 and needs[last] == servers and servers > 1 else -1
        left = servers - 1 if threshold < 0 else threshold
        small, serving, free = 0, 0, servers
        for g in range(len(needs)):
            free -= needs[g] * running[g]
            if g != large:
                small += present[g]
                serving += running[g]
        waits = large >= 0 and present[large] > running[large]
        if small == 0 and not waits:
            if large < 0 or running[large] == 0:
                memory[0] = LARGE
            return
        while True:
            if memory[0] == DRAINING:
                if serving > 0:
                    return
                memory[0] = LARGE
            if memory[0] == LARGE:
                if large >= 0 and present[large] > 0:
                    if free == servers:
                        running[large] += 1
                    return
                memory[0] = SMALL
            for step in range(len(needs)):
                g = last - step
                if g != large:
                    starts = min(present[g] - running[g], free // needs[g])
                    running[g] += starts
                    serving += starts
                    free -= starts * needs[g]
            if small <= left and (always or waits):
                memory[0] = DRAINING
                if serving == 0:
                    continue
            return

    return decide


@dataclass(frozen=True, kw_only=True)
class Msfq(Remembering):
    """MSFQ; needs 1 and all servers only."""

    name: ClassVar[str] = "msfq"
    summary: ClassVar[str] = "jobs of need k, then of need 1 until l are left, then drain; options threshold (l), drain"
    citation: ClassVar[str] = "after Chen, Anggraito and others 2025 (quickswap)"
    modes: ClassVar[int] = 3
    takes_turns: ClassVar[bool] = True

    threshold: int | None = None
    drain: str = "waiting"

    def __post_init__(self) -> None:
        if self.threshold is not None:
            object.__setattr__(self, "threshold", whole(self.threshold, "threshold", least=0))
        if self.drain not in DRAINS:
            raise InvalidInput(f"drain = {self.drain!r} is unknown; {nearest(str(self.drain), DRAINS)}")

    @property
    def decide(self) -> Decide:
        return msfq(-1 if self.threshold is None else self.threshold, self.drain == "always")

    @property
    def beyond(self) -> int:
        return self.threshold or 0

    def supports(self, system: System) -> str | None:
        for c in system.active_classes:
            if c.need not in (1, system.servers):
                return (
                    f"class '{c.name}' needs {c.need} of {system.servers} servers, and msfq is for needs 1 and all; "
                    "adaptive-quickswap or static-quickswap applies instead"
                )
        if self.threshold is not None and self.threshold >= system.servers:
            return (
                f"threshold = {self.threshold} must be below servers = {system.servers}: else small jobs go in batches"
            )
        return None


VARIANT = Msfq
