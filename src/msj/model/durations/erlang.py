"""Erlang durations: a sum of equal exponential stages. E[X²] = mean²·(1 + 1/stages), cv = 1/sqrt(stages)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import TooLarge
from msj.model.durations.base import Duration
from msj.model.durations.phase_type import PhaseType
from msj.model.numbers import Number, positive, reciprocal, whole

MOST_PHASES = 1_000


@dataclass(frozen=True, kw_only=True)
class Erlang(Duration):
    """A sum of ``stages`` exponential stages with the given mean in all.

    Examples
    --------
    >>> Erlang(stages=4, mean=2).cv
    0.5
    """

    law: ClassVar[str] = "erlang"
    summary: ClassVar[str] = "sum of equal exponential stages, cv at most 1; stages, mean"
    time_powers: ClassVar[Mapping[str, int]] = {"mean": 1}

    stages: int
    mean: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", whole(self.stages, "stages"))
        object.__setattr__(self, "mean", positive(self.mean, "mean"))

    @property
    def second_moment(self) -> float:
        return float(self.mean) ** 2 * (1.0 + 1.0 / self.stages)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return rng.gamma(self.stages, float(self.mean) / self.stages, size)

    def as_phase_type(self) -> PhaseType:
        return self._phase_type

    @cached_property
    def _phase_type(self) -> PhaseType:
        if self.stages > MOST_PHASES:
            raise TooLarge(
                f"{self.stages:,} stages are more phases than any chain can hold (at most {MOST_PHASES:,}); "
                "use fewer stages, or law 'deterministic' for simulation"
            )
        rate = self.stages * reciprocal(self.mean)
        rows = tuple(
            tuple(-rate if i == j else rate if j == i + 1 else 0 for j in range(self.stages))
            for i in range(self.stages)
        )
        return PhaseType(initial=(1,) + (0,) * (self.stages - 1), generator=rows)

    def scaled(self, factor: Number) -> Self:
        return self.replace(mean=self.mean * factor)

    @property
    def largest_mean_remaining(self) -> float:
        return float(self.mean)  # it never exceeds that of a fresh one


VARIANT = Erlang
