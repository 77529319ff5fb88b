"""The most valuable packing of jobs into servers: the unbounded knapsack, exactly.

f(c), the greatest sum of v_i z_i over whole numbers z_i >= 0 with sum n_i z_i <= c, is found one need at a time: with a
further need n of value v,

    f'(r + j n) = max over i <= j of f(r + i n) + (j − i) v,   r = 0..n−1,

a running maximum along each remainder r, so that whole arrays are worked on at once: classes × servers steps. Values
are rounded up to whole multiples of a small unit and everything is done in whole numbers. So f is exact for them, never
below the true one, and above it by at most a unit for each job of the packing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.errors import TooLarge

Counts = NDArray[np.int64]
#: Needs times servers beyond which a packing takes longer than a second or two to find.
MOST_STEPS = 200_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Packing:
    """Jobs of each need, and a value that no packing exceeds."""

    counts: Counts
    at_most: float


def best_packing(values: Sequence[float], needs: Sequence[int], servers: int) -> Packing:
    """Return the most valuable packing.

    Parameters
    ----------
    values
        What one job of each need is worth, at least 0.
    needs
        Servers each of them takes, all different or not.
    servers
        How many there are.

    Examples
    --------
    Eleven servers; four jobs of need 2 and one of need 3 are worth 11:

    >>> found = best_packing([2.0, 3.0, 3.5], [2, 3, 4], 11)
    >>> found.counts.tolist(), round(found.at_most, 9)
    ([4, 1, 0], 11.0)
    """
    if servers * len(needs) > MOST_STEPS:
        raise TooLarge(
            f"{servers:,} servers times {len(needs)} different needs are more than {MOST_STEPS:,} steps; lower servers"
        )
    most = servers * max(value / need for value, need in zip(values, needs, strict=True))
    if most <= 0:
        return Packing(counts=np.zeros(len(needs), dtype=np.int64), at_most=0.0)
    unit = most / 2.0**52
    whole = [math.ceil(value / unit) for value in values]
    best = np.zeros(servers + 1, dtype=np.int64)
    for value, need in zip(whole, needs, strict=True):
        if value > 0:
            best = _with_need(best, value, need)
    return Packing(counts=_counts(best, whole, needs, servers), at_most=float(best[servers]) * unit)


def _with_need(best: Counts, value: int, need: int) -> Counts:
    rows = -(-len(best) // need)
    padded = np.zeros(rows * need, dtype=np.int64)
    padded[: len(best)] = best
    fewer = value * np.arange(rows, dtype=np.int64)[:, None]
    table = padded.reshape(rows, need) - fewer
    np.maximum.accumulate(table, axis=0, out=table)
    table += fewer
    return table.reshape(-1)[: len(best)]


def _counts(best: Counts, values: Sequence[int], needs: Sequence[int], servers: int) -> Counts:
    """Walk back from the full capacity: a job is in the packing where taking it out costs just its value."""
    counts, left = np.zeros(len(needs), dtype=np.int64), servers
    while best[left] > 0:
        for i, (value, need) in enumerate(zip(values, needs, strict=True)):
            if value > 0 and need <= left and best[left] == best[left - need] + value:
                run = best[left - need :: -need] + value * np.arange(1, left // need + 1) == best[left]
                taken = len(run) if run.all() else int(np.argmin(run))
                counts[i] += taken
                left -= taken * need
                break
        else:
            left -= 1  # f is the same with a server fewer
    return counts
