"""Renewal arrivals: independent gaps of any duration law. I = c², the squared coefficient of variation of a gap.

A phase-type gap (alpha, T, exit rates t) makes it the MAP with D0 = T and D1 = t·alpha; other laws are for simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.errors import MsjError
from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.durations import Duration, duration_from_spec
from msj.model.numbers import Number, reciprocal


@dataclass(frozen=True, kw_only=True)
class RenewalArrivals(Arrivals):
    """Independent gaps between arrivals.

    Examples
    --------
    >>> RenewalArrivals(gap={"law": "deterministic", "value": 2}).own_rate
    Fraction(1, 2)
    """

    law: ClassVar[str] = "renewal"
    summary: ClassVar[str] = "independent gaps of any duration law; gap"

    gap: Duration

    def __post_init__(self) -> None:
        if not isinstance(self.gap, Duration):
            try:
                object.__setattr__(self, "gap", duration_from_spec(self.gap))
            except MsjError as error:
                raise error.within("gap") from None

    @property
    def own_rate(self) -> Number:
        return reciprocal(self.gap.mean)

    def markov_form(self, rate: float) -> MarkovForm | None:
        law = self.gap.as_phase_type()
        if law is None:
            return None
        factor = rate * float(self.gap.mean)
        return MarkovForm.of(factor * law.subgenerator, factor * np.outer(law.exit_rates, law.alpha))

    def dispersion(self, rate: float) -> float:  # noqa: ARG002
        return float(self.gap.cv) ** 2

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:  # noqa: ARG002
        return IndependentGaps(self.gap, rate, rng)

    def assumption(self) -> str:
        return f"independent {self.gap.law} gaps between arrivals (cv {float(self.gap.cv):.4g})"


class IndependentGaps(ArrivalSampler):
    """Gaps drawn from a law."""

    def __init__(self, gap: Duration, rate: float, rng: np.random.Generator) -> None:
        self.gap: Any = gap
        self.factor, self.rng = 1.0 / (rate * float(gap.mean)), rng

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:  # noqa: ARG002
        gaps[:] = self.gap.sample(self.rng, len(gaps))
        gaps *= self.factor


VARIANT = RenewalArrivals
