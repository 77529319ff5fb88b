"""Poisson arrivals: independent exponential gaps, which nobody can foresee. I = 1; the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.arrivals.markov_form import MarkovForm


@dataclass(frozen=True, kw_only=True)
class PoissonArrivals(Arrivals):
    """Independent exponential gaps."""

    law: ClassVar[str] = "poisson"
    summary: ClassVar[str] = "independent exponential gaps; the default"
    poisson: ClassVar[bool] = True

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:  # noqa: ARG002
        return ExponentialGaps(rate, rng)

    def markov_form(self, rate: float) -> MarkovForm:
        return MarkovForm.of([[-rate]], [[rate]])

    def dispersion(self, rate: float) -> float:  # noqa: ARG002
        return 1.0

    def relaxation_time(self, rate: float) -> float:  # noqa: ARG002
        return 0.0

    def assumption(self) -> str:
        return "Poisson arrivals"


class ExponentialGaps(ArrivalSampler):
    """Exponential gaps of mean 1/rate."""

    def __init__(self, rate: float, rng: np.random.Generator) -> None:
        self.mean, self.rng = 1.0 / rate, rng

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:  # noqa: ARG002
        self.rng.standard_exponential(out=gaps)
        gaps *= self.mean


VARIANT = PoissonArrivals
