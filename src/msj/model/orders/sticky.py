"""Sticky order: with some probability s a job is of the class of the one before it, else it is drawn from the shares.

P = s·I + (1 − s)·1·p: classes come in runs of 1/((1 − s)(1 − p_c)) jobs on average, and the shares stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from msj.errors import InvalidInput
from msj.model.numbers import Number, as_text
from msj.model.numbers import probability as as_probability
from msj.model.orders.base import Order
from msj.model.orders.order_chain import OrderChain


@dataclass(frozen=True, kw_only=True)
class StickyOrder(Order):
    """Jobs like the one before.

    Examples
    --------
    >>> StickyOrder(probability=0.5).chain([0.5, 0.5]).steps.tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    law: ClassVar[str] = "sticky"
    summary: ClassVar[str] = "like the job before with some probability, else drawn from the shares; probability"

    probability: Number

    def __post_init__(self) -> None:
        found = as_probability(self.probability, "probability")
        if found == 1:
            raise InvalidInput("probability = 1 lets no other class ever come; give less than 1, such as 0.9")
        object.__setattr__(self, "probability", found)

    def chain(self, shares: Sequence[Number]) -> OrderChain:
        given = np.array([float(share) for share in shares])
        given = given / given.sum()
        stays = float(self.probability)
        steps = stays * np.eye(len(given)) + (1.0 - stays) * given
        return OrderChain(
            entering=np.array([np.where(np.arange(len(given)) == c, steps, 0.0) for c in range(len(given))])
        )

    def assumption(self) -> str:
        return f"a job is like the one before with probability {as_text(self.probability)} (sticky order)"


VARIANT = StickyOrder
