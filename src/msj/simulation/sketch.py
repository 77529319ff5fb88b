"""Percentiles without keeping the jobs: a histogram whose bins grow with the value.

Each power of two is cut into 128 equal bins, so a value lies within 1/256 (0.4 %) of the middle of its bin. The bin is
read off the bits of the number itself (exponent and first seven bits of the mantissa): no logarithm is taken. Counts
add, so sketches of pieces, classes and replications merge without further error.

Values under 2^-24 of the typical duration count as zero; those above 2^40 of it are taken as that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS_PER_OCTAVE = 128
SHIFT = 52 - 7  # bits of the mantissa that are dropped
OCTAVES_BELOW, OCTAVES_ABOVE = 24, 40
BINS = (OCTAVES_BELOW + OCTAVES_ABOVE) * BINS_PER_OCTAVE
RELATIVE_ERROR = 0.5 / BINS_PER_OCTAVE


def first_bin(typical: float) -> int:
    """Return the number that belongs to the lowest bin, for values around ``typical``."""
    exponent = math.floor(math.log2(typical)) - OCTAVES_BELOW
    return (exponent + 1023) * BINS_PER_OCTAVE


@dataclass(frozen=True)
class Sketch:
    """A histogram of non-negative values; bin 0 holds zero."""

    lowest: int
    bins: NDArray[np.int64]  # those that hold something, in increasing order
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lowest: int, histogram: NDArray[np.int64]) -> Sketch:
        """Keep the bins of a full histogram that hold something."""
        bins = np.flatnonzero(histogram)
        return cls(lowest, bins, histogram[bins])

    @classmethod
    def total(cls, sketches: Sequence[Sketch]) -> Sketch:
        """Merge sketches made on the same scale."""
        bins = np.concatenate([sketch.bins for sketch in sketches])
        counts = np.concatenate([sketch.counts for sketch in sketches])
        return cls.of(sketches[0].lowest, np.bincount(bins, weights=counts, minlength=1).astype(np.int64))

    def percentile(self, level: float) -> float:
        """Return the value below which ``level`` percent lie, to the stated relative error; nan if there is none."""
        if not len(self.counts):
            return math.nan
        below = np.cumsum(self.counts)
        found = int(self.bins[np.searchsorted(below, level / 100.0 * below[-1], side="left")])
        return self.middle(found)

    def middle(self, index: int) -> float:
        """Return the middle of a bin."""
        if index == 0:
            return 0.0
        octave, part = divmod(self.lowest + index, BINS_PER_OCTAVE)
        return float(math.ldexp(1.0 + (part + 0.5) / BINS_PER_OCTAVE, octave - 1023))
