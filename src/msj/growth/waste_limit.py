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

from msj.analysis.base import why_not_fcfs
from msj.errors import NotSupported
from msj.model import System


def limiting_waste(system: System) -> float:
    """Return the number of wasted servers that the cluster's mix of needs tends to under FCFS.

    Examples
    --------
    >>> import msj
    >>> round(limiting_waste(msj.read("examples/hpc_partition.toml")), 4)
    5.8743
    """
    reason = why_not_fcfs(system)
    if reason is not None:
        raise NotSupported(f"the limit of the waste is known for FCFS only ({reason}); simulate instead")
    unit = math.gcd(*(c.need for c in system.active_classes))
    needs = [(float(c.share), c.need // unit) for c in system.active_classes]
    mean = sum(share * need for share, need in needs)
    pairs = sum(share * need * (need - 1) for share, need in needs)
    return system.servers % unit + unit * pairs / (2 * mean)
