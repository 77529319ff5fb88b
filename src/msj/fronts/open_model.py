"""The open system of a finite-skip model, level by level.

Level n is the number of jobs in the system; below the front's size every level has its own phases, from level L on
they repeat (reset, sections 3 and 7). A :class:`LevelBlocks` holds what does not depend on the arrival rate lambda:

- ``quiet[n]``     rates between phases of level n (no diagonal),
- ``arrivals[n]``  where an arrival leads from level n to n + 1 (rows sum to 1; from L on the identity),
- ``completions[n]`` completion rates from level n to n − 1 (n >= 1), and ``repeating_completions`` between the
  phases of two repeating levels,

so that one model serves every load: up = lambda·arrivals, local = quiet − diagonal, down = completions. An
:class:`OpenModel` also says what the phases mean: how many jobs of each class are in service, how many servers idle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.markov.level_process import LevelProcess
from msj.markov.marked_chain import Sparse
from msj.model.arrivals import MarkovForm

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalBlock:
    """The block of a level as a function of the arrival rate: only its diagonal, −(leaving + rate), depends on it."""

    pattern: Sparse
    places: NDArray[np.intp]  # of the diagonal among the entries, row by row
    leaving: NDArray[np.float64]

    @classmethod
    def of(cls, quiet: Sparse, down: Sparse | None) -> LocalBlock:
        """Take the rates within a level (no diagonal) and those downwards."""
        size = quiet.shape[0]
        leaving = quiet.sum(axis=1) + (0.0 if down is None else down.sum(axis=1))
        entries, each = quiet.tocoo(), np.arange(size)
        rows, columns = np.append(entries.row, each), np.append(entries.col, each)
        values = np.append(entries.data, np.ones(size))  # so that every diagonal entry is stored
        pattern = sparse.coo_array((values, (rows, columns)), shape=quiet.shape).tocsr()
        rows = np.repeat(each, np.diff(pattern.indptr))
        return cls(pattern=pattern, places=np.flatnonzero(rows == pattern.indices), leaving=leaving)

    def at(self, rate: float) -> Sparse:
        """Return the block at an arrival rate."""
        data = self.pattern.data.copy()
        data[self.places] = -(self.leaving + rate)
        # Copies: whoever gets it may drop its zeros in place (at rate 0 nobody leaves the empty system).
        places = (self.pattern.indices.copy(), self.pattern.indptr.copy())
        return sparse.csr_array((data, *places), shape=self.pattern.shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelBlocks:
    """Blocks of a level process apart from lambda; lists run over levels 0..L."""

    quiet: tuple[Sparse, ...]
    arrivals: tuple[Sparse, ...]  # levels 0..L−1
    completions: tuple[Sparse, ...]  # levels 1..L; entry 0 is None
    repeating_completions: Sparse

    @property
    def first_repeating_level(self) -> int:
        """L: from here on every level has the same phases."""
        return len(self.quiet) - 1

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """Number of phases of levels 0..L."""
        return tuple(block.shape[0] for block in self.quiet)

    def at(self, arrival_rate: float) -> LevelProcess:
        """Return the level process at one arrival rate."""
        local = [block.at(arrival_rate) for block in self._locals]
        identity = sparse.eye_array(self.level_sizes[-1], format="csr")
        return LevelProcess(
            local=local[:-1],
            up=[arrival_rate * block for block in self.arrivals],
            down=list(self.completions),
            repeating_up=arrival_rate * identity,
            repeating_local=local[-1],
            repeating_down=self.repeating_completions,
        )

    def under(self, form: MarkovForm) -> LevelProcess:
        """Return the level process under Markovian arrivals: phases are (front, phase of the arrivals).

        The two do not know of each other: arrivals are D1 on one side and lead the front on the other, all else happens
        on one side only. While the arrivals are in a phase that is passed in no time, the front stands still.
        """
        timed = sparse.diags_array((~form.passing).astype(float), format="csr")
        quiet, marked = sparse.csr_array(form.D0), sparse.csr_array(form.D1)
        sizes = self.level_sizes
        local = [
            sparse.kron(self._locals[n].at(0.0), timed, format="csr")
            + sparse.kron(sparse.eye_array(size, format="csr"), quiet, format="csr")
            for n, size in enumerate(sizes)
        ]
        identity = sparse.eye_array(sizes[-1], format="csr")
        return LevelProcess(
            local=local[:-1],
            up=[sparse.kron(block, marked, format="csr") for block in self.arrivals],
            down=[None, *(sparse.kron(block, timed, format="csr") for block in self.completions[1:])],
            repeating_up=sparse.kron(identity, marked, format="csr"),
            repeating_local=local[-1],
            repeating_down=sparse.kron(self.repeating_completions, timed, format="csr"),
        )

    def local_without_arrivals(self, level: int) -> Sparse:
        """Return the block of a level when nobody else arrives: what a job sees happen ahead of it."""
        return self._locals[level].at(0.0)

    @cached_property
    def _locals(self) -> tuple[LocalBlock, ...]:
        last = self.first_repeating_level
        downs = (*self.completions[:last], self.repeating_completions)
        return tuple(LocalBlock.of(quiet, down) for quiet, down in zip(self.quiet, downs, strict=True))


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenModel(LevelBlocks):
    """Level blocks of a cluster whose jobs start in arrival order."""

    in_service: tuple[Counts, ...]  # per level: phases × classes
    free_servers: tuple[Counts, ...]  # per level: servers idle in each phase
    order_state: tuple[Counts, ...]  # per level: state of the order of jobs after the last that has started

    def waiting(self, level: int) -> Counts:
        """Jobs waiting in each phase of a level up to L."""
        return np.asarray(level - self.in_service[level].sum(axis=1))
