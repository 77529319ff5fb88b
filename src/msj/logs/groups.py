"""Jobs in groups by their need: each need of its own where there are few, else powers of two (1, 2, 3 to 4, ...)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST = 12  # needs that are shown one by one


@dataclass(frozen=True, kw_only=True, eq=False)
class Groups:
    """The group of each job, and what the groups are called, smallest need first."""

    of_job: NDArray[np.int64]
    names: tuple[str, ...]


def by_need(need: NDArray[np.int64], most: int = MOST) -> Groups:
    """Group jobs by need.

    Examples
    --------
    >>> by_need(np.array([1, 4, 4])).names
    ('need 1', 'need 4')
    >>> by_need(np.arange(1, 21)).names
    ('need 1', 'need 2', 'need 3 to 4', 'need 5 to 8', 'need 9 to 16', 'need 17 to 20')
    """
    if not len(need):
        return Groups(of_job=np.zeros(0, dtype=np.int64), names=())
    largest = int(need.max())
    needs = np.flatnonzero(np.bincount(need)) if largest <= 1 << 20 else np.unique(need)  # counting is quicker
    if len(needs) <= most:
        return Groups(of_job=np.searchsorted(needs, need), names=tuple(f"need {n}" for n in needs))
    power = np.ceil(np.log2(needs)).astype(np.int64)
    names = []
    for p in np.unique(power):
        low, high = (1 << int(p) - 1) + 1 if p > 0 else 1, min(1 << int(p), largest)
        names.append(f"need {low}" if low == high else f"need {low} to {high}")
    place = np.searchsorted(np.unique(power), power)
    return Groups(of_job=place[np.searchsorted(needs, need)], names=tuple(names))
