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
from dataclasses import dataclass

from msj.analysis.base import why_not_exponential, why_not_fcfs
from msj.answers.simulate import with_arrival_rate
from msj.errors import InvalidInput, NotSupported, TooLarge, Unstable
from msj.growth.infinite_servers import infinite_servers
from msj.model import System

MOST_SERVERS = 10_000_000  # the law of the servers asked for is a list that long


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


def queueing_bounds(system: System) -> QueueingBounds:
    """Return the bounds on the probability that an arrival waits.

    Parameters
    ----------
    system
        A cluster under FCFS, with a load. The two upper bounds need exponential durations and a utilisation below
        1 − m_max/n, else they are None and ``why_no_bound`` says why.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=10_000, utilisation=0.8, classes=[
    ...     msj.JobClass(name="small", need=1, share=0.9, duration=msj.Exponential(mean=1)),
    ...     msj.JobClass(name="large", need=16, share=0.1, duration=msj.Exponential(mean=2))])
    >>> found = queueing_bounds(system)
    >>> round(found.bound, 4), round(found.sharper_bound, 4), f'{found.lower_bound_by_class["large"]:.3g}'
    (1.208, 0.0716, '1.36e-09')
    """
    reason = why_not_fcfs(system)
    if reason is not None:
        raise NotSupported(f"the bounds on the queueing probability do not apply: {reason}")
    if system.servers > MOST_SERVERS:
        raise TooLarge(f"servers = {system.servers} is above {MOST_SERVERS:,}; take fewer")
    rate, rho = offered(system)
    largest = max(c.need for c in system.active_classes)
    jobs = [rate * float(c.share) * float(c.duration.mean) for c in system.active_classes]
    law = infinite_servers([c.need for c in system.active_classes], jobs, level=system.servers - 1)
    lower = {c.name: law.beyond(system.servers - c.need) for c in system.active_classes}
    kinds = len({(c.need, float(c.duration.mean)) for c in system.active_classes})
    share = largest / system.servers
    why = _why_no_bound(system, rho, 1.0 - share)
    bound = sharper = None
    if not why:
        bound = theorem_bound(servers=system.servers, largest_need=largest, classes=kinds, utilisation=rho)
        sharper = (share + law.mean_shortfall(system.servers * rho) / system.servers) / (1.0 - rho)
    return QueueingBounds(
        servers=system.servers,
        largest_need=largest,
        kinds=kinds,
        utilisation=rho,
        bound=bound,
        sharper_bound=sharper,
        lower_bound=sum(float(c.share) * lower[c.name] for c in system.active_classes),
        lower_bound_by_class=lower,
        why_no_bound=why,
    )


def offered(system: System) -> tuple[float, float]:
    """Return arrival rate and utilisation; a cluster that is asked for more than it has is refused."""
    rate = with_arrival_rate(system).arrival_rate_at(math.nan)
    if rate is None:
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    rho = rate / system.naive_threshold
    if rho >= 1.0:
        raise Unstable(
            f"utilisation {rho:.10g} is not below 1: more work arrives than {system.servers} servers can do under any "
            "policy, and the queue grows without bound; lower the load or raise servers"
        )
    return rate, rho


def _why_no_bound(system: System, rho: float, sufficient: float) -> str:
    reason = why_not_exponential(system)
    if reason is not None:
        return reason
    if rho < sufficient:
        return ""
    largest = max(c.need for c in system.active_classes)
    return (
        f"utilisation {rho:.6g} is not below 1 − {largest}/{system.servers} = {sufficient:.6g}, "
        "and beyond that zeroq's Theorems 4.1 and 4.2 say nothing"
    )
