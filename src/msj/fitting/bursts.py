"""Bursts as a Markov-modulated Poisson process of two states, by moments of counts.

A rate that switches between two values, the higher one a share p of the time, forgets its past over a time tau. With
lambda the mean rate and v the variance of the rate, windows of length t have (Heffes and Lucantoni 1986)

    I(t) = 1 + A·(1 − (1 − e^(−t/tau))/(t/tau)),    A = 2·v·tau/lambda,

so A and tau are read off the curve of dispersions: for each tau the best A is a line, and tau is searched. The third
cumulant of the counts says how lopsided the rate is: of the integrated rate it is 6·m·tau³·(x − 2 + (x + 2)·e^(−x)),
x = t/tau, with m the rate's third central moment, and m/v^(3/2) = (1 − 2p)/sqrt(p(1 − p)) gives p. Where the lower
rate would be negative it is 0 (interrupted Poisson).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.model.arrivals import MmppArrivals

TIMES = 200  # values of tau that are tried
LEAST_ERROR = 0.05  # of a dispersion: no window is trusted more, as no real process has two states only
RAREST = 0.001  # share of the time with the higher rate


@dataclass(frozen=True, kw_only=True)
class Bursts:
    """Mean rate, excess dispersion A in long windows, time tau over which bursts last, share p of the time in one."""

    rate: float
    excess: float
    time: float
    share: float

    def dispersion(self, window: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return I(t)."""
        return 1.0 + self.excess * _grown(window / self.time)

    def arrivals(self) -> MmppArrivals:
        """Return the process."""
        variance = self.excess * self.rate / (2.0 * self.time)
        apart = math.sqrt(variance / (self.share * (1.0 - self.share)))
        low = max(self.rate - self.share * apart, 0.0)
        leave, enter = (1.0 - self.share) / self.time, self.share / self.time
        rates = (_short((self.rate - (1.0 - self.share) * low) / self.share), _short(low))
        return MmppArrivals(rates=rates, switching=((0, _short(leave)), (_short(enter), 0)))


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _grown(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1.0 + np.expm1(-x) / x)


def fit_bursts(
    submit: NDArray[np.float64],
    window: NDArray[np.float64],
    target: NDArray[np.float64],
    error: NDArray[np.float64],
) -> Bursts | None:
    """Return the bursts that come nearest to the dispersions ``target``; None where there are none."""
    rate = (len(submit) - 1) / float(submit[-1] - submit[0])
    weight = 1.0 / np.maximum(error, LEAST_ERROR * np.maximum(np.abs(target), 1.0)) ** 2
    best: tuple[float, float, float] | None = None
    for time in np.geomspace(window[0] / 8.0, window[-1], TIMES):
        grown = _grown(window / time)
        excess = float((weight * grown) @ (target - 1.0) / ((weight * grown) @ grown))
        lost = float(weight @ (target - 1.0 - excess * grown) ** 2)
        if excess > 0 and (best is None or lost < best[0]):
            best = (lost, excess, float(time))
    if best is None:
        return None
    _, excess, time = best
    variance = excess * rate / (2.0 * time)
    near = float(window[np.argmin(np.abs(np.log(window / (2.0 * time))))])
    share = _share(_third_cumulant(submit, near), variance, time, near)
    most = 1.0 / (1.0 + variance / rate**2)  # beyond, the lower rate would be negative
    return Bursts(rate=rate, excess=excess, time=time, share=min(max(share, RAREST), most))


def _third_cumulant(submit: NDArray[np.float64], window: float) -> float:
    """Return the third cumulant of the integrated rate, from the counts of a Poisson process with that rate."""
    count = int((submit[-1] - submit[0]) // window)
    place = ((submit - submit[0]) // window).astype(np.int64)
    jobs = np.bincount(place[place < count], minlength=count).astype(np.float64)
    centred = jobs - jobs.mean()
    return float((centred**3).mean() - 3.0 * (centred**2).mean() + 2.0 * jobs.mean())


def _share(third: float, variance: float, time: float, window: float) -> float:
    x = window / time
    lopsided = third / (6.0 * time**3 * (x - 2.0 + (x + 2.0) * math.exp(-x))) / variance**1.5
    return float((1.0 - lopsided / math.hypot(2.0, lopsided)) / 2.0)
