"""The phase type that matches a given mean and coefficient of variation.

cv² < 1: a mixture of Erlang(s−1) and Erlang(s) with one rate, 1/s <= cv² <= 1/(s−1) (Tijms 2003, appendix B):
with probability p = (s·cv² − sqrt(s(1+cv²) − s²cv²)) / (1 + cv²) take s−1 stages, else s, of rate (s−p)/mean.
cv = 1: exponential. cv > 1: two exponential branches with balanced means, p_1/r_1 = p_2/r_2:
p_1 = (1 + sqrt((cv²−1)/(cv²+1)))/2, r_i = 2 p_i/mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.durations.phase_type import PhaseType
from msj.model.numbers import Number, positive

MOST_VARIABLE = 1e4  # beyond, the rare branch has a probability below 1e-8 and no data could show it
MOST_STAGES = 100  # cv = 0.1; below that the chains built from it explode


@dataclass(frozen=True, kw_only=True)
class Fit(Duration):
    """A phase type with this ``mean`` and this ``cv``.

    Examples
    --------
    >>> round(Fit(mean=3, cv=0.6).as_phase_type().cv, 12)
    0.6
    >>> round(Fit(mean=3, cv=2).as_phase_type().mean, 12)
    3.0
    """

    law: ClassVar[str] = "fit"
    summary: ClassVar[str] = "a phase type with a given mean and cv; mean, cv"
    time_powers: ClassVar[Mapping[str, int]] = {"mean": 1}

    mean: Number
    cv: Number = field()  # type: ignore[assignment]  # given here, derived in other laws

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", positive(self.mean, "mean"))
        object.__setattr__(self, "cv", positive(self.cv, "cv"))
        if self.cv > MOST_VARIABLE:
            raise InvalidInput(f"cv = {float(self.cv):g} is too large to compute with; use cv <= {MOST_VARIABLE:g}")
        if self.cv * self.cv * MOST_STAGES < 1 - 1e-9:
            cv = float(self.cv)
            stages = f"{math.ceil(1 / cv**2):,}" if cv > 1e-4 else "more than 100,000,000"
            raise InvalidInput(
                f"cv = {cv:g} would take {stages} stages; "
                f"use cv >= {1 / math.sqrt(MOST_STAGES):g}, or law 'deterministic' for simulation"
            )

    @property
    def second_moment(self) -> float:
        return float(self.mean) ** 2 * (1.0 + float(self.cv) ** 2)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return self.as_phase_type().sample(rng, size)

    @cached_property
    def _phase_type(self) -> PhaseType:
        mean, squared = float(self.mean), float(self.cv) ** 2
        if self.cv == 1:
            return PhaseType(initial=(1,), generator=((-1.0 / mean,),))
        if squared > 1:
            first = (1.0 + math.sqrt((squared - 1.0) / (squared + 1.0))) / 2.0
            second = 1.0 / (squared + 1.0) / (2.0 * first)  # 1 − first, without cancellation for a large cv
            rates = (2.0 * first / mean, 2.0 * second / mean)
            return PhaseType(initial=(first, second), generator=((-rates[0], 0), (0, -rates[1])))
        stages = math.ceil(1.0 / squared - 1e-12)
        root = math.sqrt(max(stages * (1.0 + squared) - stages**2 * squared, 0.0))
        fewer = max((stages * squared - root) / (1.0 + squared), 0.0)
        rate = (stages - fewer) / mean
        rows = np.diag(np.full(stages, -rate)) + np.diag(np.full(stages - 1, rate), 1)
        # Starting one stage later is the same as having one stage fewer.
        initial = (1.0 - fewer, fewer) + (0.0,) * (stages - 2)
        return PhaseType(initial=initial, generator=tuple(map(tuple, rows.tolist())))

    def as_phase_type(self) -> PhaseType:
        return self._phase_type

    def scaled(self, factor: Number) -> Self:
        return self.replace(mean=self.mean * factor)


VARIANT = Fit
