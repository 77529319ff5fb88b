"""Orders of jobs, one file each: who comes after whom. The folder's listing is their catalogue."""

from msj.model.orders.base import Order, order_from
from msj.model.orders.hidden_markov import HiddenMarkovOrder
from msj.model.orders.independent import IndependentOrder
from msj.model.orders.markov import MarkovOrder
from msj.model.orders.order_chain import OrderChain
from msj.model.orders.sticky import StickyOrder

__all__ = [
    "HiddenMarkovOrder",
    "IndependentOrder",
    "MarkovOrder",
    "Order",
    "OrderChain",
    "StickyOrder",
    "order_from",
]
