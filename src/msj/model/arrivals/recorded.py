"""Recorded arrivals: the gaps of a log, in their order, over and over. For simulation only.

``file`` is a CSV file with moments of arrival in its first column (relative to the spec file; one header line is
allowed), or ``times`` are given in the spec file. They are sorted; the record begins anew one mean gap after its last
arrival. Each replication begins at a place of the record drawn at random. Another rate stretches the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.arrivals.base import Arrivals, ArrivalSampler
from msj.model.column import read_column
from msj.model.numbers import Number, vector
from msj.model.value import written_class


@dataclass(frozen=True, kw_only=True)
class RecordedArrivals(Arrivals):
    """Arrivals as they were, again and again.

    Examples
    --------
    >>> RecordedArrivals(times=[0, 1, 5]).own_rate
    0.4
    """

    law: ClassVar[str] = "recorded"
    summary: ClassVar[str] = "the arrivals of a record, over and over; file or times"
    one_at_a_time: ClassVar[bool] = False
    time_powers: ClassVar[Mapping[str, int]] = {"times": 1}

    file: str | None = None
    times: tuple[Number, ...] | None = None

    def __post_init__(self) -> None:
        if (self.file is None) == (self.times is None):
            given = "neither" if self.file is None else "both"
            raise InvalidInput(f"law 'recorded' takes file or times, and {given} is given; give exactly one")
        if self.times is not None:
            object.__setattr__(self, "times", vector(self.times, "times"))
        if len(self.moments) < 2 or self.moments[-1] == self.moments[0]:
            raise InvalidInput(
                f"{len(self.moments)} recorded arrivals span no time; give at least two, at different moments"
            )

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """All moments, in order."""
        if self.times is not None:
            return np.sort([float(value) for value in self.times])
        return np.sort(read_column(Path(str(self.file)), "moments of arrival"))

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """The gaps, with that between the last arrival and the first of the next round."""
        between = np.diff(self.moments)
        return np.append(between, between.mean())

    def retimed(self, factor: Fraction) -> Self:
        if self.file is None:
            return super().retimed(factor)
        return self.replace(file=None, times=self.moments * float(factor))

    def depends_on(self) -> Any:
        # What was recorded, not the file's name: another file may stand there tomorrow.
        return [written_class(type(self)), self.gaps]

    @property
    def own_rate(self) -> float:
        return float(1.0 / self.gaps.mean())

    def dispersion(self, rate: float) -> float:  # noqa: ARG002
        """Return that of the longest stretches of which the record has at least thirty."""
        gaps = self.gaps / self.gaps.mean()
        size = max(len(gaps) // 30, 1)
        sums = gaps[: len(gaps) // size * size].reshape(-1, size).sum(axis=1)
        return max(float(sums.var() / size), 1.0)

    def relaxation_time(self, rate: float) -> float:
        return len(self.gaps) / rate

    def sampler(self, rate: float, rng: np.random.Generator, names: Sequence[str]) -> ArrivalSampler:  # noqa: ARG002
        return RecordSampler(self.gaps * (self.own_rate / rate), rng)

    def assumption(self) -> str:
        return f"{len(self.gaps):,} recorded arrivals, over and over"


class RecordSampler(ArrivalSampler):
    """Gaps in their order, from a place drawn at random."""

    def __init__(self, gaps: NDArray[np.float64], rng: np.random.Generator) -> None:
        self.gaps = gaps
        self.at = int(rng.integers(len(gaps)))

    def draw(self, gaps: NDArray[np.float64], classes: NDArray[np.int64]) -> None:  # noqa: ARG002
        gaps[:] = self.gaps[(self.at + np.arange(len(gaps))) % len(self.gaps)]
        self.at = (self.at + len(gaps)) % len(self.gaps)


VARIANT = RecordedArrivals
