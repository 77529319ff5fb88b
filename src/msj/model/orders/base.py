"""What every order of jobs offers: the classes of successive jobs, as a chain with finitely many states.

Successive jobs are alike in real logs (same user, same script); an order says how much. It is a law of the classes of
job 1, 2, 3, ..., whenever they arrive. All orders are chains (``order_chain``), so exact methods understand each of
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from msj.model.law import Law, law_from
from msj.model.numbers import Number
from msj.model.orders.order_chain import OrderChain
from msj.model.outside import register
from msj.registry import ORDERS


class Order(Law, ABC):
    """The law of the classes of successive jobs."""

    #: Whether jobs know nothing of each other.
    independent: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        register(cls, "order of jobs")

    @abstractmethod
    def chain(self, shares: Sequence[Number]) -> OrderChain:
        """Return the chain behind the order; ``shares`` are those of the classes."""

    def shares(self, classes: int) -> tuple[Number, ...] | None:  # noqa: ARG002
        """Return the share of each class where the order says so itself, else None."""
        return None

    def restricted(self, keep: Sequence[int]) -> Self:  # noqa: ARG002
        """Return the same order for some of the classes only, all those that arrive among them."""
        return self

    def assumption(self) -> str:
        """Return the order for a line that says what was assumed."""
        return f"classes in {self.law} order"


def order_from(given: Any) -> Order:
    """Return the order that ``order = ...`` describes.

    Examples
    --------
    >>> order_from({"law": "sticky", "probability": 0.7}).probability
    0.7
    """
    found: Order = law_from(ORDERS, given, Order, '{ law = "sticky", probability = 0.7 }')
    return found
