"""Marked chains: finite Markov chains in which some transitions are completions.

A marked chain has a generator split in two, D0 + D1: D1 holds the rates of the transitions that complete a job, D0
all others (and the diagonal). It is all that the exact methods know of a model: the saturated system of any
finite-skip model is one (reset, section 3.6), and so is any service process a user writes down.

Large chains keep D1 factored. A completion may be followed by several instantaneous steps (jobs that start, one
after the other); writing these as *vanishing* states, passed in no time, keeps every row short. With

- ``completing``  A: completions straight into a state,
- ``starting``    B: completions into a vanishing state,
- ``passing``     S: probabilities from one vanishing state to the next (acyclic),
- ``settling``    W: probabilities from a vanishing state into an ordinary one,

D1 = A + B·(I − S)^(−1)·W. A chain without vanishing states has B, S and W empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import spsolve_triangular

from msj.errors import InvalidInput

Sparse: TypeAlias = Any  # scipy's sparse arrays carry no useful types
Vector: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MarkedChain:
    """A finite chain with marked transitions; make small ones with :meth:`from_matrices`."""

    quiet: Sparse
    completing: Sparse
    starting: Sparse
    passing: Sparse
    settling: Sparse
    dimension: int | None = None  # in how many directions the states spread out, if the maker knows
    likely_state: int | None = None  # where the chain often is, if its maker knows; solvers anchor there

    @classmethod
    def from_matrices(cls, D0: ArrayLike | Sparse, D1: ArrayLike | Sparse) -> MarkedChain:
        """Make a chain from its two matrices, checking that they are a generator in two parts.

        Examples
        --------
        >>> MarkedChain.from_matrices([[-3, 1], [2, -2]], [[2, 0], [0, 0]]).states
        2
        """
        quiet, completing = _matrix(D0, "D0"), _matrix(D1, "D1")
        _check_generator(quiet, completing)
        _check_one_recurrent_class(quiet + completing)
        none = sparse.csr_array((quiet.shape[0], 0))
        return cls(
            quiet=quiet,
            completing=completing,
            starting=none,
            passing=sparse.csr_array((0, 0)),
            settling=none.T.tocsr(),
        )

    @classmethod
    def from_blocks(
        cls, *, quiet: Sparse, completing: Sparse, starting: Sparse, passing: Sparse, settling: Sparse
    ) -> MarkedChain:
        """Make a chain with vanishing states; ``quiet`` comes without its diagonal, which the other rates fix.

        Examples
        --------
        A machine that makes pieces of two sorts, one after the other:

        >>> block = sparse.csr_array
        >>> chain = MarkedChain.from_blocks(
        ...     quiet=block((2, 2)), completing=block((2, 2)), starting=block([[1.0], [2.0]]),
        ...     passing=block((1, 1)), settling=block([[0.5, 0.5]]))
        >>> chain.D1.toarray().tolist()
        [[0.5, 0.5], [1.0, 1.0]]
        """
        for block in (quiet, completing, starting):
            if block.nnz and not (np.isfinite(block.data).all() and block.data.min() >= 0):
                worst = block.data[~(block.data >= 0) | ~np.isfinite(block.data)][0]
                raise InvalidInput(f"a step has the rate {worst:g}; rates must be finite and not negative")
        if completing.nnz + starting.nnz == 0:
            raise InvalidInput("nothing is ever completed; let some step complete a job")
        leaving = np.asarray(quiet.sum(axis=1) + completing.sum(axis=1) + starting.sum(axis=1))
        chain = cls(
            quiet=(quiet - sparse.diags_array(leaving)).tocsr(),
            completing=completing,
            starting=starting,
            passing=passing,
            settling=settling,
        )
        _check_one_recurrent_class(chain.augmented())
        return chain

    @property
    def states(self) -> int:
        """Number of states (vanishing ones apart)."""
        return int(self.quiet.shape[0])

    @property
    def vanishing(self) -> int:
        """Number of vanishing states."""
        return int(self.passing.shape[0])

    @cached_property
    def completion_rates(self) -> Vector:
        """Rate of completions in each state, D1·1."""
        ones = np.ones(self.states)
        return np.asarray(self.completing @ ones + self.starting @ np.ones(self.vanishing))

    @cached_property
    def D1(self) -> Sparse:
        """The completion matrix with the vanishing states eliminated; for chains of moderate size."""
        if not self.vanishing:
            return self.completing
        # The passing steps only ever add jobs, so I − S is triangular in the order of the states.
        eye = sparse.eye_array(self.vanishing, format="csr")
        settled = spsolve_triangular((eye - self.passing).tocsr(), self.settling.toarray(), lower=False)
        return sparse.csr_array(self.completing + self.starting @ sparse.csr_array(settled))

    @property
    def D0(self) -> Sparse:
        """The matrix of the transitions that complete nothing."""
        return self.quiet

    def augmented(self) -> Sparse:
        """Generator on ordinary and vanishing states together (vanishing ones are left at rate 1)."""
        eye = sparse.eye_array(self.vanishing, format="csr")
        blocks = [[self.quiet + self.completing, self.starting], [self.settling, self.passing - eye]]
        return sparse.csr_array(sparse.block_array(blocks, format="csr")) if self.vanishing else blocks[0][0].tocsr()


def _matrix(values: ArrayLike | Sparse, name: str) -> Sparse:
    try:
        matrix = sparse.csr_array(values if sparse.issparse(values) else np.atleast_2d(np.asarray(values, dtype=float)))
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} = {values!r} is not a matrix of numbers; write [[-1, 1], [2, -2]]") from None
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(f"{name} has shape {matrix.shape}; it must be square, one row per state")
    if not np.isfinite(matrix.data).all():
        raise InvalidInput(f"{name} holds a value that is not finite; give finite rates")
    return matrix.astype(np.float64)


class SeveralRecurrentClasses(InvalidInput):
    """A chain whose long run depends on where it starts."""


def _check_generator(D0: Sparse, D1: Sparse) -> None:
    if D0.shape != D1.shape:
        raise InvalidInput(f"D0 has shape {D0.shape} and D1 has shape {D1.shape}; they must be equal")
    if D1.nnz and D1.data.min() < 0:
        raise InvalidInput(f"D1 holds the rate {D1.data.min():g}; completion rates must not be negative")
    off_diagonal = D0 - sparse.diags_array(D0.diagonal())
    if off_diagonal.nnz and off_diagonal.data.min() < 0:
        raise InvalidInput(f"D0 holds the rate {off_diagonal.data.min():g} off its diagonal; it must not be negative")
    rows = (D0 + D1) @ np.ones(D0.shape[0])
    scale = np.maximum(np.abs(D0.diagonal()), np.finfo(float).tiny)
    worst = int(np.argmax(np.abs(rows) / scale))
    if abs(rows[worst]) > 1e-9 * scale[worst]:
        raise InvalidInput(
            f"row {worst} of D0 + D1 sums to {rows[worst]:g}; it must sum to 0: "
            "set D0's diagonal to minus the other rates of the row"
        )
    if not D1.nnz or D1.data.max() == 0:
        raise InvalidInput("D1 is zero, so nothing is ever completed; give some completion rate")


def _check_one_recurrent_class(generator: Sparse) -> None:
    count, component = connected_components(generator, directed=True, connection="strong")
    entries = generator.tocoo()
    leaves = np.zeros(count, dtype=bool)
    crossing = (component[entries.row] != component[entries.col]) & (entries.data > 0)
    leaves[component[entries.row[crossing]]] = True
    closed = np.flatnonzero(~leaves)
    if len(closed) > 1:
        first, second = (int(np.flatnonzero(component == c)[0]) for c in closed[:2])
        raise SeveralRecurrentClasses(
            f"states {first} and {second} cannot reach each other, so the long run depends on the start; "
            "give a chain with one recurrent class"
        )
