"""From a :class:`FrontModel` to its saturated chain and to the levels of its open system.

Saturated: the back is never empty, so fronts are always full; after a completion fresh jobs join until that is so.
Open: level n has the fronts of n jobs, and the full fronts of fewer (the rest is the back). From level
``most_jobs`` on all fronts are full and the levels repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import InvalidInput, TooLarge
from msj.finite_skip.explore import explore
from msj.finite_skip.front_model import FrontModel
from msj.finite_skip.open_model import LevelBlocks
from msj.markov.marked_chain import MarkedChain, Sparse

MOST_FRONTS = 50_000  # some ten seconds of plain Python
Law = dict[Any, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class FrontLevels(LevelBlocks):
    """Level blocks of a front model, and the fronts of each level."""

    fronts: tuple[tuple[Any, ...], ...]
    class_counts: tuple[NDArray[np.int64], ...]  # per level: fronts × classes


def saturated_front(model: FrontModel[Any, Any], *, most_fronts: int = MOST_FRONTS) -> tuple[list[Any], MarkedChain]:
    """Return the full fronts and the marked chain of the saturated system."""
    refilled = _filling(model, most_fronts)

    def steps(front: Any) -> list[tuple[Any, float, bool]]:
        found = []
        for rate, after, completes in model.steps(front):
            for reached, chance in refilled(after, model.most_jobs).items():
                found.append((reached, rate * chance, completes))
        return found

    return explore(list(refilled(model.empty(), model.most_jobs)), steps, most_states=most_fronts)


def open_front(model: FrontModel[Any, Any], *, most_fronts: int = MOST_FRONTS) -> FrontLevels:
    """Return the levels of the open system, found by visiting every (level, front) that can be reached."""
    last = model.most_jobs
    moves = _moves(model, most_fronts)
    visited: list[tuple[int, Any]] = [(0, model.empty())]
    place = {visited[0]: 0}  # position among the fronts of its level
    levels: list[list[Any]] = [[model.empty()], *([] for _ in range(last))]
    entries: dict[str, list[list[tuple[int, int, float]]]] = {
        kind: [[] for _ in range(last + 1)] for kind in ("quiet", "arrival", "completion", "repeating")
    }
    for n, front in visited:  # the list grows while it is read
        for kind, level, reached, rate in moves(n, front):
            if (level, reached) not in place:
                if len(visited) >= most_fronts:
                    raise TooLarge(f"more than {most_fronts:,} fronts can be reached; use a smaller model")
                place[level, reached] = len(levels[level])
                levels[level].append(reached)
                visited.append((level, reached))
            entries[kind][n].append((place[n, front], place[level, reached], rate))

    def blocks(kind: str, levels_from: range, step: int) -> list[Sparse]:
        return [_block(entries[kind][n], len(levels[n]), len(levels[n + step])) for n in levels_from]

    return FrontLevels(
        quiet=tuple(blocks("quiet", range(last + 1), 0)),
        arrivals=tuple(blocks("arrival", range(last), 1)),
        completions=(None, *blocks("completion", range(1, last + 1), -1)),
        repeating_completions=blocks("repeating", range(last, last + 1), 0)[0],
        fronts=tuple(map(tuple, levels)),
        class_counts=tuple(np.array([model.class_counts(front) for front in level]) for level in levels),
    )


def _moves(
    model: FrontModel[Any, Any], most_fronts: int
) -> Callable[[int, Any], Iterator[tuple[str, int, Any, float]]]:
    """Return the function that lists (kind, level reached, front reached, rate) from a level and a front."""
    refilled = _filling(model, most_fronts)
    last = model.most_jobs

    def moves(n: int, front: Any) -> Iterator[tuple[str, int, Any, float]]:
        if n < last:
            law = {front: 1.0} if model.full(front) else _joined(model, front)
            yield from (("arrival", n + 1, reached, chance) for reached, chance in law.items())
        back = n - model.size(front)
        for rate, after, completes in model.steps(front):
            kind = "completion" if completes else "quiet"
            for reached, chance in refilled(after, back).items():
                yield kind, n - completes, reached, rate * chance
            if completes and n == last:  # the same with a back that is not about to run out
                for reached, chance in refilled(after, last).items():
                    yield "repeating", n, reached, rate * chance

    return moves


def _block(entries: list[tuple[int, int, float]], rows: int, columns: int) -> Sparse:
    i, j, rates = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array(sparse.coo_array((np.array(rates, float), (i, j)), (rows, columns)))


def _joined(model: FrontModel[Any, Any], front: Any) -> Law:
    law: Law = {}
    for job, chance in model.fresh():
        if chance > 0:
            reached = model.add(front, job)
            law[reached] = law.get(reached, 0.0) + chance
    return law


def _filling(model: FrontModel[Any, Any], most_fronts: int) -> Callable[[Any, int], Law]:
    """Return the function that lets up to so many jobs of the back join a front."""
    total = sum(chance for _, chance in model.fresh())
    if abs(total - 1.0) > 1e-9:
        raise InvalidInput(f"the probabilities of fresh jobs sum to {total:.10g}; they must sum to 1")

    @lru_cache(maxsize=200_000)
    def refilled(front: Any, available: int) -> Law:
        if available == 0 or model.full(front):
            return {front: 1.0}
        law: Law = {}
        for joined, chance in _joined(model, front).items():
            for reached, rest in refilled(joined, available - 1).items():
                law[reached] = law.get(reached, 0.0) + chance * rest
        if len(law) > most_fronts:
            raise TooLarge(f"more than {most_fronts:,} fronts can be reached; use a smaller model, or simulate")
        return law

    return refilled
