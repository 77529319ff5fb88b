"""Bounds on the probability that an arriving job must wait, under FCFS (zeroq, Theorems 4.1 and 4.2).

With n servers, K classes of need m_i and exponential durations, and rho = lambda·E[need × duration]/n:

- stable if rho < 1 − m_max/n (Theorem 4.1; sufficient, not necessary);
- then P(wait) <= (3K·sqrt(m_max/n) + m_max/n)/(1 − rho) (Theorem 4.2).

The theorem's proof bounds P(S > n − m_max), S the servers the jobs present ask for, by
(m_max + E[(n·rho − S)+])/(n(1 − rho)), equation (13), and the expectation, class by class, by 3·sqrt(n·m_i). S is at
least what it would be with infinitely many servers (``infinite_servers``: same arrivals, same durations), whose law is
known and whose mean is n·rho. So the expectation is at most that law's, which is below sqrt(n·sum m_i·rho_i)/2: the
**sharper bound**, never above the paper's. The same comparison from the other side is a **lower bound**: a class-i
arrival waits if S > n − m_i (and only then: S counts those in the queue), which is at least as likely as with
infinitely many servers. That one holds for every duration law.

**Between the two** stands (13) with 3·sqrt(n·m_i) for each class, instead of K times the largest.

**The sharpest** holds for every duration law, too. Let c be the least number of busy servers when somebody waits: more
than n − m_max, and a multiple of what all needs are multiples of. Let S' be S with infinitely many servers,
E[S'] = n·rho. Then, for every t < c,

    P(wait) <= P(S >= c) <= E[(S' − t)+]/(c − t).

*Proof.* At least min(S, c) servers are busy, and n·rho on average (Little's law), so E[min(S, c)] <= E[S']. With S >=
S' and (x − t)+ = x − t + (t − x)+ follows E[(min(S, c) − t)+] <= E[S'] − t + E[(t − S')+] = E[(S' − t)+]; and the left
side is at least (c − t)·P(S >= c). The best t is where E[S' | S' >= t] = c; t = n·rho gives E[(n·rho − S')+]/(c −
n·rho), never above the sharper bound where that says anything. No class has a bound of its own here: what is known (S
>= S' and the mean number of busy servers) allows all who wait to meet a queue, in which they wait alike.

So rho < c/n is enough for stability: saturated, at least c servers are busy at any time. As c > n − m_max that is
Theorem 4.1 for every duration law, which the paper proves for exponential ones.

**On the way** (zeroq, Lemmas 5.3 and 5.4): the work g = sum m_i·X_i/mu_i has E[g] <= (n − m_max)/mu_min +
2·max_i(m_i/mu_i)·n·rho/(n(1−rho) − m_max), and E[(n·rho_i − m_i·X_i)+] <= 3·sqrt(n·m_i); with infinitely many servers
X_i is Poisson(a_i), so the latter is at most m_i·E[(a_i − X_i)+] = m_i·a_i·P(X_i = floor(a_i)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from msj.closed_forms.infinite_servers import InfiniteServers, infinite_servers
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
    least_busy: int  # c: so many servers are busy when somebody waits
    sum_bound: float | None
    little_bound: float | None
    sharpest_bound: float | None
    mean_work_bound: float | None
    shortfall_bound_by_class: dict[str, float]
    sharper_shortfall_bound_by_class: dict[str, float]
    why_no_bound: str = ""
    as_in_the_paper: bool = True  # durations are as the theorems ask for

    @property
    def sharper_sufficient_utilisation(self) -> float:
        """c/n: below it the system is stable, whatever the durations."""
        return self.least_busy / self.servers

    @property
    def sufficient_utilisation(self) -> float:
        """1 − m_max/n: below it the system is stable."""
        return 1.0 - self.largest_need / self.servers

    @property
    def surely_stable(self) -> bool:
        """Whether it is stable for certain, by Theorem 4.1 or by c/n, which is never less."""
        return self.utilisation < self.sharper_sufficient_utilisation


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
        utilisation of 1 − m_max/n, the paper's upper bounds are None. ``little_bound`` and ``sharpest_bound`` are None
        only where they say nothing.

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
    as_in_the_paper = not why_no_bound
    law = infinite_servers(needs, jobs, level=servers - 1)
    lower = [law.beyond(servers - need) for need in needs]
    share = largest / servers
    if not why_no_bound and rho >= 1.0 - share:
        why_no_bound = (
            f"utilisation {rho:.6g} is not below 1 − {largest}/{servers} = {1.0 - share:.6g}, "
            "and beyond that zeroq's Theorems 4.1 and 4.2 say nothing"
        )
    bound = sharper = summed = work = None
    if not why_no_bound:
        bound = theorem_bound(servers=servers, largest_need=largest, classes=kinds, utilisation=rho)
        sharper = (share + law.mean_shortfall(servers * rho) / servers) / (1.0 - rho)
        roots = sum(math.sqrt(need / servers) for need, _ in set(zip(needs, mean_durations, strict=True)))
        summed = (3 * roots + share) / (1.0 - rho)
        work = _mean_work_bound(servers, needs, mean_durations, rho)
    busy = least_busy(servers, needs)
    return QueueingBounds(
        servers=servers,
        largest_need=largest,
        kinds=kinds,
        utilisation=rho,
        bound=bound,
        sharper_bound=sharper,
        lower_bound=sum(each * beyond for each, beyond in zip(shares, lower, strict=True)),
        lower_bound_by_class=dict(zip(names, lower, strict=True)),
        least_busy=busy,
        sum_bound=summed,
        little_bound=_below_one(law.mean_shortfall(servers * rho) / (busy - servers * rho))
        if busy > servers * rho
        else None,
        sharpest_bound=_below_one(sharpest_bound(law, busy)),
        mean_work_bound=work,
        shortfall_bound_by_class={name: 3 * math.sqrt(servers * need) for name, need in zip(names, needs, strict=True)},
        sharper_shortfall_bound_by_class={
            name: need * poisson_shortfall(present) for name, need, present in zip(names, needs, jobs, strict=True)
        },
        why_no_bound=why_no_bound,
        as_in_the_paper=as_in_the_paper,
    )


def least_busy(servers: int, needs: Sequence[int]) -> int:
    """Return c, the least number of busy servers when somebody waits.

    Examples
    --------
    >>> least_busy(10, [1, 4]), least_busy(10, [2, 4]), least_busy(11, [4])
    (7, 8, 8)
    """
    step = math.gcd(*needs)
    return step * ((servers - max(needs)) // step + 1)


def sharpest_bound(law: InfiniteServers, busy: int) -> float:
    """Return the least of E[(S − t)+]/(c − t) over t < c, where S has the ``law`` and c is ``busy``.

    Examples
    --------
    Ten servers, jobs of need 1, 5 present on average: exactly 0.0361 wait.

    >>> round(sharpest_bound(infinite_servers([1], [5.0], level=9), 10), 4)
    0.054
    """
    excess = law.mean_excesses()[:busy]
    return float((excess / np.arange(busy, busy - len(excess), -1.0)).min())


def poisson_shortfall(mean: float) -> float:
    """Return E[(a − X)+] = a·P(X = floor(a)) of a Poisson number X of mean a.

    Examples
    --------
    >>> round(poisson_shortfall(1.0), 6), round(poisson_shortfall(2.5), 6)
    (0.367879, 0.641289)
    """
    least = math.floor(mean)
    return mean * math.exp(least * math.log(mean) - mean - math.lgamma(least + 1)) if mean > 0 else 0.0


def _mean_work_bound(servers: int, needs: Sequence[int], means: Sequence[float], rho: float) -> float:
    largest, longest = max(needs), max(means)
    most = max(need * mean for need, mean in zip(needs, means, strict=True))
    return (servers - largest) * longest + 2.0 * most * servers * rho / (servers * (1.0 - rho) - largest)


def _below_one(bound: float) -> float | None:
    return bound if bound < 1.0 else None
