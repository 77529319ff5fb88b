"""Pareto durations: P(X > t) = (minimum/t)^shape for t >= minimum. For simulation only.

E[X] = shape·minimum/(shape−1), infinite for shape <= 1 (refused: no load could be defined);
E[X²] = shape·minimum²/(shape−2), infinite for shape <= 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.numbers import Number, as_text, positive


@dataclass(frozen=True, kw_only=True)
class Pareto(Duration):
    """A power law from ``minimum`` upwards.

    Examples
    --------
    >>> Pareto(shape=3, minimum=2).mean
    3.0
    """

    law: ClassVar[str] = "pareto"
    summary: ClassVar[str] = "a power law; shape, minimum"
    time_powers: ClassVar[Mapping[str, int]] = {"minimum": 1}

    shape: Number
    minimum: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", positive(self.shape, "shape"))
        object.__setattr__(self, "minimum", positive(self.minimum, "minimum"))
        if self.shape <= 1:
            raise InvalidInput(f"shape = {as_text(self.shape)} makes the mean infinite; use shape > 1")

    @property
    def mean(self) -> float:
        shape = float(self.shape)
        return shape * float(self.minimum) / (shape - 1.0)

    @property
    def second_moment(self) -> float:
        shape = float(self.shape)
        return shape * float(self.minimum) ** 2 / (shape - 2.0) if shape > 2.0 else math.inf

    def moment(self, order: int) -> float:
        shape = float(self.shape)
        return shape * float(self.minimum) ** order / (shape - order) if shape > order else math.inf

    @property
    def tail_index(self) -> float:
        return float(self.shape)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return float(self.minimum) * (1.0 + rng.pareto(float(self.shape), size))

    def scaled(self, factor: Number) -> Self:
        return self.replace(minimum=self.minimum * factor)

    @property
    def largest_mean_remaining(self) -> float:
        return math.inf


VARIANT = Pareto
