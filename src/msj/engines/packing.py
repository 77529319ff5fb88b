"""How many jobs of each need to serve: the decisions of policies that look at needs and counts only.

``groups`` has one row per distinct need, in increasing order: its ``need``, how many ``members`` may be served, and
``target``, which gets how many are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import helper, kernel

RANDOM, SMALLEST, LARGEST = range(3)  # which of several best packings is taken


@helper
def by_need(groups: Any, free: Any, largest: Any) -> Any:
    """Go through the needs, largest or smallest first, and add to the target what still fits; return what is free."""
    size = len(groups)
    for step in range(size):
        g = size - 1 - step if largest else step
        fits = groups[g].members - groups[g].target
        if fits * groups[g].need > free:  # dividing costs more than all the rest
            fits = free // groups[g].need
        groups[g].target += fits
        free -= fits * groups[g].need
    return free


@kernel
def exactly(groups: Any, servers: Any, reach: Any) -> Any:
    """Set the target to the packing of largest total need, larger needs preferred (wcfs, section 3.4.3)."""
    size = len(groups)
    if by_need(groups, servers, True) == 0:
        return
    everyone = True
    for g in range(size):
        everyone = everyone and groups[g].target == groups[g].members
    if everyone:
        return
    # reach[g, c]: jobs of the needs below the g-th can need c servers together.
    for c in range(servers + 1):
        reach[0, c] = 1 if c == 0 else 0
    for g in range(size):
        need, members = groups[g].need, groups[g].members
        for c in range(servers + 1):
            reach[g + 1, c] = 0
            z = 0
            while z <= members and z * need <= c and reach[g + 1, c] == 0:
                reach[g + 1, c] = reach[g, c - z * need]
                z += 1
    left = servers
    while reach[size, left] == 0:
        left -= 1
    for g in range(size - 1, -1, -1):
        need = groups[g].need
        z = min(groups[g].members, left // need)
        while reach[g, left - z * need] == 0:
            z -= 1
        groups[g].target = z
        left -= z * need


def maximal_packings(needs: NDArray[np.int64], servers: int, most: int = 256) -> NDArray[np.int64]:
    """Return the packings to which no job can be added, one row each; none at all if there are more than ``most``."""
    found: list[tuple[int, ...]] = []

    def extend(packing: tuple[int, ...], free: int) -> None:
        if len(packing) == len(needs):
            if free < needs[0]:  # the smallest need
                found.append(packing[::-1])
            return
        need = int(needs[len(needs) - 1 - len(packing)])
        for z in range(free // need, -1, -1):
            if len(found) > most:
                return
            extend((*packing, z), free - z * need)

    extend((), servers)
    return np.array(found if len(found) <= most else [], dtype=np.int64).reshape(-1, len(needs))


@helper
def _weight(packings: Any, p: Any, groups: Any) -> Any:
    weight = 0
    for g in range(len(groups)):
        weight += packings[p, g] * groups[g].members
    return weight


@helper
def heaviest_listed(packings: Any, groups: Any, ties: Any, draws: Any) -> Any:
    """Set the target to the listed packing of largest weight, sum of members × packing (wcfs, section 4.5.2).

    Of several best the one with the most jobs of the smallest or of the largest need present, or each equally likely.
    """
    size = len(groups)
    chosen, best, ways = -1, -1, 0
    for p in range(len(packings)):
        weight = _weight(packings, p, groups)
        if weight > best:
            chosen, best, ways = p, weight, 1
        elif weight == best:
            ways += 1
            if ties != RANDOM:
                for step in range(size):
                    g = size - 1 - step if ties == LARGEST else step
                    if groups[g].members > 0 and packings[p, g] != packings[chosen, g]:
                        if packings[p, g] > packings[chosen, g]:
                            chosen = p
                        break
    if ties == RANDOM and ways > 1:
        skip = int(draws.values[draws.used[0]] * ways)
        draws.used[0] += 1
        for p in range(len(packings)):
            if _weight(packings, p, groups) == best:
                if skip == 0:
                    chosen = p
                    break
                skip -= 1
    for g in range(size):
        groups[g].target = min(packings[chosen, g], groups[g].members)


@kernel
def heaviest(groups: Any, servers: Any, limited: Any, ties: Any, draws: Any, best: Any) -> Any:
    """Set the target to the packing of largest weight, sum of members × target (wcfs, section 4.5.2).

    Dynamic programming over needs in order of preference. Ties as above, but at random need by need: among the numbers
    of each need that a best packing can have, each is equally likely.
    """
    size = len(groups)
    for step in range(size - 1, -1, -1):
        g = size - 1 - step if ties == LARGEST else step
        need, weight = groups[g].need, groups[g].members
        for c in range(servers + 1):
            found = best[step + 1, c]
            if weight > 0 and c >= need:
                if limited:
                    for z in range(1, min(c // need, weight) + 1):
                        found = max(found, best[step + 1, c - z * need] + z * weight)
                else:
                    found = max(found, best[step, c - need] + weight)
            best[step, c] = found
    left = servers
    for step in range(size):
        g = size - 1 - step if ties == LARGEST else step
        need, weight = groups[g].need, groups[g].members
        groups[g].target = 0
        if weight == 0:
            continue
        most = left // need
        if limited:
            most = min(most, weight)
        z, ways = -1, 0
        for tried in range(most, -1, -1):
            if best[step + 1, left - need * tried] + tried * weight == best[step, left]:
                ways += 1
                if z < 0:
                    z = tried
                if ties != RANDOM:
                    break
        if ways > 1:
            skip = int(draws.values[draws.used[0]] * ways)
            draws.used[0] += 1
            for tried in range(most, -1, -1):
                if best[step + 1, left - need * tried] + tried * weight == best[step, left]:
                    if skip == 0:
                        z = tried
                        break
                    skip -= 1
        left -= need * z
        groups[g].target = min(z, weight)
