"""Two classes with exponential durations, FCFS: the product form of the saturated system.

twoclass, Theorems 4.1-4.3. Class 1 needs ``n_1`` of ``k`` servers and class 2 needs ``n_2 > n_1``. There is one
state for each number ``a = 0..floor(k/n_1)`` of class-1 jobs in service: ``b(a) = floor((k - a n_1)/n_2)`` class-2
jobs run beside them, and a class-2 job blocks the head of the queue (``h = 1``) if a class-1 job would still
fit, else nothing fits (``h = 0``). With ``f_i(s)`` the probability that the next completion in ``s`` is of class i,

    pi_[h,a,b] = C p_1^a p_2^(b+h) prod_{i<=a} 1/f_1(s_1(i)) prod_{j<=b} 1/f_2(s_2(j))    (at departures)
    P_[h,a,b]  = X pi_[h,a,b] / (a mu_1 + b mu_2)                                         (over time)

and the normalising ``X`` is the throughput: the stability threshold.

**One step at a time.** With ``r = mu_2/mu_1`` most factors cancel between neighbouring states. If one more class-1
job fits beside the same class-2 jobs, ``s_1(a-1)`` was blocked; if a class-2 job has to make room, it was not, and
then ``s_1(a-1)`` is the very ``s_2(b)`` whose factor disappears. So in both cases

    P_s1(a) / P_s1(a-1) = p_1/a · p_2^(h(a) - 1) · ((a - 1) + b r   or   b r),      b = b(a - 1),

the second alternative where a class-2 job makes room. Logarithms of these ratios are summed outwards from the
likeliest state: where the mass is, ratios are near one and partial sums are small, so a million
roundings do not pile up on numbers of size 10^7 as they would in a difference of log-gamma functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from msj.closed_forms.inputs import comparable_rates, fitting_needs, shares_of_one, whole_number
from msj.closed_forms.two_class_completions import two_class_completions
from msj.errors import InvalidInput, NotSupported, TooLarge

Array = npt.NDArray[np.float64]
IntegerArray = npt.NDArray[np.int64]

#: About a gigabyte of working arrays.
MOST_STATES = 10_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoClass:
    """The saturated two-class system; made by :func:`two_class`.

    Attributes
    ----------
    states
        One row per state: class of the blocking job (0 if none, else 1 or 2), class-1 jobs in service,
        class-2 jobs in service. Classes are numbered as they were given.
    time_average, departure_average
        Stationary law of these states over time and just after departures.
    stability_threshold
        The highest arrival rate the system bears.
    wasted_servers
        Mean number of idle servers although jobs wait.
    saturated_utilisation
        Mean share of busy servers.
    relative_completions, relative_completions_at_departure
        Delta of each state, and Delta(Y_d).
    """

    servers: int
    needs: tuple[int, int]
    shares: tuple[float, float]
    rates: tuple[float, float]
    states: IntegerArray
    time_average: Array
    departure_average: Array
    stability_threshold: float
    wasted_servers: float
    saturated_utilisation: float
    relative_completions: Array
    relative_completions_at_departure: float


@dataclass(frozen=True, kw_only=True)
class TwoClassLimit:
    """What waste and utilisation tend to as one class becomes infinitely faster than the other."""

    wasted_servers: float
    saturated_utilisation: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Packing:
    """How the jobs sit in the servers: the states in the paper's order, class 1 the smaller."""

    servers: int
    small: int  # position, in the caller's order, of the class with the smaller need
    needs: tuple[int, int]
    log_shares: tuple[float, float]
    shares: tuple[float, float]  # in the caller's order
    class_1: IntegerArray
    class_2: IntegerArray
    idle: IntegerArray
    blocked: npt.NDArray[np.bool_]


def two_class(*, servers: int, needs: Sequence[int], shares: Sequence[float], rates: Sequence[float]) -> TwoClass:
    """Return threshold, waste, stationary laws and relative completions for two exponential classes under FCFS.

    Parameters
    ----------
    servers
        Number of servers ``k``.
    needs, shares, rates
        For each of the two classes: servers per job, share of arrivals, rate of the exponential duration.
        The smaller share is taken as it is and the other one as what is left, so ``(1.0, 1e-20)`` is fine.

    Raises
    ------
    NotSupported
        If there are not two classes, or if both need the same number of servers.

    Examples
    --------
    A third of the jobs needs both of two servers and takes twice as long:

    >>> system = two_class(servers=2, needs=(1, 2), shares=(2 / 3, 1 / 3), rates=(1.0, 0.5))
    >>> print(round(system.stability_threshold, 12), round(system.wasted_servers, 12))
    0.9 0.2
    >>> print(round(system.relative_completions_at_departure, 12))
    0.43

    Six jobs in a hundred need half of the servers, and three servers in eight stand idle:

    >>> system = two_class(servers=200, needs=(1, 100), shares=(0.936, 0.064), rates=(2.0, 1.0))
    >>> print(round(system.wasted_servers), round(system.saturated_utilisation, 2))
    77 0.61
    """
    packing = _pack(servers=servers, needs=needs, shares=shares)
    if len(rates) != 2:
        raise InvalidInput(f"{len(rates)} rates given for 2 classes; give one rate per class")
    given = comparable_rates({f"rates[{i}]": rate for i, rate in enumerate(rates)})
    rate_1, rate_2 = given[packing.small], given[1 - packing.small]

    time_average = _normalised(_log_steps(packing, rate_ratio=rate_2 / rate_1))
    completion_rate = packing.class_1 * rate_1 + packing.class_2 * rate_2
    threshold = float(np.sum(time_average * completion_rate))
    departure_average = time_average * completion_rate / threshold
    waste, utilisation = _waste_and_utilisation(packing, time_average)
    in_service = (packing.class_1, packing.class_2)
    states = np.column_stack(
        (
            np.where(packing.blocked, 2 - packing.small, 0),
            in_service[packing.small],
            in_service[1 - packing.small],
        )
    )
    completions = two_class_completions(
        law=time_average,
        in_service=in_service,
        blocked=packing.blocked,
        shares=(math.exp(packing.log_shares[0]), math.exp(packing.log_shares[1])),
        rates=(rate_1, rate_2),
    )
    for array in (states, time_average, departure_average, completions.by_state):
        array.setflags(write=False)
    return TwoClass(
        servers=packing.servers,
        needs=packing.needs if packing.small == 0 else (packing.needs[1], packing.needs[0]),
        shares=packing.shares,
        rates=(given[0], given[1]),
        states=states,
        time_average=time_average,
        departure_average=departure_average,
        stability_threshold=threshold,
        wasted_servers=waste,
        saturated_utilisation=utilisation,
        relative_completions=completions.by_state,
        relative_completions_at_departure=completions.at_departure,
    )


def slow_large_jobs_limit(*, servers: int, needs: Sequence[int], shares: Sequence[float]) -> TwoClassLimit:
    """Return the limit as the larger-need class becomes infinitely slow (twoclass, section 9.2).

    All time is spent with as many large jobs in service as fit: ``k mod n_2`` servers are wasted.

    Examples
    --------
    >>> slow_large_jobs_limit(servers=32, needs=(3, 10), shares=(0.5, 0.5)).wasted_servers
    2.0
    """
    packing = _pack(servers=servers, needs=needs, shares=shares)
    waste = packing.servers % packing.needs[1]
    return TwoClassLimit(wasted_servers=float(waste), saturated_utilisation=(packing.servers - waste) / packing.servers)


def fast_large_jobs_limit(*, servers: int, needs: Sequence[int], shares: Sequence[float]) -> TwoClassLimit:
    """Return the limit as the larger-need class becomes infinitely fast (twoclass, section 9.2).

    All time is spent with small jobs only: ``a`` of them with probability proportional to ``p_1^a / a``, and
    ``1/p_2`` times that for the full ``a = floor(k/n_1)``, from the least ``a`` that keeps a large job out. The
    paper's rule of thumb for the waste, ``n_2 - n_1/p_2``, holds where ``n_2`` is much larger than ``n_1``.

    Examples
    --------
    >>> limit = fast_large_jobs_limit(servers=3000, needs=(1, 1000), shares=(0.5, 0.5))
    >>> print(round(limit.wasted_servers, 3))
    998.001
    """
    packing = _pack(servers=servers, needs=needs, shares=shares)
    log_p1, log_p2 = packing.log_shares
    alone = packing.class_2 == 0
    a = packing.class_1[alone]
    log_steps = log_p1 + np.log1p(-1.0 / a[1:]) - np.where(packing.blocked[alone][1:], 0.0, log_p2)
    law = np.zeros(len(packing.class_1))
    law[alone] = _normalised(log_steps)
    waste, utilisation = _waste_and_utilisation(packing, law)
    return TwoClassLimit(wasted_servers=waste, saturated_utilisation=utilisation)


def _pack(*, servers: int, needs: Sequence[int], shares: Sequence[float]) -> _Packing:
    k = whole_number(servers, name="servers", least=1)
    if len(needs) != 2:
        raise NotSupported(
            f"the product form holds for exactly 2 classes and {len(needs)} needs were given; "
            "use same_law if all classes have one rate, else solve the saturated chain"
        )
    given = fitting_needs(needs, servers=k)
    given_shares = shares_of_one(shares, classes=2)
    if given[0] == given[1]:
        raise NotSupported(
            f"both classes need {given[0]} servers and the product form wants different needs; with equal rates "
            "they are one class, for which same_law answers, else solve the saturated chain"
        )
    small = 0 if given[0] < given[1] else 1
    need_1, need_2 = given[small], given[1 - small]
    if k // need_1 >= MOST_STATES:
        raise TooLarge(
            f"{k} servers hold up to {k // need_1} jobs of need {need_1}, one state each, and at most "
            f"{MOST_STATES} states fit; lower servers"
        )
    rare = 0 if given_shares[0] <= given_shares[1] else 1
    log_rare, log_common = math.log(given_shares[rare]), math.log1p(-given_shares[rare])
    class_1 = np.arange(k // need_1 + 1)
    class_2 = (k - class_1 * need_1) // need_2
    idle = k - class_1 * need_1 - class_2 * need_2
    return _Packing(
        servers=k,
        small=small,
        needs=(need_1, need_2),
        log_shares=(log_rare, log_common) if rare == small else (log_common, log_rare),
        shares=(given_shares[0], given_shares[1]),
        class_1=class_1,
        class_2=class_2,
        idle=idle,
        blocked=idle >= need_1,
    )


def _log_steps(packing: _Packing, *, rate_ratio: float) -> Array:
    """Return ``log(P_s1(a) / P_s1(a-1))`` for ``a = 1, 2, ...`` as in the module's docstring."""
    log_p1, log_p2 = packing.log_shares
    a = packing.class_1[1:].astype(np.float64)
    running_2 = packing.class_2[:-1] * rate_ratio
    makes_room = packing.class_2[1:] < packing.class_2[:-1]
    # (a - 1 + b r)/a is 1 + (b r - 1)/a, near one where it matters; for a = 1 it is b r itself.
    alone = makes_room | (packing.class_1[1:] == 1)
    factor = np.empty_like(a)
    factor[alone] = np.log(running_2[alone] / a[alone])
    factor[~alone] = np.log1p((running_2[~alone] - 1) / a[~alone])
    return log_p1 + factor - np.where(packing.blocked[1:], 0.0, log_p2)


def _normalised(log_steps: Array) -> Array:
    """Return the law whose neighbouring log-ratios are given, summed outwards from its mode."""
    log_law = np.zeros(len(log_steps) + 1)
    np.cumsum(log_steps, out=log_law[1:])
    mode = int(np.argmax(log_law))
    np.cumsum(log_steps[mode:], out=log_law[mode + 1 :])
    log_law[:mode] = -np.cumsum(log_steps[:mode][::-1])[::-1]
    log_law[mode] = 0.0
    law = np.exp(log_law - np.max(log_law))
    return np.asarray(law / np.sum(law))


def _waste_and_utilisation(packing: _Packing, law: Array) -> tuple[float, float]:
    # Both are sums of positive terms: taking one from the other would lose a small one's digits.
    waste = float(np.sum(law * packing.idle))
    busy = float(np.sum(law * (packing.servers - packing.idle)))
    return waste, busy / packing.servers
