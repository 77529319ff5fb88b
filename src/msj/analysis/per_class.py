"""What every solved open system knows of its classes, as arrays over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.model import System


@dataclass(frozen=True, kw_only=True, eq=False)
class PerClass:
    """A system at an arrival rate; whoever solves it adds the model and the law."""

    system: System
    arrival_rate: float

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Share of arrivals per class."""
        return np.array([float(c.share) for c in self.system.classes])

    @cached_property
    def needs(self) -> NDArray[np.int64]:
        """Need per class."""
        return np.array([c.need for c in self.system.classes])

    @cached_property
    def mean_durations(self) -> NDArray[np.float64]:
        """E[duration] per class."""
        return np.array([float(c.duration.mean) for c in self.system.classes])
