"""What a backfilling scheduler believes jobs will take: the duration, inflated by a factor, rounded up to a grid.

Users overestimate, and like round numbers: ``factor = 2`` doubles every run time, ``round_up_to = 60`` then rounds
it up to the next multiple of 60. Jobs that come with estimates of their own have those changed in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.disciplines.base import Policy
from msj.errors import InvalidInput
from msj.model.numbers import Number, positive


@dataclass(frozen=True, kw_only=True)
class RunTimeEstimates(Policy):
    """Options of the backfilling policies."""

    uses_estimates: ClassVar[bool] = True

    time_powers: ClassVar[Mapping[str, int]] = {"round_up_to": 1}

    factor: Number = 1
    round_up_to: Number | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", positive(self.factor, "factor"))
        if self.factor < 1:
            raise InvalidInput(f"factor = {self.factor} would end jobs before they are done; give at least 1")
        if self.round_up_to is not None:
            object.__setattr__(self, "round_up_to", positive(self.round_up_to, "round_up_to"))

    def estimated(self, durations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the estimates the scheduler works with."""
        estimates = durations if self.factor == 1 else durations * float(self.factor)
        if self.round_up_to is None:
            return estimates
        grid = float(self.round_up_to)
        return np.asarray(np.maximum(np.ceil(estimates / grid) * grid, estimates))
