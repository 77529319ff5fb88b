"""Plain values into the tables of :mod:`msj.engines.parts_state`; laws are numbered on the way, each once by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.law_draws import ExponentialNumbers, Law, UniformNumbers
from msj.engines.parts_state import (
    BY_PHASES,
    CLASS,
    GROUP,
    KIND,
    OWN_DURATION,
    STATES,
    WHOLE,
    Environment,
    Graph,
    Room,
    Rules,
    Servers,
)

Values = Mapping[str, Any]
NO_CAP = 2**62


class NumberedLaws:
    """Numbers laws as they come; the same place in the model has the same number whatever else there is."""

    def __init__(self) -> None:
        self.laws: list[Law] = [UniformNumbers(), ExponentialNumbers()]

    def number(self, law: Law | None) -> int:
        """Return the number of a law that takes its place now; negative for none."""
        if law is None:
            return -1
        self.laws.append(law)
        return len(self.laws) - 1


def rules_of(set_up: Values | None, overhead: Values | None, laws: NumberedLaws) -> Rules:
    """Return the laws of set-up and overheads."""
    switching, paying = set_up or {}, overhead or {}
    return Rules(
        uniform=0,
        exponential=1,
        set_up=laws.number(switching.get("law")),
        delay=laws.number(switching.get("delay")),
        snapshot=laws.number(paying.get("snapshot")),
        transfer=laws.number(paying.get("transfer")),
        staggered=bool(switching.get("staggered", False)),
    )


def graph_of(groups: Sequence[Any], capacity: Values, classes: Sequence[Values], laws: NumberedLaws) -> Graph:
    """Return the segments of all classes, one after the other."""
    names = sorted({*capacity, *(name for _, _, own in groups for name in own)})
    segments = [(c, i, each) for c, own in enumerate(classes) for i, each in enumerate(own["segments"])]
    first = np.cumsum([0, *(len(own["segments"]) for own in classes)])
    kinds, phased = np.zeros(len(segments), dtype=KIND), [_phases(each) for _, _, each in segments]
    most = max((len(needs) for needs, *_ in phased), default=0)
    starts = np.ones((len(segments), most))
    followers: list[int] = []
    for k, (c, i, each) in enumerate(segments):
        needs, alpha, _, _ = phased[k]
        own = classes[c]["segments"]
        after = [first[c] + j for j, other in enumerate(own) if i in other["after"]]
        law = BY_PHASES if needs else OWN_DURATION if _first_root(own) == i else laws.number(each["law"])
        kinds[k] = (c, 0 if needs else each["need"], law, sum(len(before[0]) for before in phased[:k]), len(needs),
                    len(followers), len(after), len(each["after"]))  # fmt: skip
        followers += after
        if needs:
            starts[k, : len(needs)] = _cumulative(alpha)[0]
    resources = [[each.get("resources", {}).get(name, 0) for name in names] for _, _, each in segments]
    return Graph(
        kinds=kinds,
        successors=np.array(followers, dtype=np.int64),
        resources=np.array(resources, dtype=np.int64).reshape(len(segments), len(names)),
        classes=_classes(classes, first),
        groups=_preferences(classes, len(groups)),
        pool_of=_pools(groups, capacity, names),
        phase_needs=np.array([need for needs, *_ in phased for need in needs], dtype=np.int64),
        phase_rates=np.array([rate for _, _, rates, _ in phased for rate in rates], dtype=float),
        phase_jumps=_stacked([jumps for *_, jumps in phased], most + 1),
        phase_starts=starts,
    )


def _first_root(segments: Sequence[Values]) -> int:
    return next(i for i, each in enumerate(segments) if not each["after"])


def _phases(segment: Values) -> tuple[list[int], Any, Any, NDArray[np.float64]]:
    """Return needs, first law, rates and cumulative jumps of the phases of a segment that has a need for each."""
    if not isinstance(segment["need"], (list, tuple)):
        return [], (), (), np.empty((0, 1))
    law = segment["law"].as_phase_type()
    rates = -np.diag(law.subgenerator)
    jumps = np.column_stack([law.subgenerator, law.exit_rates])
    np.fill_diagonal(jumps, 0.0)
    return [int(need) for need in segment["need"]], law.alpha, rates, _cumulative(jumps)


def _cumulative(weights: Any) -> NDArray[np.float64]:
    """Return running sums of each row's shares, exactly 1 from the last positive one on: no draw is beyond it."""
    rows = np.atleast_2d(np.asarray(weights, dtype=float))
    sums: NDArray[np.float64] = np.cumsum(rows, axis=1) / rows.sum(axis=1, keepdims=True)
    for row, own in zip(sums, rows, strict=True):
        row[np.flatnonzero(own)[-1] :] = 1.0
    return sums


def _stacked(tables: Sequence[NDArray[np.float64]], columns: int) -> NDArray[np.float64]:
    """Put tables below each other; to the right of a shorter one stands 1."""
    stacked = np.ones((sum(map(len, tables)), columns))
    row = 0
    for table in tables:
        stacked[row : row + len(table), : table.shape[1]] = table
        row += len(table)
    return stacked


def _classes(classes: Sequence[Values], first: NDArray[np.int64]) -> NDArray[Any]:
    rows = np.zeros(len(classes), dtype=CLASS)
    for c, own in enumerate(classes):
        rows[c] = (first[c], len(own["segments"]), len(own["groups"]), own.get("span", False), own.get("pays", True),
                   own.get("preemptible", True))  # fmt: skip
    return rows


def _preferences(classes: Sequence[Values], groups: int) -> NDArray[np.int64]:
    table = np.zeros((len(classes), groups), dtype=np.int64)
    for c, own in enumerate(classes):
        table[c, : len(own["groups"])] = own["groups"]
    return table


def _pools(groups: Sequence[Any], capacity: Values, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the pool of each resource, seen from each group and from a segment that spans groups."""
    table = np.full((len(groups) + 1, len(names)), -1, dtype=np.int64)
    pool = 0
    for r, name in enumerate(names):
        if name in capacity:
            table[:, r] = pool
            pool += 1
        for g, (_, _, own) in enumerate(groups):
            if name in own:
                table[g, r] = pool
                pool += 1
    return table


def servers_of(groups: Sequence[Any], capacity: Values, classes: Sequence[Values], *, off: bool) -> Servers:
    """Return all servers, free: on, or off until they are wanted."""
    table = np.zeros(len(groups), dtype=GROUP)
    for g, (servers, speed, _) in enumerate(groups):
        table[g] = (servers, speed, servers, 0 if off else servers, 0, 0)
    names = sorted({*capacity, *(name for _, _, own in groups for name in own)})
    pools = [capacity, *(own for *_, own in groups)]  # those of one resource after each other, as in ``pool_of``
    amounts = [pool[name] for name in names for pool in pools if name in pool]
    caps = [NO_CAP if own.get("at_most") is None else own["at_most"] for own in classes]
    room = Room(*(np.array(values, dtype=np.int64) for values in (table["on"], amounts, caps)))
    most = int(table["servers"].max()) if off else 0
    whole = np.zeros(1, dtype=WHOLE)
    whole["next_switch"] = whole["next_change"] = np.inf
    whole["speed"] = 1.0
    for end in ("free_row", "first_running", "last_running"):
        whole[end] = -1
    counts = np.zeros(len(STATES), dtype=np.int64)
    counts[STATES.index("off" if off else "idle")] = table["servers"].sum()
    return Servers(
        groups=table,
        room=room,
        thought=Room(*(values.copy() for values in room)),
        set_ups=np.empty((len(groups), most)),
        delays=np.empty((len(groups), most)),
        counts=counts,
        areas=np.zeros(len(STATES)),
        kept=np.zeros(len(groups), dtype=np.int64),
        whole=whole,
    )


def environment_of(components: Sequence[Values], groups: int, laws: NumberedLaws) -> Environment:
    """Return the components, each in its state 0; when they change is drawn by whoever has the laws."""
    states = max((len(each["sojourn"]) for each in components), default=1)
    shape = len(components), states
    found = Environment(
        state=np.zeros(len(components), dtype=np.int64),
        until=np.full(len(components), np.inf),
        laws=np.zeros(shape, dtype=np.int64),
        jumps=np.ones((*shape, states)),
        taken=np.zeros((*shape, groups), dtype=np.int64),
        speeds=np.ones(shape),
        any_server=np.array([each["hits"] == "any" for each in components], dtype=np.bool_),
    )
    for e, each in enumerate(components):
        own = len(each["sojourn"])
        found.laws[e, :own] = [laws.number(law) for law in each["sojourn"]]
        found.jumps[e, :own, :own] = _cumulative(each["jump"])
        found.taken[e, :own] = each["taken"]
        found.speeds[e, :own] = each["speed"]
    return found
