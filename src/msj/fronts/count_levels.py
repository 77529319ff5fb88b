"""The chain of counts: policies that look only at how many jobs of each need there are, exponential durations.

The numbers present, n = (n_1, ..., n_K) by need, are a Markov chain: up at rate lambda_i, down at rate mu_i·s_i(n), s_i
the jobs in service (``disciplines.counting``). Without preemption the numbers in service belong to the state, and so
does what a rule remembers, such as whose turn it is. One n_i is the level and unbounded; the other counts are phases,
cut where more are hardly ever seen: who would come then is turned away. From some level on more jobs of its need change
nothing, so the levels repeat and ``markov.level_process`` solves them (matrix-geometric in that direction, without a
cut).

A tie that is broken at random is broken when a state is entered. The law over time needs only the mean stays, 1/(rate
of leaving): a tie is a state that serves each way in proportion to chance × stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from msj.disciplines.counting import Counting
from msj.markov.level_process import LevelProcess

Vector = NDArray[np.float64]
Index = NDArray[np.int64]
ROWS = 20_000  # states decided at once


@dataclass(frozen=True, kw_only=True, eq=False)
class Flow:
    """Jobs by need, in ascending order of need: how often they come, and the rate of their durations."""

    arrival_rates: Vector
    service_rates: Vector


@dataclass(frozen=True, kw_only=True, eq=False)
class CountLevels:
    """The level process of the counts, and what its phases mean; lists run over levels 0..L.

    Attributes
    ----------
    level : which need's count is the level.
    present : phases × needs; in level L the level's own count is L, the least of those it stands for.
    in_service : phases × needs, in units of jobs on all they need.
    starts : phases × needs, the chance that a job of that need would start at once if it came now.
    at_cut : phases, whether another need's count is at its cut.
    """

    process: LevelProcess
    level: int
    present: tuple[Index, ...]
    in_service: tuple[Vector, ...]
    starts: tuple[Vector, ...]
    at_cut: tuple[NDArray[np.bool_], ...]


def count_levels(rule: Counting, flow: Flow, level: int, most: Sequence[int]) -> CountLevels:
    """Return the levels; ``most`` jobs of each other need are let in (the entry of ``level`` is not looked at)."""
    build = _preemptive if rule.preemptive else _running_stay
    return build(rule, flow, level, most)


def levels_beside(rule: Counting, flow: Flow, level: int, always: int) -> CountLevels:
    """Return the levels of one need, without preemption, while jobs of the need ``always`` never run out."""
    most = [2 * rule.servers] * len(rule.needs)
    return _running_stay(rule, flow, level, most, always)


def number_of_phases(rule: Counting, level: int, most: Sequence[int]) -> int:
    """Return how many phases a repeating level has; without preemption, at most.

    Without preemption jobs of the level's need wait there, so those of other needs that run say how many of it do, and
    a job of another need waits only if it does not fit in what is left.
    """
    others = [i for i in range(len(rule.needs)) if i != level]
    if rule.preemptive:
        return math.prod(most[i] + 1 for i in others)
    if rule.idles:
        return rule.situations * math.prod(most[i] + 1 for i in others)
    phases = 0
    for running in product(*(range(rule.servers // rule.needs[i] + 1) for i in others)):
        free = rule.servers - sum(rule.needs[i] * count for i, count in zip(others, running, strict=True))
        if free >= 0:
            left = free % rule.needs[level]
            waiting = ((left < rule.needs[i]) * max(most[i] - n, 0) for i, n in zip(others, running, strict=True))
            phases += math.prod(1 + count for count in waiting)
    return phases


def _preemptive(rule: Counting, flow: Flow, level: int, most: Sequence[int]) -> CountLevels:
    others = [i for i in range(len(rule.needs)) if i != level]
    shape = tuple(most[i] + 1 for i in others)
    phases = int(np.prod(shape))
    grid = np.zeros((phases, len(rule.needs)), dtype=np.int64)
    grid[:, others] = np.stack(np.unravel_index(np.arange(phases), shape), axis=1) if others else grid[:, others]
    first = rule.steady_from(level, most)

    def at(n: int) -> Index:
        present = grid.copy()
        present[:, level] = n
        return present

    everywhere = np.concatenate([at(n) for n in range(first + 1)])
    served = _mean_served(rule, flow, everywhere).reshape(first + 1, phases, -1)
    starts = np.stack([_starts(rule, everywhere, i) for i in range(len(rule.needs))], axis=1)
    at_cut = (grid[:, others] == np.array(shape) - 1).any(axis=1)
    strides = {i: int(np.prod(shape[place + 1 :])) for place, i in enumerate(others)}
    local = [_local(flow, level, strides, most, grid, served[n]) for n in range(first + 1)]
    down = [sparse.diags_array(flow.service_rates[level] * served[n, :, level]) for n in range(first + 1)]
    up = float(flow.arrival_rates[level]) * sparse.eye_array(phases)
    return CountLevels(
        process=LevelProcess(
            local=local[:-1],
            up=[up] * first,
            down=[None, *down[1:]],
            repeating_up=up,
            repeating_local=local[-1],
            repeating_down=down[-1],
        ),
        level=level,
        present=tuple(at(n) for n in range(first + 1)),
        in_service=tuple(served),
        starts=tuple(starts.reshape(first + 1, phases, -1)),
        at_cut=(at_cut,) * (first + 1),
    )


def _ways(rule: Counting, present: Index) -> Iterator[tuple[slice, list[tuple[Vector, Vector]]]]:
    for begin in range(0, len(present), ROWS):
        rows = slice(begin, begin + ROWS)
        yield rows, rule.served(present[rows])


def _mean_served(rule: Counting, flow: Flow, present: Index) -> Vector:
    """Return how many are served on average over the time spent at these counts."""
    served = np.zeros(present.shape)
    for rows, ways in _ways(rule, present):
        stays = [chance / (flow.arrival_rates.sum() + target @ flow.service_rates) for chance, target in ways]
        total = np.asarray(sum(stays))
        served[rows] = sum(stay[:, None] * target for stay, (_, target) in zip(stays, ways, strict=True))
        served[rows] /= total[:, None]
    return served


def _starts(rule: Counting, present: Index, need: int) -> Vector:
    """Return the chance that a job of that need starts at once: it is the youngest, so all of its need must."""
    joined = present.copy()
    joined[:, need] += 1
    chance = np.zeros(len(present))
    for rows, ways in _ways(rule, joined):
        chance[rows] = sum(c * (target[:, need] > joined[rows, need] - 1) for c, target in ways)
    return chance


def _local(
    flow: Flow, level: int, strides: dict[int, int], most: Sequence[int], grid: Index, served: Vector
) -> sparse.csr_array:
    """Return the rates among the phases of one level, with everything that leaves them on the diagonal."""
    size = len(grid)
    leaving = flow.arrival_rates[level] + served[:, level] * flow.service_rates[level]
    diagonals, offsets = [], []
    for i, stride in strides.items():
        rising = np.where(grid[:, i] < most[i], flow.arrival_rates[i], 0.0)
        falling = served[:, i] * flow.service_rates[i]
        leaving = leaving + rising + falling
        diagonals += [rising[: size - stride], falling[stride:]]
        offsets += [stride, -stride]
    return sparse.csr_array(
        sparse.diags_array((*diagonals, -leaving), offsets=(*offsets, 0), shape=(size, size), dtype=float)
    )


#: Counts of the other needs present, how many of each need run, and what the rule remembers.
Phase = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _running_stay(
    rule: Counting, flow: Flow, level: int, most: Sequence[int], always: int | None = None
) -> CountLevels:
    needs = range(len(rule.needs))
    first = rule.steady_from(level, most)
    moves = _moves(rule, flow, level, most, always)
    nobody = tuple(most[i] if i == always else 0 for i in needs)
    empty: Phase = (nobody, *rule.entered(nobody, [0] * len(needs), rule.at_rest))
    levels: list[list[Phase]] = [[empty], *([] for _ in range(first))]
    place: dict[tuple[int, Phase], int] = {(0, empty): 0}
    visited = [(0, empty)]
    entries: dict[tuple[str, int], list[tuple[int, int, float]]] = {}

    def number(n: int, phase: Phase) -> int:
        if (n, phase) not in place:
            place[n, phase] = len(levels[n])
            levels[n].append(phase)
            visited.append((n, phase))
        return place[n, phase]

    for n, phase in visited:  # the list grows while it is read
        here = place[n, phase]
        for step, reached, rate in moves(n, phase):
            if step == 0 and reached == phase:
                continue  # one left and the next of its kind took its place
            entries.setdefault((("down", "local", "up")[step + 1], n), []).append(
                (here, number(min(n + step, first), reached), rate)
            )
        if n == first:  # the same from one level higher: what comes down from there
            for step, reached, rate in moves(n + 1, phase):
                if step < 0:
                    entries.setdefault(("repeating", n), []).append((here, number(n, reached), rate))

    sizes = [len(phases) for phases in levels]

    def block(kind: str, n: int, columns: int) -> sparse.csr_array:
        rows, cols, rates = zip(*entries.get((kind, n), ()), strict=True) if (kind, n) in entries else ((), (), ())
        return sparse.csr_array(sparse.coo_array((np.array(rates, float), (rows, cols)), (sizes[n], columns)))

    def local(n: int) -> sparse.csr_array:
        within, above = block("local", n, sizes[n]), block("up", n, sizes[min(n + 1, first)])
        below = block("down", n, sizes[n - 1]) if n else None
        leaving = within.sum(axis=1) + above.sum(axis=1) + (0.0 if below is None else below.sum(axis=1))
        return sparse.csr_array(within - sparse.diags_array(leaving))

    present = [np.array([others for others, *_ in phases], dtype=np.int64) for phases in levels]
    for n, counts in enumerate(present):
        counts[:, level] = n
    others = [i for i in needs if i != level]
    return CountLevels(
        process=LevelProcess(
            local=[local(n) for n in range(first)],
            up=[block("up", n, sizes[n + 1]) for n in range(first)],
            down=[None, *(block("down", n, sizes[n - 1]) for n in range(1, first + 1))],
            repeating_up=block("up", first, sizes[first]),
            repeating_local=local(first),
            repeating_down=block("repeating", first, sizes[first]),
        ),
        level=level,
        present=tuple(present),
        in_service=tuple(np.array([running for _, running, _ in phases], dtype=float) for phases in levels),
        starts=tuple(
            np.array([_starts_running(rule, n, level, phase) for phase in phases], dtype=float)
            for n, phases in enumerate(levels)
        ),
        at_cut=tuple((counts[:, others] == np.array([most[i] for i in others])).any(axis=1) for counts in present),
    )


def _starts_running(rule: Counting, n: int, level: int, phase: Phase) -> list[bool]:
    """Return, for each need, whether a job of it would start at once."""
    others, running, memory = phase
    found = []
    for i in range(len(rule.needs)):
        present = [n if j == level else others[j] for j in range(len(rule.needs))]
        present[i] += 1
        found.append(rule.entered(present, running, memory)[0][i] == present[i])
    return found


def _moves(
    rule: Counting, flow: Flow, level: int, most: Sequence[int], always: int | None
) -> Callable[[int, Phase], Iterator[tuple[int, Phase, float]]]:
    """Return the function that lists (step of the level, phase reached, rate) from a level and a phase."""
    needs = range(len(rule.needs))

    def after(present: list[int], running: Sequence[int], memory: tuple[int, ...]) -> Phase:
        return tuple(0 if j == level else present[j] for j in needs), *rule.entered(present, running, memory)

    def moves(n: int, phase: Phase) -> Iterator[tuple[int, Phase, float]]:
        others, running, memory = phase
        present = [n if j == level else others[j] for j in needs]
        for i in needs:
            if i == level or present[i] < most[i]:  # at the cut, and where there are always enough, nobody comes
                joined = [count + (j == i) for j, count in enumerate(present)]
                yield int(i == level), after(joined, running, memory), float(flow.arrival_rates[i])
            if running[i]:
                left = [count - (j == i != always) for j, count in enumerate(present)]
                rest = [count - (j == i) for j, count in enumerate(running)]
                yield -int(i == level), after(left, rest, memory), float(running[i] * flow.service_rates[i])

    return moves
