"""The stationary law of a chain with levels: a boundary of any shape below levels that repeat themselves.

Level n has m_n phases; levels 0..L-1 are the boundary, level L is the first of the repeating ones
(:mod:`msj.markov.quasi_birth_death`). Rates lead one level up, one level down, or stay:
``pi_{n-1} up[n-1] + pi_n local[n] + pi_{n+1} down[n+1] = 0``.

Linear level reduction from above (Latouche & Ramaswami 1999, chapters 10 and 12): let G_n hold the phases in which
level n-1 is first entered from level n, and U_n the rates of the chain watched in level n without going lower,

    U_n = local[n] + up[n] G_{n+1},   G_n = (-U_n)^-1 down[n],   starting from the G of the repeating levels;
    pi_0 U_0 = 0,   pi_n = pi_{n-1} up[n-1] (-U_n)^-1  for n = 1..L,   pi_{L+n} = pi_L R^n.

Why from above and not, as censoring would have it, from level 0 upwards: both take one LU and one matrix
solve per level and keep the factors, but here G_n is stochastic and the row sums of -U_n are those of down[n].
So diagonals are set from row sums and G_n scaled to row sums of one: nothing is lost near saturation. The
only singular system left is that of level 0, usually one state (empty), and not one of the size of level L.

Costs: about (2/3 + 2 r) m^3 operations per level, r the share of columns in which down[n] has entries, and m^2
numbers per level for the factors. Where these would not fit, the levels are cut into about sqrt(L) segments:
only the G at the top of each is kept, and its factors are made again when the vectors come by.

Sums over all repeating levels, s = sum_n pi_{L+n} = pi_L (I-R)^-1 and f = sum_n n pi_{L+n} = s R (I-R)^-1,
would amplify rounding by 1/(1 - decay rate), which slow phases make far larger than the load does. But
pi_L (-U) = pi_{L-1} up[L-1] is the flow entering from below, and the inverse of K = -U - A_up holds the mean
times per phase until it is back below: s = pi_{L-1} up[L-1] K^-1 and f = s A_up K^-1. As t = K^-1 1 is known from
cyclic reduction, K diag(t) has row sums of one, and s is read off the stationary law of a chain with one more
state, without a subtraction. What remains are relative errors of the rounding unit over 1 - (rate up)/(rate down).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt, log
from typing import Any

import numpy as np

from msj.errors import InvalidInput, NotAccurate, TooLarge
from msj.markov import quasi_birth_death as qbd
from msj.markov.blas import blas_threads
from msj.markov.gth import as_sparse, closed_class_laws, stationary_law
from msj.markov.m_matrix import MMatrix, perron_root
from msj.markov.quasi_birth_death import Block, Matrix, Repeating, Vector

_LARGEST_ERROR = 1e-9
_LARGEST_CORRECTION = 1e-3
_LEAST_DISTANCE = 1e-9  # to saturation, relative: nearer, seven digits and more are rounding
_MOST_LEVELS = 10_000_000
_REDUCTION_MATRICES = 11  # m x m matrices alive at once in cyclic reduction
_WORKING_MATRICES = 7  # beside the stored factors: G, R, U_n, its LU, down[n] and G_n dense, G_{n+1}


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelProcess:
    """Rates of a chain with levels; each sequence is indexed by the level a step leaves.

    Attributes
    ----------
    local : L blocks, ``local[n]`` of m_n x m_n, with the generator's diagonal.
    up : L blocks, ``up[n]`` of m_n x m_{n+1}.
    down : L + 1 blocks, ``down[0]`` is None and ``down[n]`` of m_n x m_{n-1} for n = 1..L.
    repeating_up, repeating_local, repeating_down : the m x m rates of levels L, L+1, ...; level L steps
        down by ``down[L]``, the others by ``repeating_down``.
    """

    local: Sequence[Block]
    up: Sequence[Block]
    down: Sequence[Block | None]
    repeating_up: Block
    repeating_local: Block
    repeating_down: Block

    def __post_init__(self) -> None:
        for name in ("local", "up", "down"):
            blocks = tuple(None if block is None else as_sparse(block) for block in getattr(self, name))
            object.__setattr__(self, name, blocks)
        for name in ("repeating_up", "repeating_local", "repeating_down"):
            object.__setattr__(self, name, as_sparse(getattr(self, name)))
        self._check_shapes()
        for n in range(self.first_repeating_level + 1):
            local, up, down = self.blocks(n)
            qbd.check_rates(f"level {n}", local, (up,) if down is None else (up, down))

    def _check_shapes(self) -> None:
        levels = len(self.local)
        if levels == 0 or len(self.up) != levels or len(self.down) != levels + 1 or self.down[0] is not None:
            raise InvalidInput(
                f"{levels} local, {len(self.up)} up and {len(self.down)} down blocks are given; L >= 1 boundary "
                "levels take L local, L up and L + 1 down blocks, the first of which is None"
            )
        sizes = (*self.level_sizes, *self.level_sizes[-1:] * 2)
        for n in range(levels + 2):
            columns = (sizes[n], sizes[n + 1], sizes[n - 1])
            for name, block, width in zip(("local", "up", "down"), self.blocks(n), columns, strict=True):
                shape = None if block is None else block.shape
                if shape != (sizes[n], width) and (n, name) != (0, "down"):
                    raise InvalidInput(f"{name}[{n}] has shape {shape}; it must be {(sizes[n], width)}")
        if 0 in sizes:
            raise InvalidInput(f"level {sizes.index(0)} has no phases; each level must have at least one")

    @property
    def first_repeating_level(self) -> int:
        """L, the number of boundary levels."""
        return len(self.local)

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """Phases of levels 0..L."""
        return (*(block.shape[0] for block in self.local), self.repeating_local.shape[0])

    def blocks(self, n: int) -> tuple[Any, Any, Any]:
        """Return local, up and down (None at level 0) of level n."""
        if n < self.first_repeating_level:
            return self.local[n], self.up[n], self.down[n]
        down = self.down[n] if n == self.first_repeating_level else self.repeating_down
        return self.repeating_local, self.repeating_up, down


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelLaw:
    """The stationary law of a :class:`LevelProcess`.

    Attributes
    ----------
    boundary : the stationary vectors of levels 0..L-1.
    first_repeating : pi_L; ``pi_{L+n} = pi_L R^n``.
    repeating_mass : sum over n >= 0 of pi_{L+n}.
    repeating_first_moment : sum over n >= 0 of n pi_{L+n}.
    repeating : G, R, decay rate, drift, iterations of the repeating levels.
    residual : largest error of the balance equations, from the given rates, of levels 0..L+1 and of levels L
        and up together, relative to the flow through them; or that of the repeating levels if larger.
    """

    boundary: tuple[Vector, ...]
    first_repeating: Vector
    repeating_mass: Vector
    repeating_first_moment: Vector
    repeating: Repeating
    residual: float

    @property
    def rate_matrix(self) -> Matrix:
        """R of the repeating levels."""
        return self.repeating.rate_matrix

    @property
    def decay_rate(self) -> float:
        """The factor by which the mass of far levels falls from one to the next."""
        # Phases the process never visits there do not count, however slowly they would empty.
        R = self.rate_matrix
        visited = self.first_repeating > 0
        while (more := visited | (visited @ (R > 0))).sum() > visited.sum():
            visited = more
        if visited.all() or not visited.any():  # none: probabilities too small to be told from zero
            return self.repeating.decay_rate
        return perron_root(R[np.ix_(visited, visited)])

    def level_vector(self, n: int) -> Vector:
        """Return pi_n."""
        if n < 0:
            raise InvalidInput(f"level {n} does not exist; levels count from 0")
        if n < len(self.boundary):
            return self.boundary[n]
        vector = self.first_repeating
        for _ in range(n - len(self.boundary)):
            vector = vector @ self.rate_matrix
        return vector

    def level_mass(self, n: int) -> float:
        """Return P(level = n)."""
        return float(self.level_vector(n).sum())

    def mean_level(self) -> float:
        """Return E[level]."""
        masses = [*(vector.sum() for vector in self.boundary), self.repeating_mass.sum()]
        return float(np.arange(len(masses)) @ masses + self.repeating_first_moment.sum())

    def level_masses(self, last: int | None = None, *, tail: float = 1e-12) -> Vector:
        """Return P(level = n) for n = 0..last, or for as long as more than ``tail`` lies beyond.

        Far levels are reached in strides: b masses come from one vector pi_L R^(qb) and the
        columns R^j 1, j < b; R^b comes from log2(b) squarings.
        """
        if not 0 < tail < 1:
            raise InvalidInput(f"tail = {tail} is not a probability; give one between 0 and 1")
        masses = [np.array([vector.sum() for vector in self.boundary])]
        R, vector = self.rate_matrix, self.first_repeating
        ones = np.ones(len(vector))
        if last is None:
            far = ceil(log(tail) / log(max(self.decay_rate, tail)))  # a guess, to choose the stride
        else:
            far = max(last + 1 - len(self.boundary), 0)
        if far > _MOST_LEVELS:
            raise TooLarge(f"the law runs over {far} levels, more than {_MOST_LEVELS}; ask for a larger tail")
        with blas_threads(1):
            weights = np.linalg.solve(np.eye(len(vector)) - R, ones)  # the sum of all R^n 1
            doublings = int(np.argmin([2**k + far / 2**k + k * len(vector) for k in range(24)]))
            columns = [ones]
            for _ in range(2**doublings - 1):
                columns.append(R @ columns[-1])
            W, stride = np.array(columns).T, np.linalg.matrix_power(R, 2**doublings)
            while far > 0 if last is not None else vector @ weights > tail:
                masses.append(vector @ W)
                vector = vector @ stride
                far -= W.shape[1]
        law = np.concatenate(masses)
        if last is not None:
            return law[: last + 1]
        beyond = vector @ weights + np.append(np.cumsum(law[:0:-1])[::-1], 0.0)
        return law[: int(np.argmax(beyond <= tail)) + 1]


def estimate_memory(level_sizes: Sequence[int], *, segment: int | None = None) -> int:
    """Return about how many bytes :func:`solve` holds at its peak, for levels 0..L of m_0..m_L phases.

    ``segment`` is the number of levels whose factors are kept at a time, by default all.

    Examples
    --------
    >>> estimate_memory([2000] * 65) / 1e9, estimate_memory([2000] * 65, segment=8) / 1e9
    (2.272, 0.736)
    """
    squares = [size * size for size in level_sizes[1:]]
    largest, kept = max(squares), sum(squares)
    if segment is not None and segment < len(squares):
        # the factors of one segment, and the G from which each segment starts
        kept = max(sum(squares[i : i + segment]) for i in range(len(squares))) + sum(squares[::segment])
    return 8 * max(_REDUCTION_MATRICES * squares[-1], kept + _WORKING_MATRICES * largest)


def solve(process: LevelProcess, *, memory_limit: float = 3e9, threads: int = 1) -> LevelLaw:
    """Return the stationary law, or raise Unstable, TooLarge or NotAccurate with the reason.

    Parameters
    ----------
    process
        The rates.
    memory_limit
        Bytes to stay below; see :func:`estimate_memory`. Where the factors of all levels would not fit, they
        are made in segments, for up to twice the time.
    threads
        BLAS threads; see :func:`msj.markov.quasi_birth_death.solve_repeating`.

    Examples
    --------
    M/M/2 with arrival rate 1 and service rate 1: the mean number in system is 4/3.

    >>> queue = LevelProcess(
    ...     local=[[[-1.0]], [[-2.0]]], up=[[[1.0]], [[1.0]]], down=[None, [[1.0]], [[2.0]]],
    ...     repeating_up=[[1.0]], repeating_local=[[-3.0]], repeating_down=[[2.0]])
    >>> law = solve(queue)
    >>> round(law.mean_level(), 12), round(law.level_mass(0), 12)
    (1.333333333333, 0.333333333333)
    """
    segment = _segment(process.level_sizes, memory_limit)
    blocks = (process.repeating_up, process.repeating_local, process.repeating_down)
    repeating = qbd.solve_repeating(*blocks, threads=threads)
    if -repeating.drift < _LEAST_DISTANCE * repeating.down_rate:
        raise NotAccurate(
            f"the rate up {repeating.up_rate:.15g} and the rate down {repeating.down_rate:.15g} are closer than "
            f"{_LEAST_DISTANCE:.0e}, relatively, so that rounding decides the answer; lower the load"
        )
    with blas_threads(threads):
        vectors = _level_vectors(process, repeating.first_passage, segment)
        mass = _time_above(process, repeating, vectors[-2] @ process.up[-1])
        moment = _time_above(process, repeating, mass @ process.repeating_up)
        total = mass.sum() + sum(vector.sum() for vector in vectors[:-1])
        vectors = [vector / total for vector in vectors]
        law = LevelLaw(
            boundary=tuple(vectors[:-1]),
            first_repeating=vectors[-1],
            repeating_mass=mass / total,
            repeating_first_moment=moment / total,
            repeating=repeating,
            residual=max(repeating.residual, _balance_error(process, vectors, mass / total, repeating)),
        )
    if not law.residual < _LARGEST_ERROR:
        raise NotAccurate(
            f"rounding left a relative error of {law.residual:.1e} in the balance equations (at most "
            f"{_LARGEST_ERROR:.0e} is accepted); bring the rates closer together"
        )
    return law


def possible_segments(levels: int) -> tuple[int, int]:
    """Return how many levels' factors may be kept at a time: all, or about the square root."""
    return levels, isqrt(levels - 1) + 1


def _segment(level_sizes: Sequence[int], memory_limit: float) -> int:
    levels = len(level_sizes) - 1
    for segment in possible_segments(levels):
        needed = estimate_memory(level_sizes, segment=segment)
        if needed <= memory_limit:
            return segment
    raise TooLarge(
        f"{levels} levels of up to {max(level_sizes)} phases need {needed / 1e9:.2g} GB, more than the limit of "
        f"{memory_limit / 1e9:.2g} GB; raise memory_limit or use fewer phases"
    )


def _level_vectors(process: LevelProcess, G: Matrix, segment: int) -> list[Vector]:
    """Return pi_0, ..., pi_L up to a common factor."""
    tops = range(process.first_repeating_level, 0, -segment)
    entrances = []
    factors: list[MMatrix] = []
    for top in tops:
        factors.clear()
        entrances.append(G)
        G = _reduce_levels(process, G, range(top, max(top - segment, 0), -1), factors)
    local, up, _ = process.blocks(0)
    U = -qbd.taboo_rates(local, up, G, exit_rates=np.zeros(local.shape[0]))
    (states, law), *others = closed_class_laws(U)
    if others:
        raise InvalidInput(
            f"level 0 falls into {len(others) + 1} sets of phases that do not reach each other, so the stationary "
            "law is not unique; keep one of them"
        )
    vectors = [np.zeros(len(U))]
    vectors[0][states] = law
    for top, entrance in zip(reversed(tops), reversed(entrances), strict=True):
        if not factors:
            _reduce_levels(process, entrance, range(top, max(top - segment, 0), -1), factors)
        while factors:
            vectors.append(factors.pop().solve_left(vectors[-1] @ process.up[len(vectors) - 1]))
            if vectors[-1].sum() > 1e100:  # only ratios matter; probabilities below 1e-300 may vanish
                vectors = [vector / vectors[-1].sum() for vector in vectors]
    return vectors


def _reduce_levels(process: LevelProcess, G: Matrix, levels: range, factors: list[MMatrix]) -> Matrix:
    """Append the factors of -U_n for the levels, from the top; return G of the lowest."""
    for n in levels:
        local, up, down = process.blocks(n)
        factors.append(MMatrix(qbd.taboo_rates(local, up, G, exit_rates=down.sum(axis=1)), overwrite=True))
        G, error = qbd.first_passage(factors[-1], down)
        if not error < _LARGEST_CORRECTION:
            raise NotAccurate(
                f"the probabilities of stepping down from level {n} miss one by {error:.1e} (at most "
                f"{_LARGEST_CORRECTION:.0e} is accepted); bring the rates closer together, and let every phase "
                "lead to the level below"
            )
    return G


def _time_above(process: LevelProcess, repeating: Repeating, entries: Vector) -> Vector:
    """Return ``entries (-U - A_up)^-1``: the time spent per phase in the levels above, per entry from below.

    State 0 stands for "below": left for phase j at rate entries_j t_j, entered from every phase at rate 1.
    """
    t = repeating.passage_time
    rates = np.zeros((len(t) + 1, len(t) + 1))
    rates[0, 1:] = entries * t
    rates[1:, 0] = 1.0
    phases = rates[1:, 1:]
    phases[:] = process.repeating_up @ repeating.first_passage
    phases += (process.repeating_local + process.repeating_up).toarray()
    phases *= t
    law = stationary_law(rates)
    law /= law[0]
    return law[1:]


def _balance_error(process: LevelProcess, vectors: list[Vector], mass: Vector, part: Repeating) -> float:
    """Return the largest error of the balance of levels 0..L+1 and of L and up together, relative to the flow."""
    L, up, down = process.first_repeating_level, process.repeating_up, process.repeating_down
    vectors = [*vectors, vectors[-1] @ part.rate_matrix]
    vectors.append(vectors[-1] @ part.rate_matrix)
    inflows = [vectors[n + 1] @ process.blocks(n + 1)[2] for n in range(L + 2)]
    for n in range(L + 1):
        inflows[n + 1] += vectors[n] @ process.blocks(n)[1]
    balances = [(vectors[n], process.blocks(n)[0], inflows[n]) for n in range(L + 2)]
    inflow = vectors[L - 1] @ process.up[-1] + mass @ up + (mass - vectors[L]) @ down
    balances.append((mass, process.repeating_local, inflow))
    return max(
        float(np.abs(vector @ local + inflow).sum() / -(local.diagonal() @ vector))
        for vector, local, inflow in balances
        if vector.sum() > 1e-290  # masses may vanish in underflow
    )
