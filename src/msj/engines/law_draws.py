"""Random numbers of many laws for one loop: drawn outside it, law by law, each from a stream of its own.

The loop takes them one by one; when a law is nearly used up it returns after the event, and Python draws more. A law's
numbers are the same however long the blocks of jobs are and whatever the others do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import helper

AT_ONCE = 2048  # numbers of a law drawn together, at least


class Law(Protocol):
    """What is known here of a law."""

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Draw so many values."""


class UniformNumbers:
    """Uniform on [0, 1): which way a jump goes, which server breaks."""

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Draw so many values."""
        return rng.random(size)


class ExponentialNumbers:
    """Exponential with mean 1: how long a phase lasts, but for its rate."""

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Draw so many values."""
        return rng.standard_exponential(size)


class LawDraws(NamedTuple):
    """A row of numbers for each law, how many of each are used, and whether some row is nearly used up."""

    values: Any
    used: Any
    enough: int  # numbers of a row that may be used before more are drawn
    short: Any


class DrawnLaws:
    """Keeps the rows full; ``least`` is how many numbers of one law an event may use."""

    def __init__(self, laws: Sequence[Law], streams: Sequence[np.random.Generator], least: int) -> None:
        self.laws = dict(enumerate(laws))
        self.streams = list(streams)
        size = AT_ONCE + least
        values = np.empty((len(laws), size))
        self.draws = LawDraws(values, np.full(len(laws), size), AT_ONCE, np.ones(1, dtype=np.int64))
        self.draw_more()

    def draw_more(self) -> None:
        """Fill the rows that are nearly used up."""
        values, used, enough, short = self.draws
        for i in np.flatnonzero(used > enough):
            kept = values[i, used[i] :].copy()
            values[i, : len(kept)] = kept
            values[i, len(kept) :] = self.laws[int(i)].sample(self.streams[i], values.shape[1] - len(kept))
            used[i] = 0
        short[0] = 0


@helper
def draw(draws: Any, law: Any) -> Any:
    """Return the next number of a law."""
    i = draws.used[law]
    draws.used[law] = i + 1
    if i >= draws.enough:
        draws.short[0] = 1
    return draws.values[law, i]
