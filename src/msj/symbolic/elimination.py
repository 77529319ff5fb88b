"""State elimination: the stationary law and Poisson's equation of a chain over any field.

States are taken out one at a time; taking out s sends what used to pass through s straight on,
q(i, j) += q(i, s) q(s, j) / sum_j q(s, j), which is the chain watched only outside s (Grassmann, Taksar and
Heyman). The remaining rates stay those of a chain: nothing is ever subtracted, so over the rational functions
no cancellation has to be discovered, and every intermediate result has a meaning and stays small. The state
with the fewest ways through it goes first, which keeps a sparse chain sparse.

Running the steps backwards gives the stationary law up to a factor (:func:`stationary_weights`) and the mean
gain collected before the last state is reached (:func:`gain_until_last`); with the gain c(y) - lambda* this
solves (D0 + D1) Delta = lambda* - D1 1 up to a constant (reset, Corollary D.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msj.symbolic.entries import Entry

Rates = dict[int, Entry]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One state taken out: where it led, and who led to it, when its turn came."""

    state: int
    out_rate: Entry
    to: Rates  # probabilities
    into: Rates  # rates


@dataclass(frozen=True, kw_only=True)
class Elimination:
    """All states but one taken out, in order."""

    steps: tuple[Step, ...]
    last: int


def eliminate(rows: Sequence[Rates]) -> Elimination:
    """Take out all states but one of an irreducible chain given by its rates; diagonals are ignored.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from msj.symbolic.elimination import eliminate, stationary_weights
    >>> taken = eliminate([{1: Fraction(2)}, {0: Fraction(3)}])
    >>> [str(weight) for weight in stationary_weights(taken)]
    ['3/2', '1']
    """
    rates = {i: {j: rate for j, rate in row.items() if j != i} for i, row in enumerate(rows)}
    sources: dict[int, set[int]] = {i: set() for i in rates}
    for i, row in rates.items():
        for j in row:
            sources[j].add(i)
    steps = []
    while len(rates) > 1:
        state = min(rates, key=lambda s: (len(rates[s]) * len(sources[s]), s))
        row = rates.pop(state)
        out_rate = total(row.values())
        to = {j: rate / out_rate for j, rate in row.items()}
        into = {i: rates[i].pop(state) for i in sorted(sources.pop(state))}
        for j in row:
            sources[j].discard(state)
        for i, rate in into.items():
            for j, chance in to.items():
                if j != i:
                    known = rates[i].get(j)
                    rates[i][j] = rate * chance if known is None else known + rate * chance
                    sources[j].add(i)
        steps.append(Step(state=state, out_rate=out_rate, to=to, into=into))
    return Elimination(steps=tuple(steps), last=next(iter(rates)))


def stationary_weights(taken: Elimination) -> list[Entry]:
    """Return the stationary law up to a factor: the last state has weight 1."""
    weights: dict[int, Entry] = {taken.last: 1}
    for step in reversed(taken.steps):
        weights[step.state] = total(weights[i] * rate for i, rate in step.into.items()) / step.out_rate
    return [weights[i] for i in range(len(weights))]


def gain_until_last(taken: Elimination, gains: Sequence[Entry]) -> list[Entry]:
    """Return, from each state, the mean gain until the last state is reached, gained at these rates."""
    gathered = list(gains)
    for step in taken.steps:
        per_visit = gathered[step.state] / step.out_rate
        for i, rate in step.into.items():
            gathered[i] = gathered[i] + rate * per_visit
    found: dict[int, Entry] = {taken.last: 0}
    for step in reversed(taken.steps):
        onward = total(chance * found[j] for j, chance in step.to.items())
        found[step.state] = gathered[step.state] / step.out_rate + onward
    return [found[i] for i in range(len(found))]


def total(entries: Iterable[Entry]) -> Entry:
    """Return the sum of at least one field element without starting from the integer 0."""
    first, *rest = entries
    for entry in rest:
        first = first + entry
    return first
