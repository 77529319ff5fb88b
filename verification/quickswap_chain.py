"""Quickswap rules as chains written down from their words, for needs 1 and k: an independent reading of each.

A state is how many jobs of need 1 and k are present and in service, and what the rule remembers. Arrivals beyond
``MOST`` of a need are turned away, which moves E[T] by less than 1e-6 of it at the load asked. The chain is solved
whole, as a sparse linear system; nothing of it is shared with msj.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

MOST = 60
#: (present of need 1 and of need k, in service of each, memory), servers, and who came (None: a job has left) -> in
#: service of each, and memory.
Rule = Callable[[int, int, int, int, Any, int, "int | None"], tuple[int, int, Any]]


def mean_response_time(rule: Rule, memory: Any, *, servers: int, rates: Any, means: Any) -> float:
    """Return E[T] by Little's law, from jobs of need 1 and ``servers`` that come at ``rates``."""
    start = (0, 0, 0, 0, memory)
    number, todo, steps = {start: 0}, [start], []
    while todo:
        state = todo.pop()
        small, large, running, whole, held = state
        events = [
            (rates[0], True, (min(small + 1, MOST), large, running, whole), 0),
            (rates[1], True, (small, min(large + 1, MOST), running, whole), 1),
            (running / means[0], running > 0, (small - 1, large, running - 1, whole), None),
            (whole / means[1], whole > 0, (small, large - 1, running, whole - 1), None),
        ]
        for rate, possible, after, came in events:
            if possible:
                now, then, kept = rule(*after, held, servers, came)
                assert now + servers * then <= servers
                assert now >= after[2]
                assert then >= after[3]
                reached = (after[0], after[1], now, then, kept)
                if reached not in number:
                    number[reached] = len(number)
                    todo.append(reached)
                steps.append((number[state], number[reached], rate))
    rows, columns, values = (np.array(part) for part in zip(*steps, strict=True))
    size = len(number)
    flow = sparse.csc_array((values, (rows, columns)), shape=(size, size))
    balance = (flow - sparse.diags_array(flow.sum(axis=1))).T.tolil()
    balance[0, :] = 1.0
    right = np.zeros(size)
    right[0] = 1.0
    law = spsolve(balance.tocsc(), right)
    present = np.array([state[0] + state[1] for state in number])
    return float(law @ present / sum(rates))


def static(
    small: int, large: int, running: int, whole: int, turn: int, servers: int, _: int | None
) -> tuple[int, int, int]:
    """Only the need whose turn it is starts; the turn passes when no other is in service and fewer of it than fit."""
    for _step in range(3):
        if turn == 0 and whole == 0:
            running = min(small, servers)
        if turn == 1 and running == 0 and large > 0:
            whole = 1
        passes = (whole == 0 and running < servers) if turn == 0 else (running == 0 and whole == 0)
        other_waits = large > whole if turn == 0 else small > running
        if not (passes and other_waits):
            break
        turn = 1 - turn
    return running, whole, turn


def static_late(
    small: int, large: int, running: int, whole: int, turn: int, servers: int, came: int | None
) -> tuple[int, int, int]:
    """The same where, as in the loop of a public simulator, nobody starts after a turn until the next event."""
    present, serving, fit = [small, large], [running, whole], [servers, 1]
    waiting = [present[0] - serving[0], present[1] - serving[1]]

    def over() -> bool:
        return serving[1 - turn] == 0 and serving[turn] <= fit[turn] - 1

    passes = (over() and came == 1 - turn) or waiting[turn] == 0
    if came is not None and passes and waiting[1 - turn] > 0:
        turn = 1 - turn
    free = servers - serving[0] - servers * serving[1]
    starts = min(waiting[turn], free if turn == 0 else free // servers)
    serving[turn] += starts
    waiting[turn] -= starts
    if over() and waiting[1 - turn] > 0:
        turn = 1 - turn
    return serving[0], serving[1], turn


def msfq(left: int, always: bool) -> Rule:
    """Large until none is left; small until at most ``left`` are; nobody until those are through."""

    def rule(
        small: int, large: int, running: int, whole: int, phase: str, servers: int, _: int | None
    ) -> tuple[int, int, str]:
        if small == 0 and large == 0:
            return 0, 0, "large"
        if phase == "drain" and running == 0:
            phase = "large"
        if phase == "large":
            if large > 0:
                return running, 1, phase  # small jobs are through when this phase begins
            phase = "small"
        if phase == "small":
            running = min(small, servers)
            if small == 0 and large > 0:
                return 0, 1, "large"
            if small <= left and (always or large > 0):
                phase = "drain"
        return running, whole, phase

    return rule


def adaptive(
    small: int, large: int, running: int, whole: int, draining: bool, servers: int, _: int | None
) -> tuple[int, int, bool]:
    """Largest first; drain for the large when they wait, none is in service and no small job waits."""
    if draining and large > whole and running + whole > 0:
        return running, whole, True
    if running == 0 and whole == 0 and large > 0:
        whole = 1
    if whole == 0:
        running = min(small, servers)
    small_waits, large_waits = small > running, large > whole
    left_out = (large_waits and whole == 0) or (small_waits and running == 0)
    turned_over = (large_waits and whole > 0) or (small_waits and running > 0)
    return running, whole, left_out and not turned_over
