"""Arrivals that go by the clock: Poisson, at rates that repeat every ``cycle``.

``rates`` are those of equally long steps of a cycle (24 of them: by the hour); ``weekly``, if given, multiplies them
on successive cycles (seven numbers: Monday to Sunday). Time 0 is the beginning of a cycle. With the mean number of
arrivals up to time t, a piecewise linear function, the moments are its inverse at the points of a Poisson process of
rate 1.

Another rate multiplies the rates; the clock stays as it is. In the long run counts are no more dispersed than
Poisson's: I = 1. What a day does to waits, it does within the cycle. For simulation only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.numbers import Number, as_text, positive, vector


@dataclass(frozen=True, kw_only=True)
class DailyArrivals(Arrivals):
    """Poisson arrivals whose rate depends on the time of day.

    Examples
    --------
    >>> DailyArrivals(rates=[1, 3], cycle=24).own_rate
    2.0
    """

    law: ClassVar[str] = "daily"
    summary: ClassVar[str] = "Poisson arrivals at rates that repeat with the clock; rates, cycle, weekly"

    time_powers: ClassVar[Mapping[str, int]] = {"rates": -1, "cycle": 1}

    rates: tuple[Number, ...]
    cycle: Number
    weekly: tuple[Number, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cycle", positive(self.cycle, "cycle"))
        weekly = vector(self.weekly, "weekly") if self.weekly != () else ()
        for name, values in (("rates", vector(self.rates, "rates")), ("weekly", weekly)):
            for i, value in enumerate(values):
                if value < 0:
                    raise InvalidInput(f"{name}[{i}] = {as_text(value)} must not be negative; 0 is a step without jobs")
            if values and not any(values):
                raise InvalidInput(f"all {name} are 0, so nobody ever arrives; give some rate above 0")
            object.__setattr__(self, name, values)

    @cached_property
    def all_rates(self) -> NDArray[np.float64]:
        """The rates of all steps until everything repeats."""
        factors = np.array([float(factor) for factor in self.weekly or (1,)])
        return np.outer(factors, [float(rate) for rate in self.rates]).ravel()

    @property
    def steps(self) -> int:
        """Steps of a cycle."""
        return len(self.rates)

    @property
    def period(self) -> float:
        """The time after which everything repeats: a cycle, or as many as ``weekly`` has numbers."""
        return float(self.cycle) * max(len(self.weekly), 1)

    @property
    def own_rate(self) -> float:
        return float(self.all_rates.mean())

    def dispersion(self, rate: float) -> float:  # noqa: ARG002
        return 1.0

    def relaxation_time(self, rate: float) -> float:  # noqa: ARG002
        return self.period

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:  # noqa: ARG002
        return ClockSampler(self.all_rates * (rate / self.own_rate), self.period, rng)

    def assumption(self) -> str:
        more = f" and {len(self.weekly)} kinds of days" if self.weekly else ""
        return f"Poisson arrivals by the clock ({self.steps} rates over a cycle of {as_text(self.cycle)}{more})"


class ClockSampler(ArrivalSampler):
    """Moments of a Poisson process whose rate is a step function."""

    def __init__(self, rates: NDArray[np.float64], period: float, rng: np.random.Generator) -> None:
        self.rng, self.period = rng, period
        step = period / len(rates)
        # Steps without arrivals are jumped over: the inverse has a jump there.
        ends = np.arange(1, len(rates) + 1) * step
        some = rates > 0
        self.above = np.cumsum(rates[some]) * step  # mean arrivals up to the end of each step that has some
        self.ends, self.rates = ends[some], rates[some]
        self.offset = 0.0  # mean arrivals since the beginning of the period, at the last arrival
        self.time = 0.0  # time since then

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:  # noqa: ARG002
        self.rng.standard_exponential(out=gaps)
        total = float(self.above[-1])
        periods, within = np.divmod(self.offset + np.cumsum(gaps), total)
        step = np.minimum(np.searchsorted(self.above, within, side="right"), len(self.above) - 1)
        times = self.ends[step] - (self.above[step] - within) / self.rates[step]
        gaps[1:] = np.diff(periods) * self.period + np.diff(times)
        gaps[0] = periods[0] * self.period + times[0] - self.time
        np.maximum(gaps, 0.0, out=gaps)
        self.offset, self.time = float(within[-1]), float(times[-1])


VARIANT = DailyArrivals
