"""How long sparse levels take to go down when nothing arrives any more.

Start from the stationary law of :mod:`msj.markov.sparse_levels` and switch arrivals off. All is watched at the events
of one Poisson process (:mod:`msj.markov.uniformized`): each event is one product with the same sparse blocks, and all
terms are positive. Above the cut the levels are ratio^j·pi_Q, a mode of the levels with arrivals; so they keep that
form without them and shrink at the rate lambda·(1/ratio − 1), together.

The ground is entered from level 1 and followed among those of its states that are places of a level's states; what
leaves them, or the levels altogether, has come down.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import TooLarge
from msj.markov import sparse_level_kernels as kernels
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLaw, SparseLevels, Vector, columns

NOTHING = 1e-11  # probability that is no longer followed
MOST_EVENTS = 1_000_000


class SparseDescent:
    """The descent under Poisson arrivals, switched off.

    Vanishing state v lands at ``place[v]`` of the ground; ``ground`` holds the rates between these places,
    ``ground_leaving`` all rates out of them.
    """

    def __init__(
        self,
        process: SparseLevels,
        law: SparseLaw,
        place: NDArray[np.int64],
        ground: Sparse,
        ground_leaving: Vector,
        *,
        least_rate: float,
    ) -> None:
        self._process, self._law, self._place = process, law, place
        self._ground, self._ground_leaving = ground.T.tocsr(), ground_leaving
        self._leaving = process.leaving - process.up_rates
        self.rate = 1.0001 * max(float(self._leaving.max()), float(ground_leaving.max()), least_rate)

    def alive(self, counted: Vector, enough: Callable[[Vector], bool]) -> Vector:
        """Return what is not down yet at each event: array events × outputs.

        Parameters
        ----------
        counted
            outputs × places: which places in the ground count as not down, for each output; levels always do.
        enough
            Told the row of each event; ends the descent.
        """
        process, law = self._process, self._law
        nowhere = sparse.csr_array(process.up.shape)
        local, starting, passing, settling, none = (
            columns(m) for m in (process.local, process.starting, process.passing, process.settling, nowhere)
        )
        levels, ground = law.levels.copy(), law.ground[self._place].copy()
        above = np.empty(len(ground))
        kernels.fall_from_above(starting, passing, np.ascontiguousarray(law.levels[:, -1]), law.ratio, above)
        far = float(law.above.sum())
        shrinks = 1.0 - process.arrival_rate * (1.0 / law.ratio - 1.0) / self.rate if far > 0.0 else 0.0
        falling, change, nobody = np.empty_like(levels), np.empty_like(levels), np.zeros(len(ground))
        rows = []
        while True:
            held = float(levels.sum()) + far
            rows.append(held + counted @ ground)
            if enough(rows[-1]):
                return np.array(rows)
            if len(rows) > MOST_EVENTS:
                raise TooLarge(f"percentiles take more than {MOST_EVENTS:,} steps; ask for the means only")
            if rows[-1].max() < NOTHING:
                rows[-1] = np.zeros_like(rows[-1])
                continue
            kernels.fall(starting, passing, levels, above, falling)
            kernels.balance(local, none, settling, self._leaving, nobody, levels, falling, above, change)
            change /= self.rate
            levels += change
            ground += (self._ground @ ground - self._ground_leaving * ground + falling[:, 0]) / self.rate
            above *= shrinks
            far *= shrinks
