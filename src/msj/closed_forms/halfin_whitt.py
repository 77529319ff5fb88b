"""The corner alpha = 1/2 of zeroq's Figure 3, where waiting neither vanishes nor becomes certain.

Needs stay as they are and rho = 1 − beta/sqrt(n), so the gap n(1−rho) is of the order of the deviations of the servers
asked for. With infinitely many servers these have mean n·rho and variance n·v, v = sum m_i·rho_i -> the mean need,
weighted by load; as n grows they are normal. With b = beta/sqrt(v), phi and Q the density and the tail of the normal
law:

    Q(b) <= lim P(wait) <= min over t < b of E[(Z − t)+]/(b − t) = Q(t*),  phi(t*)/Q(t*) = b,

the limits of the lower and of the sharpest bound of ``queueing_bounds``; the best t is where E[Z | Z >= t] = phi/Q is
b. Where all needs and all mean durations are equal this is M/M/s with s = n/m servers, and the limit itself is known
(Halfin & Whitt 1981): 1/(1 + b·(1 − Q(b))/phi(b)).
"""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr


def corner_bounds(gap: float) -> tuple[float, float]:
    """Return the limits of the lower and of the upper bound of P(wait), for b = ``gap`` above 0.

    Examples
    --------
    >>> lower, upper = corner_bounds(1.0)
    >>> round(lower, 4), round(halfin_whitt(1.0), 4), round(upper, 4)
    (0.1587, 0.2234, 0.3811)
    """
    best = float(brentq(lambda t: _hazard(t) - gap, -math.sqrt(2 * max(-math.log(gap), 0.0)) - 3.0, gap, xtol=1e-14))
    return float(ndtr(-gap)), float(ndtr(-best))


def halfin_whitt(gap: float) -> float:
    """Return the limit of P(wait) in M/M/s with rho = 1 − gap/sqrt(s).

    Examples
    --------
    >>> round(halfin_whitt(0.5), 6)
    0.504539
    """
    return 1.0 / (1.0 + gap * math.exp(log_ndtr(gap) + gap * gap / 2.0) * math.sqrt(2.0 * math.pi))


def _hazard(t: float) -> float:
    """phi(t)/Q(t) of the standard normal law; it grows from 0, and is above t."""
    return math.exp(-t * t / 2.0 - float(log_ndtr(-t))) / math.sqrt(2.0 * math.pi)
