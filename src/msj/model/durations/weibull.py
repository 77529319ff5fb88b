"""Weibull durations: P(X > t) = exp(−(t/s)^shape), E[X^r] = s^r·Gamma(1 + r/shape). For simulation only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.numbers import Number, positive


@dataclass(frozen=True, kw_only=True)
class Weibull(Duration):
    """Weibull with this ``shape`` (below 1: heavier than exponential) and ``mean``.

    Examples
    --------
    >>> round(Weibull(shape=1, mean=2).second_moment, 12)
    8.0
    """

    law: ClassVar[str] = "weibull"
    summary: ClassVar[str] = "stretched exponential; shape, mean"
    time_powers: ClassVar[Mapping[str, int]] = {"mean": 1}

    shape: Number
    mean: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", positive(self.shape, "shape"))
        object.__setattr__(self, "mean", positive(self.mean, "mean"))
        if self.shape < 0.02:  # the second moment, Gamma(1 + 2/shape), leaves the range of floats near 0.012
            raise InvalidInput(f"shape = {float(self.shape):g} is too small to compute with; use shape >= 0.02")

    @property
    def second_moment(self) -> float:
        shape = float(self.shape)
        return float(self.mean) ** 2 * math.exp(math.lgamma(1 + 2 / shape) - 2 * math.lgamma(1 + 1 / shape))

    def moment(self, order: int) -> float:
        shape = float(self.shape)
        if order <= -shape:
            return math.inf
        log = math.lgamma(1 + order / shape) - order * math.lgamma(1 + 1 / shape) + order * math.log(float(self.mean))
        return math.exp(log) if log < 700.0 else math.inf

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        scale = float(self.mean) / math.exp(math.lgamma(1.0 + 1.0 / float(self.shape)))
        return scale * rng.weibull(float(self.shape), size)

    def scaled(self, factor: Number) -> Self:
        return self.replace(mean=self.mean * factor)

    @property
    def largest_mean_remaining(self) -> float:
        return float(self.mean) if self.shape >= 1 else math.inf


VARIANT = Weibull
