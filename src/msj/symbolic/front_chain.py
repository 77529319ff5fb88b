"""The saturated chain of any finite-skip model over any field.

The oldest jobs that a policy or model looks at are its front; in the saturated system somebody always waits, so a front
that is not full is filled up at once by fresh jobs of classes drawn by their shares (reset, section 7). With
exponential durations every rate out of a front is ``own + sum_i c_i mu_i``: ``c_i`` is the speed at which jobs of class
i are served there, ``own`` a rate of the model itself (a server that is set up, say). These are rational numbers, so
the chain can be written down in fractions, or with shares and rates as symbols, as that of FCFS is in ``chain``.

A full front that is met once and never again plays no part in the long run and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from msj.errors import NotSupported, TooLarge
from msj.symbolic.entries import Entry

Law = dict[Any, Entry]


@dataclass(frozen=True, kw_only=True)
class Step:
    """What can happen to a front: its rate is ``own`` plus ``by_class`` times the rates of the classes."""

    own: Fraction
    by_class: tuple[Fraction, ...]
    after: Any
    completes: bool


class ExactFront(Protocol):
    """What is known here of a front, without rounding."""

    @property
    def servers(self) -> int:
        """How many servers there are."""

    @property
    def fresh(self) -> Sequence[tuple[Any, int, Fraction]]:
        """Jobs that may join: the job, its class, and how likely it is among those of its class."""

    def empty(self) -> Any:
        """Return the front without jobs."""

    def full(self, front: Any) -> bool:
        """Return whether it looks at no further job."""

    def add(self, front: Any, job: Any) -> Any:
        """Return the front after the next job has joined."""

    def settled(self, front: Any) -> Sequence[tuple[Any, Fraction]]:
        """Return the law of what a full front becomes once it is clear who is there."""

    def steps(self, front: Any) -> Sequence[Step]:
        """Return what can happen next."""

    def busy(self, front: Any) -> Fraction:
        """Return how many servers are in use."""


@dataclass(frozen=True, kw_only=True)
class FrontChain:
    """The chain of the full fronts, split by whether a job completes; see ``chain.SaturatedChain``."""

    servers: int
    states: tuple[Any, ...]
    busy_servers: dict[Any, Fraction]
    without_completion: tuple[dict[int, Entry], ...]
    with_completion: tuple[dict[int, Entry], ...]

    def busy(self, state: Any) -> Fraction:
        """Return the number of busy servers."""
        return self.busy_servers[state]

    def names(self) -> tuple[str, ...]:
        """Return the fronts as texts; a number in them is a class, counted from 0, unless the model says otherwise."""
        return tuple(str(state).replace(" ", "").replace(",)", ")") for state in self.states)


def build_front(
    front: ExactFront,
    *,
    shares: Sequence[Entry],
    rates: Sequence[Entry],
    number: Callable[[Fraction], Entry],
    most_states: int,
) -> FrontChain:
    """Build the saturated chain of a front.

    Parameters
    ----------
    front
        The front.
    shares, rates
        Of each class, as elements of a field.
    number
        Turns a fraction into an element of that field.
    most_states
        Refuse a chain with more full fronts than this.
    """
    filled = _filling(front, shares, number, most_states)
    rows: dict[Any, tuple[Law, Law]] = {}
    waiting = list(filled(front.empty()))
    while waiting:
        state = waiting.pop()
        if state in rows:
            continue
        if len(rows) >= most_states:
            raise TooLarge(
                f"there are more than {most_states} full fronts, where exact work of this kind stops; take fewer "
                "servers, classes or symbols"
            )
        rows[state] = ({}, {})
        for step in front.steps(state):
            rate = number(step.own)
            for i, part in enumerate(step.by_class):
                if part:
                    rate = rate + number(part) * rates[i]
            for reached, chance in filled(step.after).items():
                _add_to(rows[state][step.completes], reached, rate * chance)
                waiting.append(reached)
    return _recurrent(front, rows)


def _filling(
    front: ExactFront, shares: Sequence[Entry], number: Callable[[Fraction], Entry], most_states: int
) -> Callable[[Any], Law]:
    """Return the function from a front to the law of the full ones that it becomes at once."""
    joins = [(job, shares[i] * number(chance)) for job, i, chance in front.fresh]
    known: dict[Any, Law] = {}

    def filled(begin: Any) -> Law:
        if begin in known:
            return known[begin]
        law: Law = {}
        if front.full(begin):
            for reached, chance in front.settled(begin):
                _add_to(law, reached, number(chance))
        else:
            for job, chance in joins:
                for reached, rest in filled(front.add(begin, job)).items():
                    _add_to(law, reached, chance * rest)
        if len(known) > 50 * most_states:
            raise TooLarge(f"more than {len(known)} fronts were met on the way to full ones; take fewer servers")
        known[begin] = law
        return law

    return filled


def _recurrent(front: ExactFront, rows: dict[Any, tuple[Law, Law]]) -> FrontChain:
    """Keep the fronts that are met again and again, in a fixed order."""
    met = list(rows)
    place = {state: i for i, state in enumerate(met)}
    moves = [(place[state], place[to]) for state, laws in rows.items() for law in laws for to in law]
    i, j = np.array(moves, dtype=np.int64).reshape(-1, 2).T
    groups, labels = connected_components(
        coo_array((np.ones(len(i)), (i, j)), (len(met), len(met))), connection="strong"
    )
    closed = set(range(groups)) - set(labels[i[labels[i] != labels[j]]].tolist())
    if len(closed) != 1:
        raise NotSupported(f"the saturated chain falls into {len(closed)} parts that do not meet; exact work needs one")
    kept = sorted((state for state in met if labels[place[state]] in closed), key=str)
    index = {state: n for n, state in enumerate(kept)}

    def numbered(law: Law) -> dict[int, Entry]:
        return dict(sorted((index[to], rate) for to, rate in law.items()))

    return FrontChain(
        servers=front.servers,
        states=tuple(kept),
        busy_servers={state: front.busy(state) for state in kept},
        without_completion=tuple(numbered(rows[state][0]) for state in kept),
        with_completion=tuple(numbered(rows[state][1]) for state in kept),
    )


def _add_to(law: Law, target: Any, amount: Entry) -> None:
    law[target] = law[target] + amount if target in law else amount
