"""Markov-modulated Poisson arrivals (MMPP): Poisson, at a rate that a Markov chain switches.

``rates[i]`` arrivals per unit of time in state i; ``switching[i][j]`` the rate of going from i to j (diagonals do not
matter). It is the MAP with D1 = diag(rates) and D0 = switching − diagonal (Fischer and Meier-Hellstern 1993). A rate of
0 makes a source that is silent at times (interrupted Poisson).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from msj.errors import InvalidInput
from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.arrivals.map import MapArrivals
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.matrix import Rows, matrix, require_rates
from msj.model.numbers import Number, as_text, vector


@dataclass(frozen=True, kw_only=True)
class MmppArrivals(Arrivals):
    """Poisson arrivals whose rate switches.

    Examples
    --------
    >>> MmppArrivals(rates=[1, 9], switching=[[0, 1], [3, 0]]).own_rate
    Fraction(3, 1)
    """

    law: ClassVar[str] = "mmpp"
    summary: ClassVar[str] = "Poisson arrivals whose rate a Markov chain switches; rates, switching"
    time_powers: ClassVar[Mapping[str, int]] = {"rates": -1, "switching": -1}

    rates: tuple[Number, ...]
    switching: Rows

    def __post_init__(self) -> None:
        rates = vector(self.rates, "rates")
        for i, rate in enumerate(rates):
            if rate < 0:
                raise InvalidInput(f"rates[{i}] = {as_text(rate)} must not be negative; 0 is a state without arrivals")
        switching = matrix(self.switching, "switching")
        if len(switching) != len(rates):
            raise InvalidInput(f"{len(rates)} rates and {len(switching)} rows of switching; give one row for each rate")
        require_rates(switching, "switching", diagonal=True)
        object.__setattr__(self, "rates", rates)
        object.__setattr__(self, "switching", switching)
        _ = self.as_map  # checks the rest

    @cached_property
    def as_map(self) -> MapArrivals:
        """The same process as a MAP."""
        size = range(len(self.rates))
        moves = [[self.switching[i][j] if i != j else 0 for j in size] for i in size]
        quiet = [[moves[i][j] if i != j else -self.rates[i] - sum(moves[i]) for j in size] for i in size]
        return MapArrivals(D0=quiet, D1=[[self.rates[i] if i == j else 0 for j in size] for i in size])  # type: ignore[arg-type]

    @property
    def own_rate(self) -> Number:
        return self.as_map.own_rate

    def markov_form(self, rate: float) -> MarkovForm:
        return self.as_map.markov_form(rate)

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:
        return self.as_map.sampler(rate, rng, names)

    def assumption(self) -> str:
        return f"Poisson arrivals whose rate switches (MMPP of {len(self.rates)} states)"


VARIANT = MmppArrivals
