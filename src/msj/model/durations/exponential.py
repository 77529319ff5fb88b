"""Exponential durations: P(X > t) = exp(−rate·t); E[X] = 1/rate, E[X²] = 2/rate²."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.durations.phase_type import PhaseType
from msj.model.numbers import Number, as_plain, positive, reciprocal


@dataclass(frozen=True, kw_only=True)
class Exponential(Duration):
    """Memoryless durations, given by mean or by rate.

    Examples
    --------
    >>> Exponential(rate=0.5).mean
    2.0
    """

    law: ClassVar[str] = "exponential"
    summary: ClassVar[str] = "memoryless; mean or rate"
    time_powers: ClassVar[Mapping[str, int]] = {"mean": 1, "rate": -1}

    mean: Number | None = None
    rate: Number | None = None

    def __post_init__(self) -> None:
        if (self.mean is None) == (self.rate is None):
            given = "neither" if self.mean is None else "both"
            raise InvalidInput(f"law 'exponential' takes mean or rate, and {given} is given; give exactly one")
        if self.rate is None:
            object.__setattr__(self, "mean", positive(self.mean, "mean"))
            object.__setattr__(self, "rate", reciprocal(self.mean))  # type: ignore[arg-type]
        else:
            object.__setattr__(self, "rate", positive(self.rate, "rate"))
            object.__setattr__(self, "mean", reciprocal(self.rate))

    @property
    def second_moment(self) -> float:
        return 2.0 * float(self.mean) ** 2  # type: ignore[arg-type]

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return rng.exponential(float(self.mean), size)  # type: ignore[arg-type]

    def as_phase_type(self) -> PhaseType:
        return self._phase_type

    @cached_property
    def _phase_type(self) -> PhaseType:
        return PhaseType(initial=(1,), generator=((-self.rate,),))  # type: ignore[operator]

    def scaled(self, factor: Number) -> Self:
        return type(self)(mean=self.mean * factor)  # type: ignore[operator]

    @property
    def largest_mean_remaining(self) -> float:
        return float(self.mean)  # type: ignore[arg-type]

    def replace(self, **changes: Any) -> Self:
        return type(self)(**changes) if changes else self

    def to_spec(self) -> dict[str, Any]:
        # Mean and rate are each other's reciprocal up to rounding: write the one that gives the other back exactly.
        key = "mean" if reciprocal(self.mean) == self.rate else "rate"  # type: ignore[arg-type]
        return {"law": self.law, key: as_plain(getattr(self, key))}


VARIANT = Exponential
