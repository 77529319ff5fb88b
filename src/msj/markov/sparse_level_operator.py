"""The balance equations of sparse levels in Laguerre coordinates, and what makes their iteration quick.

Far levels fall by the ratio z of the leading mode (``sparse_level_mode``), near saturation very slowly; all else dies
out soon. So the unknowns are the differences p_0 = pi_1, p_j = pi_(j+1) − z·pi_j, in which that mode is gone, as

    p_j = sum over n < k of u_n·l_n(j)        (``laguerre``),

k vectors of the size of a level, instead of hundreds of levels. The equations of the levels, taken in the same
differences, keep their form: up is up; with D "one down", (D x)_j = x_(j+1), and the first term x_0,

    (1 − z·up)·D·x = D·(1 − z·up)·x + z·x_0·(1, 0, 0, ...),

and what enters level 1 is (1, −z, 0, ...). They are projected on the same k functions. A vector is the ground followed
by m × k numbers, these in a ``unit`` of their own, about the probability of being there.

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

from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.markov import laguerre
from msj.markov import laguerre_kernels as kernels
from msj.markov.incomplete_lu import IncompleteLU
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLevels, Vector, columns

GROUND_DROP = 1e-4
NEGLIGIBLE = 1e-12  # what still falls further: deeper falls are left out of the spread over levels


class LevelEquations:
    """Flow in minus flow out, in one precision."""

    def __init__(
        self, process: SparseLevels, *, ratio: float, a: float, count: int, unit: float, dtype: type = np.float64
    ) -> None:
        self.process, self.ratio, self.a, self.count, self.dtype = process, ratio, a, count, dtype
        self.unit = dtype(unit)
        self.ground_size, self.size = process.ground.shape[0], process.states
        self.length = self.ground_size + self.size * count
        first = laguerre.at_zero(a, count)
        self.source = first - ratio * (first @ laguerre.down_matrix(a, count))
        self._basis: tuple[Any, ...] = (dtype(a), dtype(ratio), first.astype(dtype), self.source.astype(dtype))
        self._local, self._up, self._starting, self._passing, self._settling = (
            columns(matrix, dtype)
            for matrix in (process.local, process.up, process.starting, process.passing, process.settling)
        )
        self._leaving: NDArray[Any] = process.leaving.astype(dtype)
        self._ground, self._ground_up, self._landing = (
            matrix.T.tocsr().astype(dtype) for matrix in (process.ground, process.ground_up, process.landing)
        )
        self._falling = np.empty((process.passing.shape[0], count), dtype=dtype)
        self._first = np.empty(process.passing.shape[0], dtype=dtype)

    def parts(self, vector: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the ground and the levels, as views."""
        return vector[: self.ground_size], vector[self.ground_size :].reshape(self.size, self.count)

    def entering(self, ground: NDArray[Any]) -> NDArray[Any]:
        """Flow from the ground into level 1, in units of the levels."""
        return np.asarray(self._ground_up @ ground / self.unit)

    def fall(self, levels: NDArray[Any]) -> NDArray[Any]:
        """Return the flow down into the ground; keep that into the vanishing states of the levels."""
        kernels.fall(self._starting, self._passing, self._basis, levels, self._falling, self._first)
        return np.asarray(self.unit * (self._landing @ self._first))

    def balance(self, vector: NDArray[Any], out: NDArray[Any]) -> None:
        """Write flow in minus flow out."""
        ground, levels = self.parts(vector)
        ground_out, levels_out = self.parts(out)
        landing = self.fall(levels)
        kernels.balance(
            self._local,
            self._up,
            self._settling,
            self._leaving,
            self._basis,
            self.entering(ground),
            levels,
            self._falling,
            levels_out,
        )
        ground_out[:] = self._ground @ ground + landing

    def mass(self, vector: NDArray[Any]) -> float:
        """Return the sum of all probabilities."""
        ground, levels = self.parts(vector)
        beyond = laguerre.total(self.a) * float(levels.sum(dtype=np.float64)) / (1.0 - self.ratio)
        return float(ground.sum(dtype=np.float64)) + float(self.unit) * beyond


class Preconditioned(LevelEquations):
    """The equations in single precision, as an iteration takes them."""

    def __init__(
        self, process: SparseLevels, factors: GroundFactors, *, ratio: float, a: float, count: int, unit: float
    ) -> None:
        super().__init__(process, ratio=ratio, a=a, count=count, unit=unit, dtype=np.float32)
        self._factors = factors
        once = (process.starting @ process.settling).tocsr()
        self._earlier, self._earlier_once = (
            columns(_from_higher(matrix), np.float32) for matrix in (process.local, once)
        )
        rise, fall = process.up.diagonal(), once.diagonal()
        pivot = 0.5 * (process.leaving + np.sqrt(process.leaving**2 - 4.0 * rise * fall))
        self._lines = np.array([1.0 / pivot, fall / pivot, rise / pivot]).astype(np.float32)
        settling, leaving = np.asarray(process.settling.sum(axis=1)).ravel(), process.up_rates + process.starting_rates
        self._rates = tuple(rates.astype(np.float32) for rates in (leaving, process.up_rates, settling))
        self._up_one = laguerre.down_matrix(a, count).T

    def apply(self, vector: NDArray[Any], out: NDArray[Any]) -> None:
        """Write flow out minus flow in."""
        self.balance(vector, out)
        np.negative(out, out=out)

    def precondition(self, given: NDArray[Any], out: NDArray[Any]) -> None:
        """Write about the vector whose flow out minus flow in is ``given``."""
        ground, levels = self.parts(given)
        ground_out, levels_out = self.parts(out)
        ground_out[:] = self._factors.solve(ground)
        entering = self.entering(ground_out)
        kernels.sweep(self._earlier, self._earlier_once, self._lines, self._basis, entering, levels, levels_out)
        self.fall(levels_out)
        missing, upwards = np.empty(self.count), np.empty(self.count)
        leaving, rising, settling = self._rates
        kernels.net_flow(levels_out, leaving, rising, self._falling, settling, levels, missing, upwards)
        missing += self._up_one @ upwards + float(entering.sum()) * self.source
        # The ground's own equation follows from the others: in its place, corrections add up to nothing.
        masses = self._masses @ np.append(-self.mass(out), -float(self.unit) * missing)
        ground_out += (masses[0] * self._ground_law).astype(np.float32)
        kernels.add_outer(self._shape, (masses[1:] / self.unit).astype(np.float32), levels_out)

    def set_laws(self, ground: Vector, shape: Vector) -> None:
        """Take the spread within ground and levels, for the small system of masses, from these."""
        process, count = self.process, self.count
        self._ground_law = np.maximum(ground, 0.0) / np.maximum(ground, 0.0).sum()
        shape = np.maximum(shape, 0.0) / np.maximum(shape, 0.0).sum()
        self._shape = shape.astype(np.float32)
        first, down = laguerre.at_zero(self.a, count), laguerre.down_matrix(self.a, count)
        system = np.empty((count + 1, count + 1))
        system[0, 0], system[0, 1:] = 1.0, laguerre.total(self.a) / (1.0 - self.ratio)
        system[1:, 0] = float((self._ground_law @ process.ground_up).sum()) * self.source
        within = system[1:, 1:]
        within[:] = float(shape @ process.up_rates) * down.T
        within -= float(shape @ (process.up_rates + process.starting_rates)) * np.eye(count)
        down = down + self.ratio * np.outer(first, first)
        settling = np.asarray(process.settling.sum(axis=1)).ravel()
        fallen, power = shape @ process.starting, down
        whole = fallen.sum()
        while fallen.sum() > NEGLIGIBLE * whole:
            within += float(fallen @ settling) * power
            fallen, power = fallen @ process.passing, power @ down
        self._masses = np.linalg.inv(system)


class GroundFactors:
    """Incomplete factors of the ground, the fullest states first; made once."""

    def __init__(self, process: SparseLevels) -> None:
        reverse = -process.ground[::-1][:, ::-1]
        self._factors = IncompleteLU(reverse.tocsr(), GROUND_DROP)

    def solve(self, given: NDArray[Any]) -> Vector:
        """Return about given·(−ground)^(−1)."""
        return self._factors.solve(given[::-1], transposed=True)[::-1]


def _from_higher(matrix: Sparse) -> Sparse:
    """Return the entries that lead from a state to one of a lower number."""
    entries = matrix.tocoo()
    kept = entries.row > entries.col
    return sparse.csr_array((entries.data[kept], (entries.row[kept], entries.col[kept])), shape=matrix.shape)
