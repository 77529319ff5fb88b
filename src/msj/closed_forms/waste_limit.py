"""What FCFS wastes however large the cluster is.

Line up the needs V_1, V_2, ... of a saturated cluster's jobs: the free servers are the distance from the last job that
fits to the cluster's end, the age of a renewal process at that point. Completions move the point on by the need of a
job that has left. In a large cluster that need has nothing to do with the jobs near the end, and the age keeps its
stationary law P(f = j) = P(V > j)/E[V] (needs without a common divisor). So the waste does not grow with the cluster
but tends to

    E[f] = E[V (V - 1)] / (2 E[V]),

whatever the durations. With g the greatest common divisor of the needs, count in units of g; k mod g servers are never
used at all. Derived here; the tests compare it with the two-class product form at a million servers (twoclass,
Theorem 4.2), with the product form for one law (twoclass, Theorem 8.1) and with simulation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def limiting_waste(*, servers: int, needs: Sequence[int], shares: Sequence[float]) -> float:
    """Return the number of wasted servers that a mix of needs tends to under FCFS.

    Examples
    --------
    >>> limiting_waste(servers=1001, needs=[2, 6], shares=[0.5, 0.5])  # in pairs: needs 1 and 3 of 500
    2.5
    """
    unit = math.gcd(*needs)
    mean = sum(share * (need // unit) for share, need in zip(shares, needs, strict=True))
    pairs = sum(share * (need // unit) * (need // unit - 1) for share, need in zip(shares, needs, strict=True))
    return servers % unit + unit * pairs / (2 * mean)
