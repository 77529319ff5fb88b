"""Chains from their rules: visit every state that can be reached and write down the rates.

Plain Python, meant for small models: it is how the slow, obviously right twins of the compiled builders are made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import numpy as np
import scipy.sparse as sparse

from msj.errors import TooLarge
from msj.markov.marked_chain import MarkedChain

State = TypeVar("State", bound=Hashable)
#: (state reached, rate, whether a job completes)
Step = tuple[State, float, bool]


def explore(
    start: Iterable[State], steps: Callable[[State], Iterable[Step[State]]], *, most_states: int = 20_000
) -> tuple[list[State], MarkedChain]:
    """Return the states reachable from ``start`` and their marked chain.

    Examples
    --------
    >>> states, chain = explore(["up"], lambda s: [("down", 1.0, False), ("up", 2.0, True)] if s == "up"
    ...                         else [("up", 2.0, False)])
    >>> states
    ['up', 'down']
    """
    states: list[State] = list(dict.fromkeys(start))
    number = {state: i for i, state in enumerate(states)}
    entries: tuple[list[tuple[int, int, float]], list[tuple[int, int, float]]] = ([], [])
    for i, state in enumerate(states):  # the list grows while it is read
        total = 0.0
        for reached, rate, completes in steps(state):
            if reached not in number:
                if len(states) >= most_states:
                    raise TooLarge(f"more than {most_states:,} states can be reached; use a smaller system")
                number[reached] = len(states)
                states.append(reached)
            entries[completes].append((i, number[reached], rate))
            total += rate
        entries[False].append((i, i, -total))
    size = len(states)
    matrices = []
    for part in entries:
        rows, columns, rates = zip(*part, strict=True) if part else ((), (), ())
        matrices.append(sparse.csr_array(sparse.coo_array((np.array(rates, float), (rows, columns)), (size, size))))
    return states, MarkedChain.from_matrices(*matrices)
