"""Which servers a job holds, where only their number is known: the lowest free ones, in order of start.

At one moment servers are given back before others are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


def intervals(
    start: NDArray[np.float64], finish: NDArray[np.float64], need: NDArray[np.int64], servers: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return stretches of neighbouring servers (first, last) and where each job's begin; one more place ends the last.

    Jobs that do not fit because a log has more in use than there are get what is left, or nothing.
    """
    by_start = np.lexsort((np.arange(len(start)), start))
    by_finish = np.lexsort((np.arange(len(start)), finish))
    held = np.full(int(max(servers, 1)), -1, dtype=np.int64)
    found = np.empty((max(len(start), 16), 2), dtype=np.int64)
    places = np.zeros(len(start) + 1, dtype=np.int64)
    owner = np.empty(len(found), dtype=np.int64)
    state = np.zeros(3, dtype=np.int64)  # started, ended, stretches
    while _allocate(start, finish, need, by_start, by_finish, held, found, owner, state):
        found = np.concatenate([found, np.empty_like(found)])
        owner = np.concatenate([owner, np.empty_like(owner)])
    count = int(state[2])
    order = np.argsort(owner[:count], kind="stable")
    places[1:] = np.cumsum(np.bincount(owner[:count], minlength=len(start)))
    return found[:count][order], places


def lowest_free(
    start: NDArray[np.float64], finish: NDArray[np.float64], need: NDArray[np.int64], servers: int
) -> list[str]:
    """Return the servers of each job as text.

    Examples
    --------
    >>> lowest_free(np.array([0.0, 0.0, 5.0]), np.array([9.0, 5.0, 8.0]), np.array([2, 1, 3]), 6)
    ['0-1', '2', '2-4']
    """
    found, places = intervals(start, finish, need, servers)
    written = [str(a) if a == b else f"{a}-{b}" for a, b in found.tolist()]
    ends = places.tolist()
    return [" ".join(written[ends[i] : ends[i + 1]]) for i in range(len(start))]


@njit(cache=True, nogil=True)
def _allocate(
    start: Any, finish: Any, need: Any, by_start: Any, by_finish: Any, held: Any, found: Any, owner: Any, state: Any
) -> Any:
    """Give servers out until all jobs have theirs; True if there is no room for more stretches."""
    taken, ended, count = state[0], state[1], state[2]
    servers = len(held)
    while taken < len(start):
        if count + min(need[by_start[taken]], servers) > len(found):
            state[0], state[1], state[2] = taken, ended, count
            return True
        job = by_start[taken]
        while ended < len(finish) and finish[by_finish[ended]] <= start[job]:
            for s in range(servers):
                if held[s] == by_finish[ended]:
                    held[s] = -1
            ended += 1
        left, s = need[job], 0
        while left > 0 and s < servers:
            if held[s] >= 0:
                s += 1
                continue
            first = s
            while s < servers and held[s] < 0 and left > 0:
                if finish[job] > start[job]:  # a job of no length is in nobody's way
                    held[s] = job
                left -= 1
                s += 1
            found[count, 0], found[count, 1], owner[count] = first, s - 1, job
            count += 1
        taken += 1
    state[0], state[1], state[2] = taken, ended, count
    return False
