"""Static quickswap: the needs take turns in a fixed cycle, without preemption.

Only jobs of the need whose turn it is may start. When no other need is in service and fewer of this one are than fit
(so none of it waits), the turn passes to the next smaller need of which somebody waits, and from the smallest to the
largest; its jobs start at once. So each need is served until none of it waits, on floor(k/v) places, and it takes
1/lambda* = sum of p_i·E[D_i]/floor(k/v_i): less than others where needs would fit beside each other.
After public source, in which by an accident of its loop nobody starts after the turn has passed until the next job
comes or goes (``verification/test_policies.py`` shows what that costs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.remembering import Decide, Remembering, Whole


def static_quickswap(needs: Whole, present: Whole, running: Whole, servers: int, memory: Whole) -> None:
    """Start jobs of the current need, and pass the turn on once it is served out."""
    size = len(needs)
    while size > 0:
        turn = memory[0] % size
        free, serving = servers, 0
        for g in range(size):
            free -= needs[g] * running[g]
            serving += running[g]
        starts = min(present[turn] - running[turn], free // needs[turn])
        running[turn] += starts
        others = serving + starts - running[turn]
        if others > 0 or running[turn] >= servers // needs[turn]:
            return
        following = turn
        for step in range(1, size):
            g = (turn - step) % size
            if following == turn and present[g] > running[g]:
                following = g
        if following == turn:
            return
        memory[0] = following


@dataclass(frozen=True, kw_only=True)
class StaticQuickswap(Remembering):
    """Static quickswap."""

    name: ClassVar[str] = "static-quickswap"
    summary: ClassVar[str] = "the needs take turns in a fixed cycle; only the current one's jobs start"
    citation: ClassVar[str] = "after Chen, Anggraito and others 2025 (quickswap)"
    takes_turns: ClassVar[bool] = True

    @property
    def decide(self) -> Decide:
        return static_quickswap


VARIANT = StaticQuickswap
