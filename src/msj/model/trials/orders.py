"""Trial of an order of jobs: its chain must be a chain, and must have the shares of the classes.

Classes are drawn from the chain, and exact methods read the chain, so both agree. The shares are declared a second
time, by the classes: with pi the law of the states, class c has the share pi·entering[c]·1. An order that is declared
independent is drawn from the shares alone, so its chain must give each class its share in every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msj.model.orders.base import Order
from msj.model.orders.order_chain import OrderChain
from msj.model.trials.trial import Trial

EQUAL = 1e-6


def try_order(law: Order, shares: Sequence[Any]) -> Trial:
    """Return the trial of an order of jobs of classes with these shares; an order that fails it is refused.

    Examples
    --------
    >>> from msj.model.orders import order_from
    >>> [check.name for check in try_order(order_from({"law": "sticky", "probability": 0.7}), [0.5, 0.5]).checks]
    ['probabilities', 'shares']
    """
    trial = Trial(law=law)
    chain = trial.declared("chain", tuple(shares))
    if not isinstance(chain, OrderChain):
        raise trial.refusal(f"returns a {type(chain).__name__} from chain; it must return an OrderChain; correct chain")
    entering = np.asarray(chain.entering, dtype=float)
    classes = len(shares)
    if entering.ndim != 3 or entering.shape[0] != classes or entering.shape[1] != entering.shape[2]:
        raise trial.refusal(
            f"has a chain of shape {entering.shape}; entering must have the shape (classes, states, states) with "
            f"{classes} classes; correct chain"
        )
    least, sums = float(entering.min()), entering.sum(axis=(0, 2))
    wrong = max(-least, float(np.abs(sums - 1.0).max()))
    trial.require(
        "probabilities",
        wrong,
        EQUAL,
        f"has a chain with the smallest probability {least:g} and row sums from {sums.min():g} to {sums.max():g}; "
        "probabilities must not be negative and must sum to 1 in every state; correct chain",
    )
    given = np.array([float(share) for share in shares])
    found = chain.next_class if law.independent else (chain.law @ chain.next_class)[None, :]
    state, place = np.unravel_index(int(np.abs(found - given).argmax()), found.shape)
    trial.require(
        "shares",
        float(np.abs(found - given).max()),
        EQUAL,
        f"gives the class number {place} the share {found[state, place]:.6g}, and the system has "
        f"{given[place]:.6g}; both must be equal; correct chain or shares",
    )
    return trial
