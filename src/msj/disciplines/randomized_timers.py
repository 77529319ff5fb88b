"""Randomised timers: no preemption, and yet the whole stability region (Ghaderi 2016; reset, section 2).

The jobs of each need wait in a queue of their own with a clock that ticks at rate ``clock`` × exp(f(Q)), Q the length
of the queue and f(Q) = ln(1 + Q)^(1 − b). When it ticks, the oldest job of the queue starts if it fits; nothing starts
at any other moment, so servers stand idle on purpose, and response times are long. The simulation draws the ticks; the
plain function, which has no random numbers, shows what one tick does: the oldest job that fits starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Policy, Serve
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import Number, number, positive


def randomized_timers(
    needs: NDArray[np.int64],
    running: NDArray[np.bool_],
    remaining: NDArray[np.float64],
    servers: int,
    chosen: NDArray[np.bool_],
) -> None:
    """Keep what runs and start the oldest job that fits: what a tick of its clock does."""
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    for i in range(len(needs)):
        if not chosen[i] and needs[i] <= free:
            chosen[i] = True
            break


@dataclass(frozen=True, kw_only=True)
class RandomizedTimers(Policy):
    """Randomised timers; ``clock`` is the rate of an empty queue's clock, ``b`` flattens its growth (0 <= b < 1)."""

    name: ClassVar[str] = "randomized-timers"
    summary: ClassVar[str] = "jobs start when their need's random clock ticks; no preemption; options clock, b"
    citation: ClassVar[str] = "Ghaderi 2016; reset, section 2"
    preemptive: ClassVar[bool] = False
    serve_is_complete: ClassVar[bool] = False

    time_powers: ClassVar[Mapping[str, int]] = {"clock": -1}

    clock: Number = 1
    b: Number = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "clock", positive(self.clock, "clock"))
        object.__setattr__(self, "b", number(self.b, "b"))
        if not 0 <= self.b < 1:
            raise InvalidInput(f"b = {self.b} must be at least 0 and below 1; a small one such as 0.1 is usual")

    @property
    def front(self) -> None:
        return None

    def least_busy(self, servers: int, least_need: int) -> tuple[None, str]:
        return None, f"policy '{self.name}' starts jobs only when a clock ticks, so all servers may stand idle"

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.timers:TimersEngine", clock=float(self.clock), b=float(self.b))

    def relaxation_time(self, system: System) -> float:
        return 1.0 / float(self.clock)  # of an empty queue; longer queues have faster clocks

    @property
    def serve(self) -> Serve:
        return randomized_timers


VARIANT = RandomizedTimers
