"""Durations drawn from recorded values, each equally likely. For simulation only.

The values stand in the spec file (``values``) or in the first column of a CSV file (``file``, relative to the spec
file; one header line is allowed).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.column import read_column
from msj.model.durations.base import Duration
from msj.model.numbers import Number, positive, vector
from msj.model.value import written_class


@dataclass(frozen=True, kw_only=True)
class Empirical(Duration):
    """Recorded durations, drawn with replacement.

    Examples
    --------
    >>> Empirical(values=[1, 2, 6]).mean
    3.0
    """

    law: ClassVar[str] = "empirical"
    summary: ClassVar[str] = "drawn from recorded values; values or file"
    time_powers: ClassVar[Mapping[str, int]] = {"values": 1, "file": 1}

    values: tuple[Number, ...] | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        if (self.values is None) == (self.file is None):
            given = "neither" if self.values is None else "both"
            raise InvalidInput(f"law 'empirical' takes values or file, and {given} is given; give exactly one")
        if self.values is not None:
            values = vector(self.values, "values")
            object.__setattr__(self, "values", tuple(positive(v, f"values[{i}]") for i, v in enumerate(values)))
        else:
            _ = self.recorded  # read it now, so that a bad file is found when the system is made

    @cached_property
    def recorded(self) -> NDArray[np.float64]:
        """All values as an array."""
        if self.values is not None:
            return np.array([float(value) for value in self.values])
        return read_column(Path(str(self.file)), "durations", above_zero=True)

    def depends_on(self) -> Any:
        # What was recorded, not the file's name: another file may stand there tomorrow.
        return [written_class(type(self)), self.recorded]

    @property
    def mean(self) -> float:
        return float(self.recorded.mean())

    @property
    def second_moment(self) -> float:
        return float((self.recorded**2).mean())

    def moment(self, order: int) -> float:
        return float((self.recorded**order).mean())

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return rng.choice(self.recorded, size)

    def scaled(self, factor: Number) -> Self:
        return type(self)(values=tuple((self.recorded * float(factor)).tolist()))

    @property
    def longest(self) -> float:
        return float(self.recorded.max())

    @property
    def largest_mean_remaining(self) -> float:
        # It falls between two values and jumps at each, so the supremum is at 0 or at a value.
        values, counts = np.unique(self.recorded, return_counts=True)
        longer = np.cumsum(counts[::-1])[::-1]  # how many last at least this long
        total = np.cumsum((values * counts)[::-1])[::-1]
        ages = np.concatenate([[0.0], values[:-1]])
        return float((total / longer - ages).max())


VARIANT = Empirical
