"""Hyperexponential durations: exponential with a rate drawn first. cv >= 1.

E[X] = sum p_i/r_i, E[X²] = 2·sum p_i/r_i².
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.durations.phase_type import PhaseType
from msj.model.numbers import Number, positive, reciprocal, sums_to_one, vector


@dataclass(frozen=True, kw_only=True)
class Hyperexponential(Duration):
    """A mixture of exponentials: branch i, of rate ``rates[i]``, with probability ``probabilities[i]``.

    Examples
    --------
    >>> Hyperexponential(rates=[2, 0.5], probabilities=[0.5, 0.5]).mean
    1.25
    """

    law: ClassVar[str] = "hyperexponential"
    summary: ClassVar[str] = "mixture of exponentials, cv at least 1; rates, probabilities"
    time_powers: ClassVar[Mapping[str, int]] = {"rates": -1}

    rates: tuple[Number, ...]
    probabilities: tuple[Number, ...]

    def __post_init__(self) -> None:
        rates = tuple(positive(rate, f"rates[{i}]") for i, rate in enumerate(vector(self.rates, "rates")))
        chances = sums_to_one(vector(self.probabilities, "probabilities"), "probabilities")
        if len(rates) != len(chances):
            raise InvalidInput(f"{len(rates)} rates and {len(chances)} probabilities; give one probability per rate")
        object.__setattr__(self, "rates", rates)
        object.__setattr__(self, "probabilities", chances)

    @property
    def mean(self) -> float:
        return sum(float(p) / float(r) for p, r in zip(self.probabilities, self.rates, strict=True))

    @property
    def second_moment(self) -> float:
        return sum(2.0 * float(p) / float(r) ** 2 for p, r in zip(self.probabilities, self.rates, strict=True))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        chances = np.array([float(p) for p in self.probabilities])
        branch = rng.choice(len(chances), size=size, p=chances / chances.sum())
        return np.asarray(rng.exponential(1.0, size) / np.array([float(r) for r in self.rates])[branch])

    def as_phase_type(self) -> PhaseType:
        size = len(self.rates)
        rows = tuple(tuple(-self.rates[i] if i == j else 0 for j in range(size)) for i in range(size))
        return PhaseType(initial=self.probabilities, generator=rows)

    def scaled(self, factor: Number) -> Self:
        return self.replace(rates=tuple(rate * reciprocal(factor) for rate in self.rates))

    @property
    def largest_mean_remaining(self) -> float:
        # It grows towards the mean of the slowest branch.
        branches = zip(self.rates, self.probabilities, strict=True)
        return 1.0 / min(float(rate) for rate, chance in branches if chance > 0)


VARIANT = Hyperexponential
