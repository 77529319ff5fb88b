"""Bounds on the probability that an arriving job must wait, under FCFS (zeroq, Theorems 4.1 and 4.2).

With n servers, K classes of need m_i and exponential durations, and rho = lambda·E[need × duration]/n:

- stable if rho < 1 − m_max/n (Theorem 4.1; sufficient, not necessary);
- then P(wait) <= (3K·sqrt(m_max/n) + m_max/n)/(1 − rho) (Theorem 4.2).

The theorem's proof bounds P(S > n − m_max), S the servers the jobs present ask for, by
(m_max + E[(n·rho − S)+])/(n(1 − rho)), equation (13), and the expectation, class by class, by 3·sqrt(n·m_i). S is at
least what it would be with infinitely many servers (``infinite_servers``: same arrivals, same durations), whose law is
known and whose mean is n·rho. So the expectation is at most that law's, which is below sqrt(n·sum m_i·rho_i)/2: the
**sharper bound**, never above the paper's. The same comparison from the other side is a **lower bound**: a class-i
arrival waits if S > n − m_i, which is at least as likely as with infinitely many servers. That one holds for every
duration law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msj.closed_forms.infinite_servers import infinite_servers
from msj.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class QueueingBounds:
    """What the theorems say of one system; ``bound`` and ``sharper_bound`` are None where they do not apply."""

    servers: int
    largest_need: int
    kinds: int  # K: classes that differ in need or mean duration
    utilisation: float  # rho
    bound: float | None
    sharper_bound: float | None
    lower_bound: float
    lower_bound_by_class: dict[str, float]
    why_no_bound: str = ""

    @property
    def sufficient_utilisation(self) -> float:
        """1 − m_max/n: below it the system is stable."""
        return 1.0 - self.largest_need / self.servers

    @property
    def surely_stable(self) -> bool:
        """Whether Theorem 4.1 applies."""
        return self.utilisation < self.sufficient_utilisation


def theorem_bound(*, servers: int, largest_need: int, classes: int, utilisation: float) -> float:
    """Return the bound of Theorem 4.2; above 1 it says nothing.

    Examples
    --------
    >>> round(theorem_bound(servers=10**8, largest_need=100, classes=3, utilisation=0.9), 6)
    0.09001
    """
    share = largest_need / servers
    if not 0 < utilisation < 1 - share:
        raise InvalidInput(
            f"utilisation = {utilisation:.10g} is not between 0 and 1 − {largest_need}/{servers} = {1 - share:.10g}, "
            "where the theorem holds; lower the load or the largest need"
        )
    return (3 * classes * math.sqrt(share) + share) / (1.0 - utilisation)


def queueing_bounds(
    *,
    servers: int,
    names: Sequence[str],
    needs: Sequence[int],
    shares: Sequence[float],
    mean_durations: Sequence[float],
    arrival_rate: float,
    why_no_bound: str = "",
) -> QueueingBounds:
    """Return the bounds on the probability that an arrival waits.

    Parameters
    ----------
    servers, names, needs, shares, mean_durations
        n, and of each class its name, need, share of the arrivals and mean duration.
    arrival_rate
        Of all classes together; the utilisation must be below 1.
    why_no_bound
        Why the theorems do not apply, if they do not (durations that are not exponential): then, and above a
        utilisation of 1 − m_max/n, the two upper bounds are None.

    Examples
    --------
    >>> found = queueing_bounds(servers=10_000, names=["small", "large"], needs=[1, 16], shares=[0.9, 0.1],
    ...                         mean_durations=[1, 2], arrival_rate=8_000 / 4.1)
    >>> round(found.bound, 4), round(found.sharper_bound, 4), f'{found.lower_bound_by_class["large"]:.3g}'
    (1.208, 0.0716, '1.36e-09')
    """
    jobs = [arrival_rate * share * mean for share, mean in zip(shares, mean_durations, strict=True)]
    rho = sum(need * present for need, present in zip(needs, jobs, strict=True)) / servers
    largest, kinds = max(needs), len(set(zip(needs, mean_durations, strict=True)))
    law = infinite_servers(needs, jobs, level=servers - 1)
    lower = [law.beyond(servers - need) for need in needs]
    share = largest / servers
    if not why_no_bound and rho >= 1.0 - share:
        why_no_bound = (
            f"utilisation {rho:.6g} is not below 1 − {largest}/{servers} = {1.0 - share:.6g}, "
            "and beyond that zeroq's Theorems 4.1 and 4.2 say nothing"
        )
    bound = sharper = None
    if not why_no_bound:
        bound = theorem_bound(servers=servers, largest_need=largest, classes=kinds, utilisation=rho)
        sharper = (share + law.mean_shortfall(servers * rho) / servers) / (1.0 - rho)
    return QueueingBounds(
        servers=servers,
        largest_need=largest,
        kinds=kinds,
        utilisation=rho,
        bound=bound,
        sharper_bound=sharper,
        lower_bound=sum(each * beyond for each, beyond in zip(shares, lower, strict=True)),
        lower_bound_by_class=dict(zip(names, lower, strict=True)),
        why_no_bound=why_no_bound,
    )
