"""Durations uniform on [low, high]. E[X] = (low+high)/2, E[X²] = (low² + low·high + high²)/3. For simulation only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.numbers import Number, as_text, number, positive


@dataclass(frozen=True, kw_only=True)
class Uniform(Duration):
    """Evenly spread between ``low`` and ``high``.

    Examples
    --------
    >>> Uniform(low=1, high=3).mean
    2.0
    """

    law: ClassVar[str] = "uniform"
    summary: ClassVar[str] = "evenly spread; low, high"
    time_powers: ClassVar[Mapping[str, int]] = {"low": 1, "high": 1}

    low: Number
    high: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number(self.low, "low"))
        object.__setattr__(self, "high", positive(self.high, "high"))
        if self.low < 0:
            raise InvalidInput(f"low = {as_text(self.low)} must not be negative; durations are at least 0")
        if self.low > self.high:
            raise InvalidInput(f"low = {as_text(self.low)} exceeds high = {as_text(self.high)}; swap them")

    @property
    def mean(self) -> float:
        return (float(self.low) + float(self.high)) / 2.0

    @property
    def second_moment(self) -> float:
        low, high = float(self.low), float(self.high)
        return (low * low + low * high + high * high) / 3.0

    def moment(self, order: int) -> float:
        low, high = float(self.low), float(self.high)
        if low == high:
            return low**order
        if order < 0 and low == 0:
            return math.inf
        if order == -1:
            return math.log(high / low) / (high - low)
        return (high ** (order + 1) - low ** (order + 1)) / ((order + 1) * (high - low))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return rng.uniform(float(self.low), float(self.high), size)

    def scaled(self, factor: Number) -> Self:
        return self.replace(low=self.low * factor, high=self.high * factor)

    @property
    def longest(self) -> float:
        return float(self.high)

    @property
    def largest_mean_remaining(self) -> float:
        return float(self.mean)  # it never exceeds that of a fresh one


VARIANT = Uniform
