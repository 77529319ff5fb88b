"""Adaptive quickswap: the largest needs first, without preemption, and servers are drained for a need that is left out.

Jobs that fit start, the largest needs first. When some need waits with no job in service, while nobody waits of those
needs that have jobs in service, servers are drained: only jobs of the largest need that waits may start. When one of
them has started, all that fit start again.
After public source; "the largest need" is that of the moment, not of the moment in which draining began.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.remembering import Decide, Remembering, Whole

FILLING, DRAINING = range(2)


def adaptive_quickswap(needs: Whole, present: Whole, running: Whole, servers: int, memory: Whole) -> None:
    """Fill, or start the largest need that waits and then fill."""
    last = len(needs) - 1
    free = servers
    for g in range(len(needs)):
        free -= needs[g] * running[g]
    if memory[0] == DRAINING:
        g = last
        while g >= 0 and present[g] == running[g]:
            g -= 1
        if g >= 0 and needs[g] > free:
            return
        memory[0] = FILLING
    for step in range(len(needs)):
        g = last - step
        starts = min(present[g] - running[g], free // needs[g])
        running[g] += starts
        free -= starts * needs[g]
    left_out, turned_over = False, False
    for g in range(len(needs)):
        if present[g] > running[g]:
            if running[g] > 0:
                turned_over = True
            else:
                left_out = True
    if left_out and not turned_over:
        memory[0] = DRAINING


@dataclass(frozen=True, kw_only=True)
class AdaptiveQuickswap(Remembering):
    """Adaptive quickswap."""

    name: ClassVar[str] = "adaptive-quickswap"
    summary: ClassVar[str] = (
        "largest needs first; drains for a need that is left out when the others have nobody waiting"
    )
    citation: ClassVar[str] = "after Chen, Anggraito and others 2025 (quickswap)"

    @property
    def decide(self) -> Decide:
        return adaptive_quickswap


VARIANT = AdaptiveQuickswap
