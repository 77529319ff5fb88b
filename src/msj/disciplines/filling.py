"""What the filling policies decide: candidates in some order, of which those are served that fill the servers.

Candidates are taken by arrival, by size (need × remaining duration) or by need, ties by arrival: until their needs sum
to the servers k (ServerFilling), or until there are k of them (DivisorFilling). They are then looked at largest need
first, within a need in the order in which they were taken. ServerFilling serves each that fits; DivisorFilling the
first set, in that order, whose needs sum to as much of k as any set's.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Serve

Order = Literal["arrival", "size", "need"]


@cache
def serve_filling(order: Order, *, exactly: bool) -> Serve:
    """Return the plain function of ServerFilling or, with ``exactly``, of DivisorFilling."""
    by_arrival, by_size = order == "arrival", order == "size"

    def serve(
        needs: NDArray[np.int64],
        running: NDArray[np.bool_],
        remaining: NDArray[np.float64],
        servers: int,
        chosen: NDArray[np.bool_],
    ) -> None:
        taken = np.zeros(len(needs), np.bool_)
        line = np.empty(min(len(needs), servers), np.int64)  # the candidates, largest need first
        count, wanted = 0, 0
        while count < len(line) and (exactly or wanted < servers):
            least, key = count, 0.0
            if not by_arrival:
                least = -1
                for i in range(len(needs)):
                    its = needs[i] * (remaining[i] if by_size else 1.0)
                    if not taken[i] and (least < 0 or its < key):
                        least, key = i, its
            taken[least] = True
            wanted += needs[least]
            place = count
            while place > 0 and needs[line[place - 1]] < needs[least]:
                line[place] = line[place - 1]
                place -= 1
            line[place] = least
            count += 1
        if not exactly:
            free = servers
            for i in range(count):
                if needs[line[i]] <= free:
                    chosen[line[i]] = True
                    free -= needs[line[i]]
            return
        # reach[i, c]: some of the candidates from the i-th on need c servers together.
        reach = np.zeros((count + 1, servers + 1), np.bool_)
        reach[count, 0] = True
        for i in range(count - 1, -1, -1):
            need = needs[line[i]]
            for c in range(servers + 1):
                reach[i, c] = reach[i + 1, c] or (c >= need and reach[i + 1, c - need])
        left = servers
        while not reach[0, left]:
            left -= 1
        for i in range(count):
            need = needs[line[i]]
            if need <= left and reach[i + 1, left - need]:
                chosen[line[i]] = True
                left -= need

    return serve
