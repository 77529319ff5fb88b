"""The balance equations of sparse levels as an operator, and what makes their iteration quick.

A vector is the ground followed by m × Q numbers, levels side by side. The unknowns of the levels are in a ``unit`` of
their own, about the probability of being there, so that small ones are as accurate as large ones.

The preconditioner takes the equations apart:

1. the ground by an incomplete LU factorisation;
2. the levels by one Gauss-Seidel pass over the states. Between two starts a state's number only falls, so that all
   that happens there is solved exactly, each state's own line of levels included; starts that raise it wait for the
   next step;
3. how much mass each level holds, given how it is spread within the level: a small chain on 0..Q, solved directly.
   Without this the iteration would have to carry every job through the levels, and near saturation there are thousands.

What remains slow is how long the states take to forget, which hardly depends on the load.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from msj.markov import sparse_level_kernels as kernels
from msj.markov.incomplete_lu import IncompleteLU
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLevels, Vector

GROUND_DROP = 1e-4
AT_ONCE = 64  # depths of a fall looked at in one product


class LevelOperator:
    """The equations of Q levels above the ground, closed by a ratio; flows in minus flows out."""

    def __init__(
        self, process: SparseLevels, ground_factors: GroundFactors, cut: int, ratio: float, unit: float
    ) -> None:
        self.process = process
        self.cut, self.unit = cut, unit
        self.ground_size, self.size = process.ground.shape[0], len(process.leaving)
        self.length = self.ground_size + self.size * cut
        self._ground = ground_factors
        self._local, self._starting, self._passing = (
            columns(matrix) for matrix in (process.local, process.starting, process.passing)
        )
        self._leaving = process.leaving + process.arrival_rate
        self._returning = process.starting.diagonal() * process.settling
        self._falling = np.empty((self.size, cut))
        self._rest = np.empty(self.length)
        self._shape = np.full(self.size, 1.0 / self.size)
        self.set_ratio(ratio, self._shape)

    def parts(self, vector: Vector) -> tuple[Vector, Vector]:
        """Return the ground and the levels of a vector, as views."""
        return vector[: self.ground_size], vector[self.ground_size :].reshape(self.size, self.cut)

    def set_ratio(self, ratio: float, top: Vector) -> None:
        """Let every level above the cut be ``ratio`` times the one below; ``top`` is about the highest one."""
        self.ratio = ratio
        fallen = self._from_above(top)
        self._shape = fallen / fallen.sum()

    def _from_above(self, top: Vector) -> Vector:
        out = np.empty(self.size)
        kernels.fall_from_above(self._starting, self._passing, top, self.ratio, out)
        return out

    def above(self, top: Vector) -> Vector:
        """Flow into the vanishing states of the highest level: all that leaves upwards comes back."""
        fallen = self._from_above(top)
        return np.asarray(fallen + self._shape * (self.process.arrival_rate * top.sum() - fallen.sum()))

    def balance(self, vector: Vector, out: Vector) -> None:
        """Write flow in minus flow out."""
        process = self.process
        ground, levels = self.parts(vector)
        ground_out, levels_out = self.parts(out)
        above = self.above(np.ascontiguousarray(levels[:, -1]))
        kernels.fall(self._starting, self._passing, levels, above, self._falling)
        entering = process.ground_up * ground[process.place] / self.unit
        kernels.balance(
            self._local,
            self._leaving,
            process.settling,
            process.arrival_rate,
            entering,
            levels,
            self._falling,
            above,
            levels_out,
        )
        ground_out[:] = self._ground.columns @ ground
        ground_out[process.place] += self.unit * self._falling[:, 0]

    def apply(self, vector: Vector, out: Vector) -> None:
        """Write flow out minus flow in."""
        self.balance(vector, out)
        np.negative(out, out=out)

    def precondition(self, given: Vector, out: Vector) -> None:
        """Write about the vector whose flow out minus flow in is ``given``."""
        process = self.process
        ground, levels = self.parts(given)
        ground_out, levels_out = self.parts(out)
        ground_out[:] = self._ground.solve(ground)
        kernels.sweep(
            self._local,
            self._starting,
            self._leaving,
            process.settling,
            self._returning,
            process.arrival_rate,
            process.ground_up * ground_out[process.place] / self.unit,
            levels,
            levels_out,
        )
        self.balance(out, self._rest)
        self._rest += given
        levels_rest = self.parts(self._rest)[1]
        missing = np.append(0.0, self.unit * levels_rest.sum(axis=0))  # what the ground misses, the others have
        masses = scipy.linalg.lu_solve(self._masses, -missing, check_finite=False)
        ground_out += masses[0] * self._ground_law
        levels_out += self._level_laws * (masses[1:] / self.unit)

    def set_laws(self, vector: Vector) -> None:
        """Take the spread within ground and levels, for the small chain of masses, from a vector."""
        ground, levels = self.parts(vector)
        self._ground_law = np.maximum(ground, 0.0) / np.maximum(ground, 0.0).sum()
        self._level_laws = np.maximum(levels, 1e-300)
        self._level_laws /= self._level_laws.sum(axis=0)
        rates = self._mass_rates()
        rates[np.diag_indices_from(rates)] -= rates.sum(axis=1)
        system = rates.T.copy()
        system[0] = 1.0  # one equation follows from the others: corrections add up to nothing
        self._masses = scipy.linalg.lu_factor(system, overwrite_a=True, check_finite=False)

    def _mass_rates(self) -> Vector:
        """Rates between levels if each is spread as :meth:`set_laws` was told."""
        process, cut, laws = self.process, self.cut, self._level_laws
        rates = np.zeros((cut + 1, cut + 1))
        above = np.maximum(self.above(np.ascontiguousarray(laws[:, -1])), 0.0)
        above *= process.arrival_rate / above.sum()
        settled, arrived = process.settling.copy(), np.ones(self.size)
        for first in range(1, cut + 1, AT_ONCE):
            depths = np.arange(first, min(first + AT_ONCE, cut + 1))
            into_level, into_ground = np.empty((self.size, len(depths))), np.empty((self.size, len(depths)))
            for i, depth in enumerate(depths):
                rates[cut, cut - depth + 1] += above @ settled
                into_level[:, i], into_ground[:, i] = process.starting @ settled, process.starting @ arrived
                settled, arrived = process.passing @ settled, process.passing @ arrived
            down = laws.T @ into_level
            for i, depth in enumerate(depths):
                levels = np.arange(depth + 1, cut + 1)
                rates[levels, levels - depth] += down[levels - 1, i]
                rates[depth, 0] += laws[:, depth - 1] @ into_ground[:, i]
            if not arrived.any():
                break
        rates[0, 1] += process.ground_up @ self._ground_law[process.place]
        levels = np.arange(1, cut)
        rates[levels, levels + 1] += process.arrival_rate
        return rates


class GroundFactors:
    """Incomplete factors of the ground, the fullest states first; made once for every cut."""

    def __init__(self, process: SparseLevels) -> None:
        self.columns = process.ground.T.tocsr()
        reverse = -process.ground[::-1][:, ::-1]
        self._factors = IncompleteLU(reverse.tocsr(), GROUND_DROP)

    def solve(self, given: Vector) -> Vector:
        """Return about given·(−ground)^(−1)."""
        return self._factors.solve(given[::-1], transposed=True)[::-1]


def columns(matrix: Sparse) -> tuple[NDArray[np.int64], NDArray[np.int32], Vector]:
    """Return the columns of a matrix as the loops take them."""
    transposed = matrix.T.tocsr()
    transposed.sort_indices()
    return transposed.indptr.astype(np.int64), transposed.indices.astype(np.int32), transposed.data.astype(np.float64)
