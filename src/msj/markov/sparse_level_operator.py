"""The balance equations of sparse levels in Laguerre coordinates, and what makes their iteration quick.

Levels are the leading mode, its weight given, and a rest that dies out faster:

    pi_(j+1) = weight·z^j·phi + sum over n < k of u_n·l_n(j)        (``sparse_level_mode``, ``laguerre``).

The mode satisfies every equation but those of level 1 and the ground. The rest takes k vectors u_n of the size of a
level, and the equations projected on the same k functions. A vector is the ground followed by m × k numbers, these in
a ``unit`` of their own, about the probability of being there.

The preconditioner takes the equations apart:

1. the ground by an incomplete LU factorisation;
2. the levels by one Gauss-Seidel pass over the states. Between two starts a state's number only falls, so that all
   that happens there is solved exactly, each state's own line of levels included; starts that raise it wait for the
   next step;
3. how the mass is spread over the levels, given how it is spread within: k + 1 equations, solved directly. Without
   this the iteration would have to carry every job through the levels.

What remains slow is how long the states take to forget, which hardly depends on the load.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.markov import laguerre
from msj.markov import laguerre_kernels as kernels
from msj.markov.incomplete_lu import IncompleteLU
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_level_mode import LeadingMode
from msj.markov.sparse_levels import SparseLevels, Vector, columns

GROUND_DROP = 1e-4
NEGLIGIBLE = 1e-12  # what still falls further: deeper falls are left out of the spread over levels
SINGULAR = 1e-5  # directions of the small system that lead nowhere, or below single precision


class LevelEquations:
    """Flow in minus flow out, in one precision."""

    def __init__(self, process: SparseLevels, a: float, count: int, unit: float, dtype: type) -> None:
        self.process, self.a, self.count, self.unit, self.dtype = process, dtype(a), count, dtype(unit), dtype
        self.ground_size, self.size = process.ground.shape[0], process.states
        self.length = self.ground_size + self.size * count
        self.at_zero = laguerre.at_zero(a, count).astype(dtype)
        self._local, self._up, self._starting, self._passing, self._settling = (
            columns(matrix, dtype)
            for matrix in (process.local, process.up, process.starting, process.passing, process.settling)
        )
        self._leaving = process.leaving.astype(dtype)
        self._ground = process.ground.T.tocsr().astype(dtype)
        self._ground_up = process.ground_up.T.tocsr().astype(dtype)
        self._landing = process.landing.T.tocsr().astype(dtype)
        self.falling = np.empty((process.passing.shape[0], count), dtype=dtype)
        self.first = np.empty(process.passing.shape[0], dtype=dtype)

    def parts(self, vector: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the ground and the rest of the levels, as views."""
        return vector[: self.ground_size], vector[self.ground_size :].reshape(self.size, self.count)

    def entering(self, ground: NDArray[np.floating]) -> NDArray[np.floating]:
        """Flow from the ground into level 1, in units of the levels."""
        return np.asarray(self._ground_up @ ground / self.unit)

    def fall(self, levels: NDArray[np.floating]) -> None:
        """Set ``falling`` and ``first``: the flow into the vanishing states of levels 1, 2, ..., and of the ground."""
        kernels.fall(self._starting, self._passing, self.a, levels, self.falling, self.first, self.at_zero)

    def balance(self, vector: NDArray[np.floating], out: NDArray[np.floating]) -> None:
        """Write flow in minus flow out, the mode left out."""
        ground, levels = self.parts(vector)
        ground_out, levels_out = self.parts(out)
        self.fall(levels)
        kernels.balance(
            self._local,
            self._up,
            self._settling,
            self._leaving,
            self.a,
            self.at_zero,
            self.entering(ground),
            levels,
            self.falling,
            levels_out,
        )
        ground_out[:] = self._ground @ ground + self.unit * (self._landing @ self.first)

    def add_mode(self, mode: LeadingMode, weight: float, out: Vector) -> None:
        """Add what the mode, with a weight, brings to the ground and misses in level 1."""
        ground_out, levels_out = self.parts(out)
        ground_out += self._landing @ (weight / mode.ratio * mode.falling)
        missing = -weight / (mode.ratio * self.unit) * (mode.shape @ self.process.up)
        kernels.add_outer(missing, self.at_zero, levels_out)


class Preconditioned(LevelEquations):
    """The equations in single precision, as an iteration takes them."""

    def __init__(
        self, process: SparseLevels, ground_factors: GroundFactors, a: float, count: int, unit: float
    ) -> None:
        super().__init__(process, a, count, unit, np.float32)
        self._factors = ground_factors
        once = (process.starting @ process.settling).tocsr()
        self._earlier = tuple(columns(_from_higher(matrix), np.float32) for matrix in (process.local, once))
        rise, fall = process.up.diagonal(), once.diagonal()
        pivot = 0.5 * (process.leaving + np.sqrt(process.leaving**2 - 4.0 * rise * fall))
        self._lines = np.array([1.0 / pivot, fall / pivot, rise / pivot]).astype(np.float32)
        self._out_rates = (process.up_rates + process.starting_rates).astype(np.float32)
        self._up_rates = process.up_rates.astype(np.float32)
        self._settling_rates = np.asarray(process.settling.sum(axis=1)).ravel().astype(np.float32)
        self._up_one = laguerre.down_matrix(a, count).T

    def apply(self, vector: NDArray[np.floating], out: NDArray[np.floating]) -> None:
        """Write flow out minus flow in."""
        self.balance(vector, out)
        np.negative(out, out=out)

    def precondition(self, given: NDArray[np.floating], out: NDArray[np.floating]) -> None:
        """Write about the vector whose flow out minus flow in is ``given``."""
        ground, levels = self.parts(given)
        ground_out, levels_out = self.parts(out)
        ground_out[:] = self._factors.solve(ground)
        entering = self.entering(ground_out)
        kernels.sweep(*self._earlier, self._lines, self.a, self.at_zero, entering, levels, levels_out)
        self.fall(levels_out)
        missing, upwards = np.empty(self.count), np.empty(self.count)
        kernels.net_flow(
            levels_out,
            self._out_rates,
            self._up_rates,
            self.falling,
            self._settling_rates,
            levels,
            missing,
            upwards,
        )
        missing += self._up_one @ upwards + float(entering.sum()) * self.at_zero
        there = self._ground @ ground_out + self.unit * (self._landing @ self.first) + ground
        masses = self._masses @ -np.append(float(there.sum()), float(self.unit) * missing)
        ground_out += (masses[0] * self._ground_law).astype(np.float32)
        kernels.add_outer(self._shape, (masses[1:] / self.unit).astype(np.float32), levels_out)

    def set_laws(self, ground: Vector, shape: Vector) -> None:
        """Take the spread within ground and levels, for the small system of masses, from these."""
        process, a, count = self.process, float(self.a), self.count
        self._ground_law = np.maximum(ground, 0.0) / np.maximum(ground, 0.0).sum()
        shape = np.maximum(shape, 0.0) / np.maximum(shape, 0.0).sum()
        self._shape = shape.astype(np.float32)
        down = laguerre.down_matrix(a, count)
        system = np.zeros((count + 1, count + 1))
        system[1:, 1:] = float(shape @ process.up_rates) * down.T
        system[1:, 1:] -= float(shape @ (process.up_rates + process.starting_rates)) * np.eye(count)
        rising = float((self._ground_law @ process.ground_up).sum())
        system[0, 0], system[1:, 0] = -rising, rising * laguerre.at_zero(a, count)
        fallen, landed, power = shape @ process.starting, laguerre.at_zero(a, count), down
        settling = np.asarray(process.settling.sum(axis=1)).ravel()
        whole = fallen.sum()
        while fallen.sum() > NEGLIGIBLE * whole:
            system[1:, 1:] += float(fallen @ settling) * power
            system[0, 1:] += float(fallen.sum()) * landed
            fallen, landed, power = fallen @ process.passing, landed @ down, power @ down
        self._masses = np.linalg.pinv(system, rcond=SINGULAR)


class GroundFactors:
    """Incomplete factors of the ground, the fullest states first; made once."""

    def __init__(self, process: SparseLevels) -> None:
        reverse = -process.ground[::-1][:, ::-1]
        self._factors = IncompleteLU(reverse.tocsr(), GROUND_DROP)

    def solve(self, given: NDArray[np.floating]) -> Vector:
        """Return about given·(−ground)^(−1)."""
        return self._factors.solve(given[::-1], transposed=True)[::-1]


def _from_higher(matrix: Sparse) -> Sparse:
    """Return the entries that lead from a state to one of a lower number."""
    entries = matrix.tocoo()
    kept = entries.row > entries.col
    return sparse.csr_array((entries.data[kept], (entries.row[kept], entries.col[kept])), shape=matrix.shape)
