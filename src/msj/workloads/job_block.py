"""The waist of the simulation side: a block of jobs as arrays, in order of arrival.

Kernels know nothing of where jobs come from; sources know nothing of who is served when.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class JobBlock:
    """Consecutive jobs: when each arrives, its class, how many servers it needs and for how long.

    ``estimate`` is what the user said the job would take; None where nothing was said (it is then the duration).
    """

    arrival: NDArray[np.float64]
    job_class: NDArray[np.int64]
    need: NDArray[np.int64]
    duration: NDArray[np.float64]
    estimate: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.arrival)

    @property
    def estimates(self) -> NDArray[np.float64]:
        """What schedulers believe the durations to be."""
        return self.duration if self.estimate is None else self.estimate


class JobSource(Protocol):
    """Where jobs come from. Its state is arrays and numbers, so that a run can be continued."""

    @property
    def at_hand(self) -> int:
        """How many jobs cost least to take at once."""

    def take(self, count: int) -> JobBlock:
        """Return the next jobs, at most ``count``, none when there are no more; good until the next call."""
