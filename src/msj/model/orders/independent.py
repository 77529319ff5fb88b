"""Independent jobs: every job's class is drawn from the shares, whoever came before. The default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from msj.model.numbers import Number
from msj.model.orders.base import Order
from msj.model.orders.order_chain import OrderChain


@dataclass(frozen=True, kw_only=True)
class IndependentOrder(Order):
    """Every job for itself."""

    law: ClassVar[str] = "independent"
    summary: ClassVar[str] = "every job is drawn from the shares; the default"
    independent: ClassVar[bool] = True

    def chain(self, shares: Sequence[Number]) -> OrderChain:
        given = np.array([float(share) for share in shares])
        return OrderChain(entering=(given / given.sum())[:, None, None])

    def assumption(self) -> str:
        return "independent jobs"


VARIANT = IndependentOrder
