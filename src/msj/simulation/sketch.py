"""Percentiles without keeping the jobs: a histogram whose bins grow with the value.

Each power of two is cut into 128 equal bins, so a value lies within 1/256 (0.4 %) of the middle of its bin. The bin
is read off the bits of the number itself (exponent and first seven bits of the mantissa): no logarithm is taken.
Counts add, so sketches of pieces, classes and replications merge without further error. Within a bin values are taken
to be spread evenly, so what is read off is finer than the bins.

Values under 2^-24 of the typical duration count as zero; those above 2^36 of it are taken as that. One sketch holds
every class: bin b of class c has the number c × BINS + b, and only those that hold something are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

BINS_PER_OCTAVE = 128
SHIFT = 52 - 7  # bits of the mantissa that are dropped
OCTAVES_BELOW, OCTAVES_ABOVE = 24, 36
BINS = (OCTAVES_BELOW + OCTAVES_ABOVE) * BINS_PER_OCTAVE
DENSE = 200  # bins for each one in use, up to which a full histogram is made
RELATIVE_ERROR = 0.5 / BINS_PER_OCTAVE


def first_bin(typical: float) -> int:
    """Return the number that belongs to the lowest bin, for values around ``typical``."""
    exponent = math.floor(math.log2(typical)) - OCTAVES_BELOW
    return (exponent + 1023) * BINS_PER_OCTAVE


@dataclass(frozen=True)
class Sketch:
    """Histograms of non-negative values, one for each class; bin 0 holds zero."""

    lowest: int
    bins: NDArray[np.int64]  # those that hold something, in increasing order
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lowest: int, histogram: NDArray[np.integer]) -> Sketch:
        """Keep the bins of a full histogram (of one class, or one row a class) that hold something."""
        flat = histogram.reshape(-1)
        bins = np.flatnonzero(flat)
        return cls(lowest, bins, flat[bins].astype(np.int64))

    @classmethod
    def total(cls, sketches: Sequence[Sketch]) -> Sketch:
        """Merge sketches made on the same scale."""
        bins = np.concatenate([sketch.bins for sketch in sketches])
        counts = np.concatenate([sketch.counts for sketch in sketches])
        if not len(bins):  # pieces of a block have none of their own
            return cls(sketches[0].lowest, bins, counts)
        if int(bins.max()) < DENSE * len(bins):  # few empty bins between: faster than sorting
            histogram = np.bincount(bins, weights=counts)
            bins = np.flatnonzero(histogram)
            return cls(sketches[0].lowest, bins, histogram[bins].astype(np.int64))
        bins, where = np.unique(bins, return_inverse=True)
        return cls(sketches[0].lowest, bins, np.bincount(where, weights=counts, minlength=len(bins)).astype(np.int64))

    def with_values(self, bins: NDArray[np.int64]) -> Sketch:
        """Return the sketch with further values, given by their bins in increasing order."""
        room = np.empty((2, len(self.bins) + len(bins)), dtype=np.int64)
        used = _merge(self.bins, self.counts, bins, room)
        return Sketch(self.lowest, room[0, :used], room[1, :used])

    def of_class(self, index: int) -> Sketch:
        """Return the histogram of one class."""
        here = slice(*np.searchsorted(self.bins, [index * BINS, (index + 1) * BINS]))
        return Sketch(self.lowest, self.bins[here] - index * BINS, self.counts[here])

    def of_all(self) -> Sketch:
        """Return the histogram of all classes together."""
        return Sketch.total([Sketch(self.lowest, self.bins % BINS, self.counts)])

    def percentile(self, level: float) -> float:
        """Return the value below which ``level`` percent lie; nan if there is none."""
        if not len(self.counts):
            return math.nan
        below = np.cumsum(self.counts)
        wanted = level / 100.0 * float(below[-1])
        found = int(np.searchsorted(below, wanted, side="left"))
        index = int(self.bins[found])
        inside = (wanted - (below[found] - self.counts[found])) / self.counts[found]
        return self.edge(index) + min(max(float(inside), 0.0), 1.0) * (self.edge(index + 1) - self.edge(index))

    def sum_of_squares(self) -> float:
        """Return the sum of the squares of all values, each taken as the middle of its bin: a few per mille off."""
        middles = (self.edges(self.bins) + self.edges(self.bins + 1)) / 2.0
        return float(self.counts @ middles**2)

    def edge(self, index: int) -> float:
        """Return the lower end of a bin; that of bin 1 is also the upper end of the zeros, 0."""
        return float(self.edges(np.array([index]))[0])

    def edges(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the lower ends of bins."""
        octave, part = np.divmod(self.lowest + indices, BINS_PER_OCTAVE)
        return np.where(indices <= 1, 0.0, np.ldexp(1.0 + part / BINS_PER_OCTAVE, octave - 1023))


@njit(cache=True, nogil=True)
def _merge(
    bins: NDArray[np.int64], counts: NDArray[np.int64], further: NDArray[np.int64], out: NDArray[np.int64]
) -> int:
    """Write bins and counts with one more for each further bin, all in increasing order; return how many bins."""
    used, i = 0, 0
    for bin_ in further:
        while i < len(bins) and bins[i] <= bin_:
            out[0, used], out[1, used] = bins[i], counts[i]
            used, i = used + 1, i + 1
        if used and out[0, used - 1] == bin_:
            out[1, used - 1] += 1
        else:
            out[0, used], out[1, used] = bin_, 1
            used += 1
    while i < len(bins):
        out[0, used], out[1, used] = bins[i], counts[i]
        used, i = used + 1, i + 1
    return used
