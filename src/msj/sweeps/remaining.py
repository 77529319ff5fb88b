"""How much work of a sweep is left, in seconds of one worker.

A simulated cell needs about (w/p)² times the jobs after which its relative half-width is w, for a precision p, rounded
up to the next checkpoint of its stopping rule. A cell that has not reached its first checkpoint, or was not opened yet,
is taken for an average one. What a worker has spent so far, over that and what is left, is the share that is done.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

from msj.simulation.blocks import FIRST, LOOK, STAGE, blocks_at, stage_of

CONFIRMED = 1  # the first checkpoint at which a stream can end: two must agree


class Simulated(Protocol):
    """What is asked about a stream under way."""

    pace: float  # seconds for a block of the first length; 0 if none has ended

    @property
    def width(self) -> float:
        """Relative half-width; infinite before the first checkpoint."""

    @property
    def counted(self) -> int:
        """Blocks behind that half-width."""

    @property
    def computed(self) -> float:
        """Lengths of the blocks that are there, in first lengths."""


def lengths(blocks: int) -> float:
    """Return the length of the first blocks, in lengths of the first one.

    Examples
    --------
    >>> lengths(32), lengths(40), lengths(48), lengths(64)
    (32.0, 48.0, 64.0, 128.0)
    """
    if blocks <= FIRST:
        return float(blocks)
    stage = stage_of(blocks - 1)
    return FIRST * 2.0 ** (stage - 1) + (blocks - FIRST - STAGE * (stage - 1)) * 2.0**stage


def length_needed(width: float, counted: int, precision: float, most: float = math.inf) -> float:
    """Return the length after which a stream will probably have reached the precision, at least one checkpoint on.

    Examples
    --------
    >>> length_needed(0.02, 32, 0.01), length_needed(0.005, 32, 0.01), length_needed(0.02, 32, 0.01, most=100)
    (128.0, 48.0, 100)
    """
    wanted = lengths(counted) * (width / precision) ** 2
    look = max((counted - FIRST) // LOOK + 1, CONFIRMED)
    while lengths(blocks_at(look)) < min(wanted, most):
        look += 1
    return min(lengths(blocks_at(look)), most)


def seconds_left(
    streams: Iterable[tuple[Simulated, float]], *, precision: float, unopened: int, opened: int, seconds: float
) -> float:
    """Return the seconds of work that are left.

    Parameters
    ----------
    streams
        Those under way, each with the greatest length that the jobs allowed make possible.
    precision
        The relative half-width to reach.
    unopened
        Cells that were not opened yet.
    opened, seconds
        Cells that were opened and the seconds that all of them took, simulations included.
    """
    known: list[float] = []
    unknown: list[Simulated] = []
    left = 0.0
    paces: list[float] = []
    for stream, most in streams:
        if stream.pace:
            paces.append(stream.pace)
        if math.isfinite(stream.width):
            needed = length_needed(stream.width, stream.counted, precision, most)
            known.append(needed)
            left += max(needed - stream.computed, 0.0) * stream.pace
        else:
            unknown.append(stream)
    usual = sum(known) / len(known) if known else lengths(blocks_at(CONFIRMED))
    pace = sum(paces) / len(paces) if paces else 0.0
    left += sum(max(usual - each.computed, 0.0) * (each.pace or pace) for each in unknown)
    return left + unopened * (seconds + left) / max(opened, 1)
