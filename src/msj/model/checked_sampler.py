"""Arrivals drawn by a law from outside, checked block by block.

A block is filled with NaN (classes: −1) before it is drawn, so that a value that was not filled in is found, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.errors import BadLaw
from msj.model.arrivals.base import ArrivalSampler
from msj.model.outside import call, name_of, require_times


class CheckedSampler(ArrivalSampler):
    """A sampler of a law from outside; refuses gaps that are no times and classes that do not exist.

    Parameters
    ----------
    law
        The law the sampler belongs to.
    inner
        The sampler that draws.
    classes
        Number of classes where the law marks classes, else 0.
    """

    def __init__(self, law: Any, inner: ArrivalSampler, classes: int) -> None:
        self.law, self.inner, self.classes = law, inner, classes

    @classmethod
    def of(cls, law: Any, inner: Any, classes: int) -> CheckedSampler:
        """Return a checked sampler; an object that is no sampler is refused."""
        if not isinstance(inner, ArrivalSampler):
            raise BadLaw(
                f"{name_of(law)}: sampler returned a {type(inner).__name__}; it must return an ArrivalSampler, whose "
                f"draw(gaps, classes) fills both arrays; correct {type(law).__name__}.sampler"
            )
        return cls(law, inner, classes)

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:
        """Fill the next gaps, and the classes if the law marks them."""
        gaps.fill(np.nan)
        if self.classes:
            classes.fill(-1)
        call(self.law, f"draw() of {type(self.inner).__name__}", self.inner.draw, gaps, classes)
        require_times(self.law, "draw", gaps, "gaps between arrivals")
        if self.classes and not (classes.min() >= 0 and classes.max() < self.classes):
            place = int(np.flatnonzero((classes < 0) | (classes >= self.classes))[0])
            raise BadLaw(
                f"{name_of(self.law)}: draw set class {classes[place]} (arrival {place + 1:,} of {len(classes):,}); "
                f"a class must be a number from 0 to {self.classes - 1}; correct draw() of {type(self.inner).__name__}"
            )
