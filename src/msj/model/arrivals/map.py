"""Markovian arrival processes (MAP): a Markov chain some of whose transitions are arrivals.

``D0`` holds the rates without an arrival and the diagonal, ``D1`` those with one; D0 + D1 is a generator with law
theta, and the rate is lambda = theta·D1·1 (Neuts 1979; Lucantoni 1991). Independent phase-type gaps, Markov-modulated
Poisson arrivals and their sums are such processes.

``D1`` may be a table with one matrix for each class: then the chain also says who comes, and a burst may be one of
alike jobs. The classes then follow each other like a hidden Markov chain whose state is the phase after an arrival:
from phase i the next arrival is of class c and leads to j with probability ((−D0)^(−1)·D1_c)_ij.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.matrix import Rows, as_array, law_of, matrix, require_generator, require_rates
from msj.model.numbers import Number, text
from msj.model.table import Table

if TYPE_CHECKING:
    from msj.model.orders.order_chain import OrderChain


@dataclass(frozen=True, kw_only=True)
class MapArrivals(Arrivals):
    """Arrivals marked on a Markov chain.

    Examples
    --------
    >>> on_off = MapArrivals(D0=[[-3, 1], [1, -1]], D1=[[2, 0], [0, 0]])
    >>> on_off.own_rate, on_off.dispersion(1.0)
    (Fraction(1, 1), 2.0)
    """

    law: ClassVar[str] = "map"
    summary: ClassVar[str] = "a Markov chain that marks its arrivals; D0, D1 (one matrix, or one for each class)"
    time_powers: ClassVar[Mapping[str, int]] = {"D0": -1, "D1": -1}

    D0: Rows
    D1: Rows | Mapping[str, Rows]

    def __post_init__(self) -> None:
        quiet = matrix(self.D0, "D0")
        require_rates(quiet, "D0", diagonal=True)
        if isinstance(self.D1, Mapping):
            if not self.D1:
                raise InvalidInput("D1 = {} names no class; give one matrix for each class")
            pairs = tuple((text(name, "a class of D1"), matrix(rows, f"D1.{name}")) for name, rows in self.D1.items())
            marked = [(f"D1.{name}", rows) for name, rows in pairs]
            object.__setattr__(self, "D1", Table(pairs))
        else:
            rows = matrix(self.D1, "D1")
            marked = [("D1", rows)]
            object.__setattr__(self, "D1", rows)
        object.__setattr__(self, "D0", quiet)
        for name, rows in marked:
            require_rates(rows, name, diagonal=False)
            if len(rows) != len(quiet):
                raise InvalidInput(f"{name} has {len(rows)} rows and D0 has {len(quiet)}; give both one row per phase")
        require_generator([quiet, *(rows for _, rows in marked)], "D0 + D1")
        law_of(self._generator, "D0 + D1")
        if not self.own_rate > 0:
            raise InvalidInput("D1 is zero wherever the chain goes, so nobody ever arrives; give some rate of arrivals")

    @cached_property
    def _marked(self) -> tuple[Rows, ...]:
        return tuple(self.D1.values()) if isinstance(self.D1, Mapping) else (self.D1,)

    @cached_property
    def _generator(self) -> list[list[Number]]:
        size = len(self.D0)
        return [[self.D0[i][j] + sum(rows[i][j] for rows in self._marked) for j in range(size)] for i in range(size)]

    @cached_property
    def _rates(self) -> tuple[Number, ...]:
        """Arrivals per unit of time, for each of the marked matrices."""
        law = law_of(self._generator, "D0 + D1")
        return tuple(sum(p * sum(row) for p, row in zip(law, rows, strict=True)) for rows in self._marked)

    @property
    def own_rate(self) -> Number:
        return sum(self._rates)

    def markov_form(self, rate: float) -> MarkovForm:
        factor = rate / float(self.own_rate)
        return MarkovForm.of(factor * as_array(self.D0), factor * sum(as_array(rows) for rows in self._marked))

    @property
    def marks_classes(self) -> bool:
        return isinstance(self.D1, Mapping)

    def shares(self, names: Sequence[str]) -> tuple[Number, ...] | None:
        if not isinstance(self.D1, Mapping):
            return None
        unknown = next((name for name in self.D1 if name not in names), None)
        missing = next((name for name in names if name not in self.D1), None)
        if unknown is not None or missing is not None:
            what = f"has '{unknown}', which is no class" if unknown is not None else f"has no class '{missing}'"
            raise InvalidInput(f"D1 {what}; give one matrix for each of {', '.join(names)}")
        by_name = dict(zip(self.D1, self._rates, strict=True))
        return tuple(by_name[name] / self.own_rate for name in names)

    def order_chain(self, names: Sequence[str]) -> OrderChain | None:
        from msj.model.orders.order_chain import OrderChain

        if not isinstance(self.D1, Mapping):
            return None
        entering = np.array([np.linalg.solve(-as_array(self.D0), as_array(self.D1[name])) for name in names])
        return OrderChain(entering=entering)

    def restricted(self, names: Sequence[str]) -> Self:
        if not isinstance(self.D1, Mapping):
            return self
        return self.replace(D1={name: self.D1[name] for name in names})

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:
        factor = rate / float(self.own_rate)
        marked = [self.D1[name] for name in names] if isinstance(self.D1, Mapping) else [self.D1]
        return MapSampler(factor * as_array(self.D0), factor * np.array([as_array(rows) for rows in marked]), rng)

    def assumption(self) -> str:
        said = " that say who comes" if self.marks_classes else ""
        return f"Markovian arrivals (MAP of {len(self.D0)} phases){said}"


class MapSampler(ArrivalSampler):
    """Walks through the phases, from arrival to arrival."""

    def __init__(self, D0: NDArray[np.float64], D1: NDArray[np.float64], rng: np.random.Generator) -> None:
        self.rng = rng
        self.marks = len(D1) > 1
        quiet = D0 - np.diag(np.diag(D0))
        jumps = np.concatenate([quiet, *D1], axis=1)  # where to: no arrival, then an arrival of each class
        self.leaving = jumps.sum(axis=1)
        self.cumulative = np.cumsum(jumps, axis=1) / np.maximum(self.leaving, 1e-300)[:, None]
        self.cumulative[:, -1] = 2.0  # rounding leaves nothing above
        last = np.array([np.flatnonzero(row)[-1] if row.any() else 0 for row in jumps])
        for i, j in enumerate(last):
            self.cumulative[i, j:] = 2.0
        form = MarkovForm.of(D0, D1.sum(axis=0))
        self.phase = np.array([rng.choice(len(D0), p=form.law)])

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:
        from msj.model.arrivals.walk import walk_to_arrivals

        walk_to_arrivals(self.rng, self.phase, self.leaving, self.cumulative, gaps, classes, self.marks)


VARIANT = MapArrivals
