"""How far a law of sparse levels is from balance, level by level, and what that means for the mean level.

The law is looked at as it will be used: levels one by one up to a cut, above it each ``ratio`` times the one below, for
ever. Nothing here knows how it was found.

If flows r are missing from the balance equations, E[level] is off by r·h, h what a unit of mass is worth. Far out h
is (q + b(x))²/(2·(lambda* − lambda)) but for a constant, as for a random walk with that drift, b(x) by how many levels
state x is ahead. So with F_q what is missing across the border above level q, all states together, and |r_q| the sum
within level q,

    |error| <= sum over q of (|F_q| + spread·|r_q|)·(q + spread)/(lambda* − lambda),   spread about the size of b.

The sums beyond the cut are geometric. That h is of this form near the ground, too, is assumed; ``verification`` has a
proof of the digits that does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msj.markov import sparse_level_kernels as kernels
from msj.markov.sparse_levels import SparseLevels, Vector, columns


@dataclass(frozen=True, kw_only=True, eq=False)
class Missing:
    """What the balance equations miss.

    Attributes
    ----------
    within : sum of what is missing in the states of each level, the ground first.
    across : sum of what is missing up to and including each level.
    beyond, across_beyond : the same one level above the cut; each level further up it is ``ratio`` times that.
    """

    within: Vector
    across: Vector
    beyond: float
    across_beyond: float
    ratio: float

    @property
    def total(self) -> float:
        """The sum of all that is missing."""
        return float(self.within.sum()) + self.beyond / (1.0 - self.ratio)

    def level_error(self, *, spread: float, gap: float) -> float:
        """Return how far off the mean level may be."""
        cut, stay = len(self.within) - 1, 1.0 / (1.0 - self.ratio)
        weights = (np.arange(cut + 1) + spread) / gap
        further = stay * (cut + spread + stay) / gap
        inside = float((np.abs(self.across) + spread * self.within) @ weights)
        return inside + (self.across_beyond + spread * self.beyond) * further


def missing_flows(process: SparseLevels, ground: Vector, levels: Vector, ratio: float) -> Missing:
    """Return what is missing from the balance of a law: ground, levels (m × cut), and the ratio above."""
    local, up, starting, passing, settling = (
        columns(matrix) for matrix in (process.local, process.up, process.starting, process.passing, process.settling)
    )
    top = np.ascontiguousarray(levels[:, -1])
    above, falling = np.empty(passing[0].size - 1), np.empty((passing[0].size - 1, levels.shape[1]))
    kernels.fall_from_above(starting, passing, top, ratio, above)
    kernels.fall(starting, passing, levels, above, falling)
    left = np.empty_like(levels)
    kernels.balance(local, up, settling, process.leaving, ground @ process.ground_up, levels, falling, above, left)
    at_ground = ground @ process.ground + falling[:, 0] @ process.landing
    next_level = top @ process.up + ratio * (top @ process.local - process.leaving * top + above @ process.settling)
    sums, beyond = np.append(at_ground.sum(), left.sum(axis=0)), float(next_level.sum())
    return Missing(
        within=np.append(np.abs(at_ground).sum(), np.abs(left).sum(axis=0)),
        # Added up from above: nothing is missing of all together, and the small sums far out keep their digits.
        across=sums - np.cumsum(np.append(beyond / (1.0 - ratio), sums[::-1]))[:0:-1],
        beyond=float(np.abs(next_level).sum()),
        across_beyond=abs(beyond) * ratio / (1.0 - ratio),
        ratio=ratio,
    )
