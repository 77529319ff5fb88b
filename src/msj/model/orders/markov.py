"""Markov order: the class of a job depends on that of the one before; ``matrix[i][j]`` from class i to class j.

The shares are the stationary law of the matrix, so they need not be given; where they are, they must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from msj.errors import InvalidInput
from msj.model.matrix import Rows, as_array, law_of, matrix, stochastic
from msj.model.numbers import Number
from msj.model.orders.base import Order
from msj.model.orders.order_chain import OrderChain


@dataclass(frozen=True, kw_only=True)
class MarkovOrder(Order):
    """Classes as a Markov chain.

    Examples
    --------
    >>> MarkovOrder(matrix=[["1/2", "1/2"], [1, 0]]).shares(2)
    (Fraction(2, 3), Fraction(1, 3))
    """

    law: ClassVar[str] = "markov"
    summary: ClassVar[str] = "the class depends on that of the job before; matrix (the shares follow from it)"

    matrix: Rows

    def __post_init__(self) -> None:
        rows = stochastic(matrix(self.matrix, "matrix"), "matrix")
        law_of(rows, "matrix")
        object.__setattr__(self, "matrix", rows)

    def chain(self, shares: Sequence[Number]) -> OrderChain:
        steps = as_array(self.matrix)
        steps /= steps.sum(axis=1, keepdims=True)
        states = np.arange(len(steps))
        return OrderChain(entering=np.array([np.where(states == c, steps, 0.0) for c in range(len(shares))]))

    def shares(self, classes: int) -> tuple[Number, ...]:
        if len(self.matrix) != classes:
            raise InvalidInput(f"matrix has {len(self.matrix)} rows and there are {classes} classes; give one for each")
        return law_of(self.matrix, "matrix")

    def restricted(self, keep: Sequence[int]) -> Self:
        return self.replace(matrix=tuple(tuple(self.matrix[i][j] for j in keep) for i in keep))

    def assumption(self) -> str:
        return "classes follow each other as a Markov chain"


VARIANT = MarkovOrder
