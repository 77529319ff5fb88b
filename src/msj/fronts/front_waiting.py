"""The open system of a finite-skip model by the number of jobs behind its front: levels that repeat from the first on.

``front_chain.open_front`` counts jobs in the system, one level for each number up to the largest front. Count those
*behind* the front instead (q): with q = 0 any front, full or not; with q >= 1 only full ones, and the same rates at
every q. A step that makes room is followed by jobs joining from behind, one at a time, each one level lower; fronts
that wait for the next to join are vanishing states. With nobody left behind they are fronts of q = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import TooLarge
from msj.fronts.front_chain import MOST_FRONTS, block_of, class_counts_of, joined, steps_of, too_many
from msj.fronts.front_model import FrontModel
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLevels

Block = list[tuple[int, int, float]]


@dataclass(frozen=True, kw_only=True, eq=False)
class FrontWaiting:
    """The blocks apart from the arrival rate, and the fronts of q = 0 and of every q >= 1."""

    fronts: tuple[tuple[Any, ...], tuple[Any, ...]]
    class_counts: tuple[NDArray[np.int64], NDArray[np.int64]]
    arriving: Sparse  # where an arrival leads from a front of q = 0 that is not full
    upwards: Sparse  # which full front of q = 0 is which of q >= 1
    changing: Sparse  # steps of q = 0
    local: Sparse
    starting: Sparse
    passing: Sparse
    settling: Sparse
    landing: Sparse

    def at(self, arrival_rate: float) -> SparseLevels:
        """Return the levels at one arrival rate."""
        states = self.local.shape[0]
        still = self.changing.diagonal()
        moving = (self.changing - sparse.diags_array(still) + arrival_rate * self.arriving).tocsr()
        away = np.asarray(moving.sum(axis=1)).ravel() + arrival_rate * np.asarray(self.upwards.sum(axis=1)).ravel()
        local = (self.local - sparse.diags_array(self.local.diagonal())).tocsr()
        leaving = np.asarray(local.sum(axis=1)).ravel() + np.asarray(self.starting.sum(axis=1)).ravel() + arrival_rate
        return SparseLevels(
            arrival_rate=arrival_rate,
            ground=(moving - sparse.diags_array(away)).tocsr(),
            ground_up=(arrival_rate * self.upwards).tocsr(),
            up=sparse.diags_array(np.full(states, arrival_rate), format="csr"),
            local=local,
            leaving=leaving,
            starting=self.starting,
            passing=self.passing,
            settling=self.settling,
            landing=self.landing,
        )


class _Numbers:
    """Fronts in the order in which they are met, and what has still to be looked at."""

    def __init__(self, most: int) -> None:
        self.kinds: dict[str, dict[Any, int]] = {"ground": {}, "level": {}, "vanishing": {}}
        self.waiting: list[tuple[str, Any]] = []
        self._most = most

    def of(self, kind: str, front: Any) -> int:
        known = self.kinds[kind]
        if front not in known:
            if sum(map(len, self.kinds.values())) >= self._most:
                raise TooLarge(too_many(self._most))
            known[front] = len(known)
            self.waiting.append((kind, front))
        return known[front]


def front_waiting(model: FrontModel[Any, Any], *, most_fronts: int = MOST_FRONTS) -> FrontWaiting:
    """Visit every front that can be reached, with and without jobs behind it."""
    names = ("arriving", "upwards", "changing", "local", "starting", "passing", "settling", "landing")
    blocks: dict[str, Block] = {name: [] for name in names}
    numbers = _Numbers(most_fronts)
    numbers.of("ground", model.empty())
    look: dict[str, Callable[[FrontModel[Any, Any], _Numbers, dict[str, Block], Any], None]] = {
        "ground": _from_ground,
        "level": _from_level,
        "vanishing": _from_vanishing,
    }
    for kind, front in numbers.waiting:  # the list grows while it is read
        look[kind](model, numbers, blocks, front)
    ground, level, vanishing = (list(numbers.kinds[kind]) for kind in ("ground", "level", "vanishing"))
    order = np.argsort([model.size(front) for front in vanishing], kind="stable") if vanishing else np.empty(0, int)
    sizes = {"g": len(ground), "l": len(level), "v": len(vanishing)}
    shapes = dict(zip(names, ("gg", "gl", "gg", "ll", "lv", "vv", "vl", "vg"), strict=True))
    made = {name: block_of(blocks[name], sizes[shape[0]], sizes[shape[1]]) for name, shape in shapes.items()}
    for name, shape in shapes.items():  # by size, so that jobs that join lead upwards
        made[name] = made[name][order] if shape[0] == "v" else made[name]
        made[name] = made[name][:, order] if shape[1] == "v" else made[name]
    return FrontWaiting(
        fronts=(tuple(ground), tuple(level)),
        class_counts=(_counts(model, ground), _counts(model, level)),
        **made,
    )


def _counts(model: FrontModel[Any, Any], fronts: Sequence[Any]) -> NDArray[np.int64]:
    return np.array([class_counts_of(model, front) for front in fronts])


def _from_ground(model: FrontModel[Any, Any], numbers: _Numbers, blocks: dict[str, Block], front: Any) -> None:
    i = numbers.of("ground", front)
    if model.full(front):
        blocks["upwards"].append((i, numbers.of("level", front), 1.0))
    else:
        for reached, chance in joined(model, front).items():
            _write(blocks["arriving"], i, chance, model, reached, numbers, "ground")
    for rate, after, _ in steps_of(model, front):
        _write(blocks["changing"], i, rate, model, after, numbers, "ground")


def _from_level(model: FrontModel[Any, Any], numbers: _Numbers, blocks: dict[str, Block], front: Any) -> None:
    i = numbers.of("level", front)
    for rate, after, _ in steps_of(model, front):
        if model.full(after):
            _write(blocks["local"], i, rate, model, after, numbers, "level")
        else:
            blocks["starting"].append((i, numbers.of("vanishing", after), rate))


def _from_vanishing(model: FrontModel[Any, Any], numbers: _Numbers, blocks: dict[str, Block], front: Any) -> None:
    i = numbers.of("vanishing", front)
    for reached, chance in joined(model, front).items():
        _write(blocks["landing"], i, chance, model, reached, numbers, "ground")
        if model.full(reached):
            _write(blocks["settling"], i, chance, model, reached, numbers, "level")
        else:
            blocks["passing"].append((i, numbers.of("vanishing", reached), chance))


def _write(
    block: Block, row: int, rate: float, model: FrontModel[Any, Any], front: Any, numbers: _Numbers, kind: str
) -> None:
    """Write down that a row leads, at a rate, to what a front settles to."""
    block += ((row, numbers.of(kind, found), rate * chance) for found, chance in model.settled(front))
