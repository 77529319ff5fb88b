"""Relative completions of the saturated two-class system, in closed form from its product form.

A state is the number ``a`` of class-1 jobs in service (``two_class``), with law ``P(a)`` over time, completions at rate
``c(a) = a mu_1 + b(a) mu_2`` and throughput ``X``. Relative completions solve ``A Delta = X - c`` with ``P Delta = 0``
(reset, section 3.8), where A is the generator. Two things make that explicit.

*Downwards one step at a time.* A class-1 completion takes ``a`` to ``a - 1`` or, if nothing fitted and a class-1 job
is next in line, leaves it: at rate ``a mu_1 t(a)``, with ``t = 1`` where a class-2 job blocks the head, else ``p_2``.
*Upwards by draws.* After a class-2 completion fresh jobs start one by one, each of class 1 with probability ``p_1``, so
whoever gets past ``a`` stops at ``a + 1`` with probability ``p_2`` if one more would fit there, and surely if not.

Sum ``P A Delta`` over the states up to ``a``. By stationarity only what crosses from ``a`` to ``a + 1`` is left, and as
much crosses up as down, ``F(a) = P(a+1) (a+1) mu_1 t(a+1)``:

    F(a) (U(a) - Delta(a)) = G(a) = sum_{i <= a} P(i) (X - c(i)),      U(a): mean Delta where a crossing upwards stops.

With ``U(a) = Delta(a+1) + p_1 [one more fits at a+1] (U(a+1) - Delta(a+1))`` and ``H = G/F``,

    Delta(a+1) - Delta(a) = H(a) - p_1 [one more fits at a+1] H(a+1).

All transitions are completions, so ``Y_d = P c / X``; summed by parts,

    Delta(Y_d) = sum_a P(a) (c(a) - X) Delta(a) / X = sum_a G(a) (H(a) - p_1 [one more fits at a+1] H(a+1)) / X.

G is summed from the end that is nearer by weight, and ``c - X`` is taken relative to the likeliest state, so that
nothing is lost where nearly all time is spent in states that are nearly alike. For need 1 and all servers this is lfms,
Lemma 5.5 (``one_and_n``, to far more servers).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoClassCompletions:
    """Delta of each state, and Delta(Y_d)."""

    by_state: Array
    at_departure: float


def two_class_completions(
    *,
    law: Array,
    in_service: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    blocked: npt.NDArray[np.bool_],
    shares: tuple[float, float],
    rates: tuple[float, float],
) -> TwoClassCompletions:
    """Return the relative completions.

    Parameters
    ----------
    law
        P, over the numbers of class-1 jobs from 0 on.
    in_service
        Jobs of class 1 (the smaller need) and of class 2 in each state.
    blocked
        Where one more class-1 job would fit.
    shares, rates
        Of class 1 and class 2.

    Examples
    --------
    The running example of reset: two servers, states [2], [1,2], [1,1].

    >>> found = two_class_completions(law=np.array([0.6, 0.2, 0.2]), in_service=(np.arange(3), np.array([1, 0, 0])),
    ...                               blocked=np.array([False, True, False]), shares=(2 / 3, 1 / 3), rates=(1.0, 0.5))
    >>> found.by_state.round(12).tolist(), round(found.at_departure, 12)
    ([-0.37, -0.27, 1.38], 0.43)
    """
    (small, large), likeliest = in_service, int(np.argmax(law))
    beyond = (small - small[likeliest]) * rates[0] + (large - large[likeliest]) * rates[1]
    weighted = law * (beyond - float(np.sum(law * beyond)))  # P (c - X)
    upto, size = np.cumsum(weighted), np.cumsum(np.abs(weighted))
    after = np.cumsum(weighted[::-1])[::-1]
    near = size[:-1] <= size[-1] / 2
    gap = np.where(near, -upto[:-1], after[1:])  # G
    flow = law[1:] * small[1:] * rates[0] * np.where(blocked[1:], 1.0, shares[1])  # F
    ahead = np.divide(gap, flow, out=np.zeros_like(gap), where=flow > 0)  # H; no flow, no weight
    steps = ahead - np.append(shares[0] * blocked[1:-1] * ahead[1:], 0.0)
    from_likeliest = np.concatenate(([0.0], np.cumsum(steps)))
    from_likeliest -= from_likeliest[likeliest]
    throughput = float(np.sum(law * (small * rates[0] + large * rates[1])))
    return TwoClassCompletions(
        by_state=from_likeliest - float(np.sum(law * from_likeliest)),
        at_departure=float(np.sum(gap * steps)) / throughput,
    )
