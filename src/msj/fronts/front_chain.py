"""From a :class:`FrontModel` to its saturated chain and to the levels of its open system.

Saturated: the back is never empty, so fronts are always full; after a completion fresh jobs join until that is so,
through vanishing states. (Policies have a compiled twin of this: ``compiled_fronts``.)
Open: level n has the fronts of n jobs, and the full fronts of fewer (the rest is the back). From level
``most_jobs`` on all fronts are full and the levels repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import InvalidInput, TooLarge
from msj.fronts.front_model import FrontModel
from msj.fronts.open_model import LevelBlocks
from msj.markov.marked_chain import MarkedChain, Sparse

MOST_FRONTS = 300_000  # full or not: about a minute of plain Python
Law = dict[Any, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class FrontLevels(LevelBlocks):
    """Level blocks of a front model, and the fronts of each level."""

    fronts: tuple[tuple[Any, ...], ...]
    class_counts: tuple[NDArray[np.int64], ...]  # per level: fronts × classes


def saturated_front(model: FrontModel[Any, Any], *, most_fronts: int = MOST_FRONTS) -> tuple[list[Any], MarkedChain]:
    """Return the full fronts and the marked chain of the saturated system.

    A completion may leave a front that is not full. It is then a vanishing state of the chain, passed in no time as the
    next jobs join one by one; only a step that completes nothing and yet makes room is multiplied out.
    """
    refilled = filling(model, most_fronts)
    numbers = _beginnings(model, most_fronts)  # (front -> number) of the full fronts
    passed: dict[Any, int] = {}  # and of the others
    waiting = list(numbers)
    blocks: dict[str, list[tuple[int, int, float]]] = {
        name: [] for name in ("quiet", "completing", "starting", "passing", "settling")
    }

    def number(front: Any, known: dict[Any, int]) -> int:
        if front not in known:
            if len(numbers) + len(passed) >= most_fronts:
                raise TooLarge(too_many(most_fronts))
            known[front] = len(known)
            waiting.append(front)
        return known[front]

    def reach(i: int, front: Any, rate: float, at_once: str, passing: str) -> None:
        """Write down that row i leads to a front: at once to what it settles to if it is full."""
        if front in passed or not model.full(front):
            blocks[passing].append((i, number(front, passed), rate))
        else:
            settled = model.settled(front)
            blocks[at_once] += ((i, number(found, numbers), rate * chance) for found, chance in settled)

    for front in waiting:  # the list grows while it is read
        if front in passed:
            for reached, chance in joined(model, front).items():
                reach(passed[front], reached, chance, "settling", "passing")
            continue
        i = numbers[front]
        for rate, after, completes in steps_of(model, front):
            if completes:
                reach(i, after, rate, "completing", "starting")
            else:
                for reached, chance in refilled(after, model.most_jobs).items():
                    blocks["quiet"].append((i, number(reached, numbers), rate * chance))
    model.confirm()
    return list(numbers), _marked_chain(model, blocks, numbers, passed)


def _beginnings(model: FrontModel[Any, Any], most_fronts: int) -> dict[Any, int]:
    """Number the full fronts that a system filled from empty may begin with."""
    met = {model.empty(): None}
    for front in (waiting := list(met)):  # the list grows while it is read
        if not model.full(front):
            fresh = [reached for reached in joined(model, front) if reached not in met]
            met.update(dict.fromkeys(fresh))
            waiting += fresh
            if len(met) > most_fronts:
                raise TooLarge(too_many(most_fronts))
    full = (found for front in met if model.full(front) for found, _ in model.settled(front))
    return {front: i for i, front in enumerate(dict.fromkeys(full))}


def _marked_chain(
    model: FrontModel[Any, Any],
    blocks: dict[str, list[tuple[int, int, float]]],
    numbers: dict[Any, int],
    passed: dict[Any, int],
) -> MarkedChain:
    """Make the chain, its vanishing states in order of size, so that jobs that join lead upwards."""
    full, vanishing = len(numbers), len(passed)
    order = np.argsort([model.size(front) for front in passed], kind="stable") if passed else np.empty(0, np.int64)
    starting, passing, settling = (
        block_of(blocks[name], rows, columns)
        for name, rows, columns in (
            ("starting", full, vanishing),
            ("passing", vanishing, vanishing),
            ("settling", vanishing, full),
        )
    )
    return MarkedChain.from_blocks(
        quiet=block_of(blocks["quiet"], full, full),
        completing=block_of(blocks["completing"], full, full),
        starting=starting[:, order],
        passing=passing[order][:, order],
        settling=settling[order],
    )


def too_many(most_fronts: int) -> str:
    """Say that there are more fronts than are looked at."""
    return (
        f"more than {most_fronts:,} fronts can be reached and not all are found yet; use fewer servers, classes or "
        "phases, a front of fewer jobs, or simulate"
    )


def open_front(model: FrontModel[Any, Any], *, most_fronts: int = MOST_FRONTS) -> FrontLevels:
    """Return the levels of the open system, found by visiting every (level, front) that can be reached."""
    last = model.most_jobs
    moves = moves_of(model, most_fronts)
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
                    raise TooLarge(too_many(most_fronts))
                place[level, reached] = len(levels[level])
                levels[level].append(reached)
                visited.append((level, reached))
            entries[kind][n].append((place[n, front], place[level, reached], rate))

    model.confirm()

    def blocks(kind: str, levels_from: range, step: int) -> list[Sparse]:
        return [block_of(entries[kind][n], len(levels[n]), len(levels[n + step])) for n in levels_from]

    return FrontLevels(
        quiet=tuple(blocks("quiet", range(last + 1), 0)),
        arrivals=tuple(blocks("arrival", range(last), 1)),
        completions=(None, *blocks("completion", range(1, last + 1), -1)),
        repeating_completions=blocks("repeating", range(last, last + 1), 0)[0],
        fronts=tuple(map(tuple, levels)),
        class_counts=tuple(np.array([class_counts_of(model, front) for front in level]) for level in levels),
    )


def moves_of(
    model: FrontModel[Any, Any], most_fronts: int
) -> Callable[[int, Any], Iterator[tuple[str, int, Any, float]]]:
    """Return the function that lists (kind, level reached, front reached, rate) from a level and a front."""
    refilled = filling(model, most_fronts)
    last = model.most_jobs

    def moves(n: int, front: Any) -> Iterator[tuple[str, int, Any, float]]:
        if n < last:
            for larger, chance in ({front: 1.0} if model.full(front) else joined(model, front)).items():
                # Nobody else is there: who has come is seen at once.
                law = ((larger, 1.0),) if larger is front else model.settled(larger)
                yield from (("arrival", n + 1, reached, chance * own) for reached, own in law)
        back = n - model.size(front)
        for rate, after, completes in steps_of(model, front):
            kind = "completion" if completes else "quiet"
            for reached, chance in refilled(after, back).items():
                yield kind, n - completes, reached, rate * chance
            if completes and n == last:  # the same with a back that is not about to run out
                for reached, chance in refilled(after, last).items():
                    yield "repeating", n, reached, rate * chance

    return moves


def block_of(entries: list[tuple[int, int, float]], rows: int, columns: int) -> Sparse:
    """Return a block of rates from its entries (row, column, rate), which add up."""
    i, j, rates = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array(sparse.coo_array((np.array(rates, float), (i, j)), (rows, columns)))


def joined(model: FrontModel[Any, Any], front: Any) -> Law:
    """Return the law of the front after the next job has joined it."""
    law: Law = {}
    for job, chance in model.fresh():
        if chance > 0:
            reached = model.add(front, job)
            law[reached] = law.get(reached, 0.0) + chance
    return law


def _summed(law: Iterable[tuple[Any, float]]) -> Law:
    found: Law = {}
    for front, chance in law:
        found[front] = found.get(front, 0.0) + chance
    return found


def filling(model: FrontModel[Any, Any], most_fronts: int) -> Callable[[Any, int], Law]:
    """Return the function that lets up to so many jobs of the back join a front."""
    total = sum(chance for _, chance in model.fresh())
    if abs(total - 1.0) > 1e-9:
        raise InvalidInput(f"the probabilities of fresh jobs sum to {total:.10g}; they must sum to 1")

    @lru_cache(maxsize=200_000)
    def refilled(front: Any, available: int) -> Law:
        if available == 0 or model.full(front):
            return _summed(model.settled(front))
        law: Law = {}
        for larger, chance in joined(model, front).items():
            for reached, rest in refilled(larger, available - 1).items():
                law[reached] = law.get(reached, 0.0) + chance * rest
        if len(law) > most_fronts:
            raise TooLarge(too_many(most_fronts))
        return law

    return refilled


def steps_of(model: FrontModel[Any, Any], front: Any) -> Iterator[tuple[float, Any, bool]]:
    """Yield what can happen to a front, checked: a model may be somebody's first."""
    for step in model.steps(front):
        if not isinstance(step, tuple) or len(step) != 3:
            raise InvalidInput(
                f"steps({front!r}) yields {step!r}; yield (rate, front after, whether a job completed) for each step"
            )
        if not step[0] >= 0:
            raise InvalidInput(f"steps({front!r}) yields rate {step[0]!r}; rates must be at least 0")
        yield step


def class_counts_of(model: FrontModel[Any, Any], front: Any) -> Sequence[int]:
    """Return how many jobs of each class a front holds, checked."""
    counts = model.class_counts(front)
    if len(counts) != len(model.class_names) or sum(counts) != model.size(front):
        raise InvalidInput(
            f"class_counts({front!r}) is {list(counts)} for {len(model.class_names)} classes and {model.size(front)} "
            "jobs; give one count per class, together the size of the front"
        )
    return counts
