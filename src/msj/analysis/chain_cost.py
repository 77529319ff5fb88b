"""What chains cost, in operations and bytes: measured once, the same on every machine.

A saturated chain of S states is solved by a sparse factorisation: from 10^4 to 10^6 states its time grows like S^1.21
(``make bench``), with the number of types of jobs (class and phase) about proportionally; two types make a mere line,
whose time is proportional to S. A level process of levels of up to m phases is solved
by dense blocks, m^3 for each level and for each step of the reduction. One core does about 5·10^9 of these operations a
second, which is how seconds are told to people, and never used to decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from msj.effort import Cost

OPERATIONS_A_SECOND = 5e9
NODES_EACH = 53.0  # values of a transform behind one value of its inverse
LOOKS = 25  # values of the inverse behind each percentile and the search for it


def chain_cost(states: float, types: int) -> Cost:
    """Return the cost of a saturated chain of so many states and types of jobs.

    Examples
    --------
    >>> round(chain_cost(1_120_393, 3).operations / OPERATIONS_A_SECOND)  # measured: 22 s
    22
    """
    operations = 2.8e4 * states if types <= 2 else 1.76e3 * types * states**1.21
    return Cost(operations=operations, bytes=1400.0 * states)


def level_cost(sizes: Sequence[int], bytes_held: float) -> Cost:
    """Return the cost of the stationary law of a level process."""
    return Cost(operations=float(max(sizes)) ** 3 * (len(sizes) + 15), bytes=bytes_held)


def descent_cost(sizes: Sequence[int], curves: int, descents: int = 1) -> Cost:
    """Return the cost of percentiles of so many waiting-time curves, read off so many descents through the levels."""
    nodes = NODES_EACH * (24 + LOOKS * curves)
    return Cost(operations=50.0 * descents * nodes * (max(sizes) ** 2 / 8.0 + 12.0 * sum(sizes)))


def in_words(cost: Cost) -> str:
    """Say about how long it takes.

    Examples
    --------
    >>> in_words(Cost(operations=1e12)), in_words(Cost(operations=1e8))
    ('about 200 seconds', 'about a second')
    """
    seconds = cost.operations / OPERATIONS_A_SECOND
    if seconds < 1.5:
        return "about a second"
    return f"about {seconds:.0f} seconds" if seconds < 3600 else "hours, if it fits at all"
