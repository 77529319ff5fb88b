"""A chain by brute force: every way an event may fall, every state that can be reached, the balance equations solved.

A model has four things: ``empty()``, the state without jobs; ``thawed(state, draw)``, a state that may be changed, with
``arrive``, ``settle``, ``frozen`` and the classes of those who ``left``; ``events(state)``, pairs of a rate and what it
does to a thawed state; ``row(state)``, what is measured of it.
"""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu


def every_way(event):
    """Yield (probability, result) for every way the draws of ``event(draw)`` may fall, one full run for each."""
    waiting = [()]
    while waiting:
        given, drawn, chances = waiting.pop(), [], [1.0]

        def draw(weights, given=given, drawn=drawn, chances=chances):
            possible = [i for i, weight in enumerate(weights) if weight > 0]
            if len(drawn) < len(given):
                choice = given[len(drawn)]
            else:
                choice = possible[0]
                waiting.extend((*drawn, other) for other in possible[1:])
            drawn.append(choice)
            chances.append(weights[choice] / sum(weights))
            return choice

        result = event(draw)
        yield float(np.prod(chances)), result


class Phases:
    """A phase-type law as plain lists: how it begins, and by phase the (rate, next phase), None for its end."""

    def __init__(self, law):
        law = law.as_phase_type()
        self.alpha = [float(p) for p in law.alpha]
        self.first = self.alpha.index(max(self.alpha))  # some phase it may begin with
        self.moves = []
        for i, row in enumerate(law.subgenerator):
            inside = [(float(rate), j) for j, rate in enumerate(row) if j != i]
            self.moves.append([(rate, j) for rate, j in [*inside, (float(law.exit_rates[i]), None)] if rate > 0])


def phases(law):
    return None if law is None else Phases(law)


def brute_force(model, shares, rate=None, most=8, at_most_states=60_000):
    """Return (mean of every row of ``model.row``, rate of leaving by class, number of states).

    With a rate the system is open, and arrivals are lost while there are ``most`` jobs. Without one it is saturated:
    there are always ``most`` jobs, and one that leaves is replaced at once.
    """

    def after(state, change):
        def run(draw):
            thawed = model.thawed(state, draw)
            change(thawed)
            if rate is None:
                for _ in thawed.left:
                    thawed.arrive(draw(shares))
            thawed.settle()
            return thawed.frozen(), tuple(thawed.left)

        return every_way(run)

    def moves(state):
        if rate is not None and model.row(state)["jobs"] < most:
            for c, share in enumerate(shares):
                if share > 0:
                    yield rate * share, lambda thawed, c=c: thawed.arrive(c)
        yield from model.events(state)

    def fill(thawed):
        for _ in range(most if rate is None else 0):
            thawed.arrive(max(range(len(shares)), key=shares.__getitem__))

    (_, (first, _)), *_ = after(model.empty(), fill)
    states, number, entries, leaving = [first], {first: 0}, [], []
    for i, state in enumerate(states):
        leaves = [0.0] * len(shares)
        for speed, change in moves(state):
            for chance, (reached, left) in after(state, change):
                if reached not in number:
                    number[reached] = len(states)
                    states.append(reached)
                    assert len(states) <= at_most_states, "the case is too large"
                entries += [(number[reached], i, speed * chance), (i, i, -speed * chance)]
                for c in left:
                    leaves[c] += speed * chance
        leaving.append(leaves)
    law = _stationary(entries, len(states))
    rows = [model.row(state) for state in states]
    means = {name: float(sum(p * row[name] for p, row in zip(law, rows, strict=True))) for name in rows[0]}
    means["lost"] = float(sum(p for p, row in zip(law, rows, strict=True) if row["jobs"] == most))
    return means, [float(x) for x in law @ np.array(leaving)], len(states)


def _stationary(entries, size):
    """Balance equations, one of them (they sum to zero) replaced by: the probabilities sum to 1."""
    i, j, values = (np.array(column) for column in zip(*entries, strict=True))
    kept = i != size - 1
    i = np.concatenate([i[kept], np.full(size, size - 1)])
    j = np.concatenate([j[kept], np.arange(size)])
    values = np.concatenate([values[kept], np.ones(size)])
    matrix = sparse.csc_matrix((values, (i, j)), (size, size))
    return splu(matrix).solve(np.eye(1, size, size - 1)[0])
