"""How many jobs of each need to serve: the decisions of policies that look at needs and counts only.

``needs`` holds the distinct needs in increasing order, ``members`` how many jobs of each may be served, ``target`` gets
how many are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import helper, kernel


@helper
def by_need(needs: Any, members: Any, free: Any, largest: Any, target: Any) -> Any:
    """Go through the needs, largest or smallest first, and add to the target what still fits; return what is free."""
    groups = len(needs)
    for step in range(groups):
        g = groups - 1 - step if largest else step
        fits = members[g] - target[g]
        if fits * needs[g] > free:  # dividing costs more than all the rest
            fits = free // needs[g]
        target[g] += fits
        free -= fits * needs[g]
    return free


@kernel
def exactly(needs: Any, members: Any, servers: Any, reach: Any, target: Any) -> Any:
    """Set the target to the packing of largest total need, larger needs preferred (wcfs, section 3.4.3)."""
    groups = len(needs)
    if by_need(needs, members, servers, True, target) == 0:
        return
    everyone = True
    for g in range(groups):
        everyone = everyone and target[g] == members[g]
    if everyone:
        return
    # reach[g, c]: jobs of the needs below the g-th can need c servers together.
    for c in range(servers + 1):
        reach[0, c] = 1 if c == 0 else 0
    for g in range(groups):
        v = needs[g]
        for c in range(servers + 1):
            reach[g + 1, c] = 0
            z = 0
            while z <= members[g] and z * v <= c and reach[g + 1, c] == 0:
                reach[g + 1, c] = reach[g, c - z * v]
                z += 1
    left = servers
    while reach[groups, left] == 0:
        left -= 1
    for g in range(groups - 1, -1, -1):
        z = min(members[g], left // needs[g])
        while reach[g, left - z * needs[g]] == 0:
            z -= 1
        target[g] = z
        left -= z * needs[g]


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
def heaviest_listed(packings: Any, members: Any, ties: Any, draws: Any, used: Any, target: Any) -> Any:
    """Set the target to the listed packing of largest weight, sum of members × packing (wcfs, section 4.5.2).

    Ties: 1 the most jobs of the smallest need present, 2 of the largest, 0 each best packing equally likely.
    """
    groups = len(members)
    chosen, best, ways = -1, -1, 0
    for p in range(len(packings)):
        weight = 0
        for g in range(groups):
            weight += packings[p, g] * members[g]
        if weight > best:
            chosen, best, ways = p, weight, 1
        elif weight == best:
            ways += 1
            if ties != 0:
                for step in range(groups):
                    g = groups - 1 - step if ties == 2 else step
                    if members[g] > 0 and packings[p, g] != packings[chosen, g]:
                        if packings[p, g] > packings[chosen, g]:
                            chosen = p
                        break
    if ties == 0 and ways > 1:
        skip = int(draws[used] * ways)
        used += 1
        for p in range(len(packings)):
            weight = 0
            for g in range(groups):
                weight += packings[p, g] * members[g]
            if weight == best:
                if skip == 0:
                    chosen = p
                    break
                skip -= 1
    for g in range(groups):
        target[g] = min(packings[chosen, g], members[g])
    return used


@kernel
def heaviest(
    needs: Any, members: Any, servers: Any, limited: Any, ties: Any, draws: Any, used: Any, best: Any, target: Any
) -> Any:
    """Set the target to the packing of largest weight, sum of members × target (wcfs, section 4.5.2).

    Dynamic programming over needs in order of preference. Ties as above, but at random need by need: among the numbers
    of each need that a best packing can have, each is equally likely. Returns how many draws are used.
    """
    groups = len(needs)
    for step in range(groups - 1, -1, -1):
        g = groups - 1 - step if ties == 2 else step
        v, weight = needs[g], members[g]
        for c in range(servers + 1):
            found = best[step + 1, c]
            if weight > 0 and c >= v:
                if limited:
                    for z in range(1, min(c // v, weight) + 1):
                        found = max(found, best[step + 1, c - z * v] + z * weight)
                else:
                    found = max(found, best[step, c - v] + weight)
            best[step, c] = found
    left = servers
    for step in range(groups):
        g = groups - 1 - step if ties == 2 else step
        v, weight = needs[g], members[g]
        target[g] = 0
        if weight == 0:
            continue
        most = left // v
        if limited:
            most = min(most, weight)
        z, ways = -1, 0
        for tried in range(most, -1, -1):
            if best[step + 1, left - v * tried] + tried * weight == best[step, left]:
                ways += 1
                if z < 0:
                    z = tried
                if ties != 0:
                    break
        if ways > 1:
            skip = int(draws[used] * ways)
            used += 1
            for tried in range(most, -1, -1):
                if best[step + 1, left - v * tried] + tried * weight == best[step, left]:
                    if skip == 0:
                        z = tried
                        break
                    skip -= 1
        left -= v * z
        target[g] = min(z, weight)
    return used
