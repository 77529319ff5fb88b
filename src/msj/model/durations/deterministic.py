"""Durations that are always the same. E[X²] = value², cv = 0. For simulation only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.model.durations.base import Duration
from msj.model.numbers import Number, positive


@dataclass(frozen=True, kw_only=True)
class Deterministic(Duration):
    """Every job takes ``value``.

    Examples
    --------
    >>> Deterministic(value=3).cv
    0.0
    """

    law: ClassVar[str] = "deterministic"
    summary: ClassVar[str] = "always the same; value"
    time_powers: ClassVar[Mapping[str, int]] = {"value": 1}

    value: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", positive(self.value, "value"))

    @property
    def mean(self) -> Number:
        return self.value

    @property
    def second_moment(self) -> float:
        return float(self.value) ** 2

    def moment(self, order: int) -> float:
        return float(self.value) ** order

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:  # noqa: ARG002
        return np.full(size, float(self.value))

    def scaled(self, factor: Number) -> Self:
        return self.replace(value=self.value * factor)

    @property
    def longest(self) -> float:
        return float(self.value)

    @property
    def largest_mean_remaining(self) -> float:
        return float(self.mean)  # it never exceeds that of a fresh one


VARIANT = Deterministic
