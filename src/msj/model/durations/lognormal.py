"""Lognormal durations with a given mean and cv: log X is normal with variance ln(1 + cv²). For simulation only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.model.durations.base import Duration
from msj.model.numbers import Number, positive


@dataclass(frozen=True, kw_only=True)
class Lognormal(Duration):
    """The exponential of a normal variable, with this ``mean`` and ``cv``.

    Examples
    --------
    >>> Lognormal(mean=2, cv=3).second_moment
    40.0
    """

    law: ClassVar[str] = "lognormal"
    summary: ClassVar[str] = "the exponential of a normal; mean, cv"
    time_powers: ClassVar[Mapping[str, int]] = {"mean": 1}

    mean: Number
    cv: Number = field()  # type: ignore[assignment]  # given here, derived in other laws

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", positive(self.mean, "mean"))
        object.__setattr__(self, "cv", positive(self.cv, "cv"))

    @property
    def second_moment(self) -> float:
        return float(self.mean) ** 2 * (1.0 + float(self.cv) ** 2)

    def moment(self, order: int) -> float:
        log = order * math.log(float(self.mean)) + order * (order - 1) / 2 * math.log1p(float(self.cv) ** 2)
        return math.exp(log) if log < 700.0 else math.inf

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        variance = math.log1p(float(self.cv) ** 2)
        return rng.lognormal(math.log(float(self.mean)) - variance / 2.0, math.sqrt(variance), size)

    def scaled(self, factor: Number) -> Self:
        return self.replace(mean=self.mean * factor)

    @property
    def largest_mean_remaining(self) -> float:
        return math.inf


VARIANT = Lognormal
