"""Jobs that need one server and jobs that need all ``n``: threshold, waste, relative completions.

FCFS, exponential durations with rates ``mu_1`` (small) and ``mu_n`` (large); a share ``p`` of the arrivals is
large, ``q = 1 - p``. The saturated system has one state per number ``b`` of small jobs in service:
``b = n``, or ``b < n`` with a large job waiting (``b >= 1``) or running (``b = 0``).
lfms, Lemmas 5.1-5.5 (in Lemma 5.2 the range ``1 < b < n`` means ``1 <= b < n``).

**Free of cancellation.** Everything follows from one sum of positive terms,

    W = sum_{b=1}^{n-1} q^b (n - b)/b,

namely, with ``c = mu_1/mu_n`` (rewriting ``1 - q^n`` as ``p sum_{b<n} q^b`` in Lemma 5.3):

    n mu_1/mu        = q + p (n c + W) =: g
    waste            = E[n - b] = n p W / g
    utilisation      = (q + p n c) / g
    n mu_1/mu - 1    = p (n c - 1 + W)

so that ``p`` may be 1e-16 or less, where ``1 - p`` rounds to one: ``q^b = exp(b log1p(-p))``. Small jobs may be as
rare: then ``q`` must be given, since ``1 - p`` would be nothing but rounding.

**Relative completions.** Lemma 5.5 measures ``Delta`` from state 0: with ``m = mu/mu_1``,
``Delta(i) - Delta(0) = i - m H_i`` for ``i < n``, and ``Delta(n) - Delta(n-1) = (1 - m/n)/p``. Adding up, with the
large parts taken out by hand,

    Delta(n) - Delta(0) = (n c - 1 + (n - 1)(n mu_1/mu - 1) - sum_{b=1}^{n-1} (1 - q^b)(n - b)/b) / g.

Since the time-average law ``P`` and the departure-average law ``pi^d`` both sum to one,
``E[Delta(Y_d)] = sum_i (pi^d_i - P_i)(Delta(i) - Delta(r))`` for any reference state ``r``. State 0 is the right
one when ``n p >= 1``. When ``n p < 1`` nearly all mass is at ``n``, whose term would be a difference of nearly equal
numbers; with ``r = n`` that term is gone and what remains is ``p`` times a sum of size ``n²``.

The sums over ``b`` are evaluated by :mod:`msj.closed_forms.smooth_sums`, in time and memory that grow with
``log n``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import digamma

from msj.closed_forms.inputs import comparable_rates, share_inside, shares_of_one, whole_number
from msj.closed_forms.smooth_sums import sum_over_integers
from msj.errors import InvalidInput, TooLarge

Array = npt.NDArray[np.float64]

#: Beyond this many servers an array with one entry per state is refused (160 MB each).
MOST_SERVERS_FOR_ARRAYS = 20_000_000
#: Beyond this whole numbers are no longer exact as floats.
MOST_SERVERS = 2**53


@dataclass(frozen=True, kw_only=True, eq=False)
class OneAndNLaws:
    """The three stationary laws of the saturated 1-and-n system (lfms, Lemmas 5.1, 5.2 and 5.4).

    Attributes
    ----------
    time_average, departure_average
        ``P`` and ``pi^d``, indexed by the number ``b = 0..n`` of small jobs in service.
    filling
        Transition-average ``pi_{0,b}``, ``b = 0..n``: no large job present. Below ``n`` these are the
        instants between two jobs entering service.
    completing
        Transition-average ``pi_{1,b}``, ``b = 0..n-1``: a large job is present.
    """

    time_average: Array
    departure_average: Array
    filling: Array
    completing: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class OneAndN:
    """The saturated 1-and-n system; made by :func:`one_and_n`.

    Attributes
    ----------
    stability_threshold
        ``mu``, the highest arrival rate the system bears (jobs of both classes).
    threshold_shortfall
        ``n mu_1/mu - 1`` with full relative accuracy, however small: how far ``mu`` is below the rate at
        which ``n`` servers complete small jobs.
    wasted_servers
        Mean number of idle servers although jobs wait.
    saturated_utilisation
        Mean share of busy servers.
    relative_completions_at_departure
        ``E[Delta(Y_d)]``; in heavy traffic ``E[Q](1 - lambda/mu)`` tends to one more than this.
    """

    servers: int
    share_large: float
    share_small: float
    rate_small: float
    rate_large: float
    stability_threshold: float
    threshold_shortfall: float
    wasted_servers: float
    saturated_utilisation: float
    relative_completions_at_departure: float

    def laws(self) -> OneAndNLaws:
        """Return the three stationary laws as arrays (lfms, Lemmas 5.1, 5.2 and 5.4).

        Examples
        --------
        >>> laws = one_and_n(servers=2, share_large=1 / 3, rate_small=1.0, rate_large=0.5).laws()
        >>> print(laws.time_average.round(6), laws.departure_average.round(6))
        [0.6 0.2 0.2] [0.333333 0.222222 0.444444]
        """
        n, p = self._servers_for_arrays(), self.share_large
        powers = np.exp(np.arange(n + 1.0) * _log_share_small(p, self.share_small))
        departure = powers * p
        departure[n] = powers[n]
        completion_rate = self.rate_small * np.arange(n + 1.0)
        completion_rate[0] = self.rate_large
        filling = powers * p / 2
        filling[n - 1 :] = powers[n - 1 :] / 2
        return OneAndNLaws(
            time_average=self.stability_threshold * departure / completion_rate,
            departure_average=departure,
            filling=filling,
            completing=powers[:n] * p / 2,
        )

    def relative_completions(self) -> Array:
        """Return ``Delta(b)`` for ``b = 0..n`` small jobs in service, with time average zero.

        Examples
        --------
        >>> system = one_and_n(servers=2, share_large=1 / 3, rate_small=1.0, rate_large=0.5)
        >>> print(system.relative_completions().round(6))
        [-0.37 -0.27  1.38]
        """
        n = self._servers_for_arrays()
        offsets = _Offsets(
            servers=n,
            share_large=self.share_large,
            share_small=self.share_small,
            duration_ratio=self.rate_small / self.rate_large,
            ratio=self.stability_threshold / self.rate_small,
            shortfall=self.threshold_shortfall,
        )
        from_reference = np.append(offsets.below_full(np.arange(float(n))), offsets.full())
        return from_reference - offsets.mean(departure_weight=0.0, time_weight=1.0)

    def _servers_for_arrays(self) -> int:
        if self.servers > MOST_SERVERS_FOR_ARRAYS:
            raise TooLarge(
                f"arrays over {self.servers} + 1 states were asked for and at most {MOST_SERVERS_FOR_ARRAYS} "
                "servers fit; lower servers or read the scalar results"
            )
        return self.servers


@dataclass(frozen=True, kw_only=True)
class _Offsets:
    """``Delta(i) - Delta(r)`` for the reference state ``r`` that keeps the sums free of cancellation."""

    servers: int
    share_large: float
    share_small: float
    duration_ratio: float  # c, mean duration of a large job over that of a small one
    ratio: float  # m = mu/mu_1
    shortfall: float  # n mu_1/mu - 1

    @cached_property
    def _log_q(self) -> float:
        return _log_share_small(self.share_large, self.share_small)

    @cached_property
    def _full_from_empty(self) -> float:
        n, log_q = self.servers, self._log_q
        missing = sum_over_integers(lambda b: -np.expm1(b * log_q) * (n - b) / b, 1, n)
        return (n * self.duration_ratio - 1 + (n - 1) * self.shortfall - missing) * (self.ratio / n)

    @property
    def _reference_is_full(self) -> bool:
        return self.servers * self.share_large < 1

    def _from_empty(self, state: Array) -> Array:
        harmonic = digamma(state + 1) + np.euler_gamma
        return np.asarray(state - self.ratio * harmonic)

    def full(self) -> float:
        """Return the offset of the state with ``n`` small jobs."""
        return 0.0 if self._reference_is_full else self._full_from_empty

    def below_full(self, state: Array) -> Array:
        """Return the offsets of states with fewer than ``n`` small jobs."""
        shift = self._full_from_empty if self._reference_is_full else 0.0
        return self._from_empty(state) - shift

    def mean(self, *, departure_weight: float, time_weight: float) -> float:
        """Return the sum of offset times ``departure_weight * pi^d + time_weight * P`` over the states."""
        log_q = self._log_q

        def law_over_share(state: Array) -> Array:
            return np.exp(state * log_q) * (departure_weight + time_weight * self.ratio / state)

        running_small = sum_over_integers(lambda b: law_over_share(b) * self.below_full(b), 1, self.servers)
        large_weight = departure_weight + time_weight * self.ratio * self.duration_ratio
        running_large = large_weight * float(self.below_full(np.zeros(1))[0])
        full = float(law_over_share(np.array([float(self.servers)]))[0]) * self.full()
        return self.share_large * (running_large + running_small) + full


def _log_share_small(share_large: float, share_small: float) -> float:
    """Return ln q from whichever of the two shares is the smaller: the other is one but for rounding."""
    return math.log(share_small) if share_small < share_large else math.log1p(-share_large)


def one_and_n(
    *, servers: int, share_large: float, rate_small: float, rate_large: float, share_small: float | None = None
) -> OneAndN:
    """Return threshold, waste and relative completions when jobs need one server or all of them.

    Parameters
    ----------
    servers
        Number of servers ``n``, at least 2; 10^8 and more is fine.
    share_large
        Share of arrivals that need all servers; small jobs are what is left. It may be far below the rounding
        unit, where the share of small jobs rounds to one.
    rate_small, rate_large
        Rates of the exponential durations.
    share_small
        Share of arrivals that need one server, where it is so small that ``1 - share_large`` would be rounding.

    Examples
    --------
    >>> system = one_and_n(servers=2, share_large=1 / 3, rate_small=1.0, rate_large=0.5)
    >>> print(round(system.stability_threshold, 12), round(system.relative_completions_at_departure, 12))
    0.9 0.43

    A hundred million servers, one job in 10^16 needing them all:

    >>> system = one_and_n(servers=10**8, share_large=1e-16, rate_small=1.0, rate_large=1.0)
    >>> print(round(system.wasted_servers, 8), round(system.relative_completions_at_departure, 6))
    17.99789299 181.782431
    """
    n = whole_number(servers, name="servers", least=1)
    if n < 2:
        raise InvalidInput("servers is 1, where both kinds of job need the same; raise it to 2 or more")
    if n > MOST_SERVERS:
        raise TooLarge(f"servers is {n} but whole numbers are exact only to {MOST_SERVERS}; lower it")
    if share_small is None:
        p = share_inside(share_large, name="share_large")
        q = 1 - p
    else:
        q, p = shares_of_one((share_small, share_large), classes=2)  # either may round to one
    small, large = comparable_rates({"rate_small": rate_small, "rate_large": rate_large})
    log_q, duration_ratio = _log_share_small(p, q), small / large

    # The first term of W, q (n - 1), is kept apart: for n = 2 it cancels against the -1 of the shortfall.
    later_terms = sum_over_integers(lambda b: np.exp(b * log_q) * (n - b) / b, 2, n)
    idle_sum = q * (n - 1) + later_terms
    first_term_less_one = q * (n - 1) - 1 if n > 2 else -p
    shortfall = p * (n * duration_ratio + first_term_less_one + later_terms)
    inverse = q + p * (n * duration_ratio + idle_sum)
    offsets = _Offsets(
        servers=n,
        share_large=p,
        share_small=q,
        duration_ratio=duration_ratio,
        ratio=n / inverse,
        shortfall=shortfall,
    )
    return OneAndN(
        servers=n,
        share_large=p,
        share_small=q,
        rate_small=small,
        rate_large=large,
        stability_threshold=n * small / inverse,
        threshold_shortfall=shortfall,
        wasted_servers=n * p * idle_sum / inverse,
        saturated_utilisation=(q + p * n * duration_ratio) / inverse,
        relative_completions_at_departure=offsets.mean(departure_weight=1.0, time_weight=-1.0),
    )
