"""All classes have one exponential duration law, FCFS: threshold and waste for any mix of needs.

twoclass, section 8 (after Rumyantsev and Morozov). Just after a departure the needs ``V_1, V_2, ...`` of the jobs in
order are i.i.d.; ``sigma``, how many of them fit in ``k`` servers in order, are in service, and

    lambda* = mu / E[1/sigma],      P(sigma >= i) = P(S_i <= k),      S_i = V_1 + ... + V_i.

**Summing over the number of jobs in closed form.** ``sigma = i`` with ``s`` servers busy means ``S_i = s`` and that
the next need exceeds ``f = k - s``. So only two sequences are wanted, and only for ``s > k - max need``:

    u(s) = sum_i P(S_i = s)       = sum_v p_v u(s - v),            u(0) = 1      (renewal masses)
    g(s) = sum_i P(S_i = s) / i   = sum_v v p_v u(s - v) / s.

The second line is the generating-function identity ``z d/dz(-log(1 - P(z))) = z P'(z) / (1 - P(z))`` with
``P(z) = sum_v p_v z^v``. Over time a state weighs ``1/i`` as much as at departures, so

    E[1/sigma] = sum_s P(V > k - s) g(s),      wasted = sum_s (k - s) P(V > k - s) g(s) / E[1/sigma].

Every term is positive: nothing cancels, and the work is servers times classes.

The law of ``sigma`` itself needs the two-dimensional ``P(S_i = s)`` and is computed when asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from msj.closed_forms.inputs import fitting_needs, positive_rate, shares_of_one, whole_number
from msj.errors import InvalidInput, TooLarge

Array = npt.NDArray[np.float64]
IntegerArray = npt.NDArray[np.int64]

#: Steps of the renewal recursion (servers times classes): tens of seconds.
MOST_STEPS = 200_000_000
#: Multiplications for the law of the number in service: tens of seconds.
MOST_MULTIPLICATIONS = 20_000_000_000
#: Probabilities below this are dropped at the edges of the law of a sum of needs, ahead of underflow.
NEGLIGIBLE = 1e-280


@dataclass(frozen=True, kw_only=True, eq=False)
class JobsInService:
    """How many jobs are in service in the saturated system.

    Attributes
    ----------
    number
        The possible numbers, ``floor(k/max need)`` to ``floor(k/min need)``.
    at_departure
        The law of ``sigma``: the number in service just after a departure.
    over_time
        The law of the number in service at an arbitrary time, proportional to ``P(sigma = i)/i``.
    """

    number: IntegerArray
    at_departure: Array
    over_time: Array


@dataclass(frozen=True, kw_only=True)
class SameLaw:
    """The saturated system whose classes share one exponential duration; made by :func:`same_law`.

    Attributes
    ----------
    stability_threshold
        The highest arrival rate the system bears.
    wasted_servers
        Mean number of idle servers although jobs wait.
    saturated_utilisation
        Mean share of busy servers.
    """

    servers: int
    needs: tuple[int, ...]
    shares: tuple[float, ...]
    rate: float
    stability_threshold: float
    wasted_servers: float
    saturated_utilisation: float

    def jobs_in_service(self) -> JobsInService:
        """Return the law of the number in service, at departures (``sigma``) and over time.

        Examples
        --------
        >>> law = same_law(servers=2, needs=(1, 2), shares=(0.5, 0.5), rate=1.0).jobs_in_service()
        >>> print(law.number, law.at_departure, law.over_time.round(6))
        [1 2] [0.75 0.25] [0.857143 0.142857]
        """
        by_need = _share_of_need(self.needs, self.shares)
        least, most = min(by_need), max(by_need)
        work = (self.servers // least) * self.servers * len(by_need)
        if work > MOST_MULTIPLICATIONS:
            raise TooLarge(
                f"the law of the number in service on {self.servers} servers takes about {work:.1e} multiplications "
                f"and {MOST_MULTIPLICATIONS:.0e} are allowed; lower servers or do without the law"
            )
        number = np.arange(self.servers // most, self.servers // least + 1)
        at_departure = _law_of_sigma(by_need, servers=self.servers)[number]
        at_departure /= np.sum(at_departure)
        weights = at_departure / number
        return JobsInService(number=number, at_departure=at_departure, over_time=weights / np.sum(weights))


def same_law(*, servers: int, needs: Sequence[int], shares: Sequence[float], rate: float) -> SameLaw:
    """Return threshold and waste when every class has the same exponential duration, under FCFS.

    Parameters
    ----------
    servers
        Number of servers ``k``.
    needs, shares
        For each class: servers per job and share of arrivals. Any number of classes; needs may repeat.
    rate
        Rate of the exponential duration all classes have.

    Examples
    --------
    >>> system = same_law(servers=16, needs=(1, 3, 5, 16), shares=(0.4, 0.3, 0.2, 0.1), rate=1.0)
    >>> print(round(system.stability_threshold, 8), round(system.wasted_servers, 6))
    2.64824762 5.671834
    """
    k = whole_number(servers, name="servers", least=1)
    if len(needs) == 0:
        raise InvalidInput("needs is empty but there must be at least one class; give its need")
    checked_needs = fitting_needs(needs, servers=k)
    checked_shares = shares_of_one(shares, classes=len(checked_needs))
    checked_rate = positive_rate(rate, name="rate")
    by_need = _share_of_need(checked_needs, checked_shares)
    if k * len(by_need) > MOST_STEPS:
        raise TooLarge(
            f"{k} servers times {len(by_need)} different needs are more than {MOST_STEPS} steps; lower servers"
        )

    most = max(by_need)
    renewal_mass = _renewal_masses(by_need, servers=k)  # renewal_mass[most + s] is u(s), zero for s < 0
    busy = np.arange(k - most + 1, k + 1)
    idle = k - busy
    next_does_not_fit = _probability_of_more_than(by_need)[idle]
    needs_before = sum(need * share * renewal_mass[most + busy - need] for need, share in by_need.items())
    weight = next_does_not_fit * needs_before / busy
    mean_inverse = np.sum(weight)
    # Some number of jobs is in service: this sum is one but for rounding, which dividing by it takes out.
    certainty = np.sum(next_does_not_fit * renewal_mass[most + busy])
    return SameLaw(
        servers=k,
        needs=checked_needs,
        shares=checked_shares,
        rate=checked_rate,
        stability_threshold=float(checked_rate * certainty / mean_inverse),
        wasted_servers=float(np.sum(weight * idle) / mean_inverse),
        saturated_utilisation=float(np.sum(weight * busy) / mean_inverse / k),
    )


def _share_of_need(needs: Sequence[int], shares: Sequence[float]) -> dict[int, float]:
    """Return the law of the need, classes of equal need put together, smallest need first."""
    by_need = dict.fromkeys(sorted(needs), 0.0)
    for need, share in zip(needs, shares, strict=True):
        by_need[need] += share
    return by_need


def _renewal_masses(by_need: dict[int, float], *, servers: int) -> Array:
    """Return ``u(-most), ..., u(servers)``: the expected number of jobs after which exactly ``s`` are busy."""
    most = max(by_need)
    masses = [0.0] * most + [1.0] + [0.0] * servers
    steps = list(by_need.items())
    for s in range(most + 1, most + servers + 1):
        mass = 0.0
        for need, share in steps:
            mass += share * masses[s - need]
        masses[s] = mass
    return np.array(masses)


def _probability_of_more_than(by_need: dict[int, float]) -> Array:
    """Return ``P(V > f)`` for ``f = 0, ..., max need - 1``, added up from the far end so nothing cancels."""
    probability = np.zeros(max(by_need))
    for need, share in by_need.items():
        probability[need - 1] = share
    return np.asarray(np.cumsum(probability[::-1])[::-1])


def _law_of_sigma(by_need: dict[int, float], *, servers: int) -> Array:
    """Return ``P(sigma = i)`` for ``i = 0, ..., floor(servers/min need)``.

    Job by job: the law of ``S_i`` on a window of server numbers, moved up by every need. Only positive terms
    are added, so small probabilities keep their digits; the window is cut where they become negligible.
    """
    most = max(by_need)
    next_does_not_fit = np.zeros(servers + 1)
    next_does_not_fit[servers - most + 1 :] = _probability_of_more_than(by_need)[::-1]
    law = np.zeros(servers // min(by_need) + 1)
    window, start = np.ones(1), 0  # S_0 is zero
    for i in range(1, len(law)):
        stop = min(start + len(window) + most, servers + 1)
        moved = np.zeros(stop - start)
        for need, share in by_need.items():
            target = moved[need : need + len(window)]
            target += share * window[: len(target)]
        kept = np.flatnonzero(moved > NEGLIGIBLE)
        if len(kept) == 0:
            break
        window = moved[kept[0] : kept[-1] + 1]
        start += int(kept[0])
        law[i] = window @ next_does_not_fit[start : start + len(window)]
    return law
