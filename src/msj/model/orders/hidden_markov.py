"""Hidden Markov order: a Markov chain with states nobody sees (projects, users), each with its own mix of classes.

``matrix[g][h]`` leads from state g to state h from one job to the next, and ``classes[h][c]`` is the probability that a
job in state h is of class c. The shares are pi·classes, pi the law of the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from msj.errors import InvalidInput
from msj.model.matrix import Rows, as_array, law_of, matrix, recurrent, stochastic
from msj.model.numbers import Number
from msj.model.orders.base import Order
from msj.model.orders.order_chain import OrderChain


@dataclass(frozen=True, kw_only=True)
class HiddenMarkovOrder(Order):
    """Classes drawn in states that follow each other as a Markov chain.

    Examples
    --------
    >>> HiddenMarkovOrder(matrix=[["1/2", "1/2"], [1, 0]], classes=[[1, 0], ["1/2", "1/2"]]).shares(2)
    (Fraction(5, 6), Fraction(1, 6))
    """

    law: ClassVar[str] = "hidden-markov"
    summary: ClassVar[str] = "hidden states, each with its own mix of classes; matrix, classes"

    matrix: Rows
    classes: Rows

    def __post_init__(self) -> None:
        rows = stochastic(matrix(self.matrix, "matrix"), "matrix")
        law_of(rows, "matrix")
        width = len(self.classes[0]) if isinstance(self.classes, (list, tuple)) and len(self.classes) else 1
        mixes = stochastic(matrix(self.classes, "classes", columns=width), "classes")
        if len(mixes) != len(rows):
            raise InvalidInput(f"{len(rows)} states and {len(mixes)} rows of classes; give one row for each state")
        object.__setattr__(self, "matrix", rows)
        object.__setattr__(self, "classes", mixes)

    def chain(self, shares: Sequence[Number]) -> OrderChain:  # noqa: ARG002
        steps, mixes = as_array(self.matrix), as_array(self.classes)
        steps /= steps.sum(axis=1, keepdims=True)
        mixes /= mixes.sum(axis=1, keepdims=True)
        return OrderChain(entering=steps[None, :, :] * mixes.T[:, None, :])

    def shares(self, classes: int) -> tuple[Number, ...]:
        if len(self.classes[0]) != classes:
            raise InvalidInput(
                f"classes has rows of {len(self.classes[0])} numbers and there are {classes} classes; "
                "give one probability for each class"
            )
        law = law_of(self.matrix, "matrix")
        return tuple(sum(p * row[c] for p, row in zip(law, self.classes, strict=True)) for c in range(classes))

    def restricted(self, keep: Sequence[int]) -> Self:
        states = recurrent(self.matrix, "matrix")  # others may hold classes that are left out
        steps = tuple(tuple(self.matrix[g][h] for h in states) for g in states)
        return self.replace(matrix=steps, classes=tuple(tuple(self.classes[h][c] for c in keep) for h in states))

    def assumption(self) -> str:
        return f"classes follow {len(self.matrix)} hidden states"


VARIANT = HiddenMarkovOrder
