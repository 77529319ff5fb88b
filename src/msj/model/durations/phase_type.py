"""General phase-type durations: the time a finite Markov chain takes to be absorbed.

With initial law alpha (a row vector) and generator T among the transient phases, exit rates t = −T·1:
P(X > t) = alpha·exp(T t)·1 and E[X^r] = r!·alpha·(−T)^(−r)·1 (Neuts 1981, chapter 2). alpha must sum to 1 (no mass
at zero: a job that takes no time is no job) and absorption must be certain. Phases that can never be visited are
dropped, so that every chain built from the phases is irreducible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.durations.base import Duration
from msj.model.numbers import Number, as_text, number, sums_to_one, vector

ROUNDING = 1e-12  # of a row's own rate of leaving


@dataclass(frozen=True, kw_only=True)
class PhaseType(Duration):
    """Absorption time of a Markov chain with the given initial law and generator.

    Examples
    --------
    >>> two_stages = PhaseType(initial=[1, 0], generator=[[-2, 2], [0, -2]])
    >>> two_stages.mean, two_stages.cv
    (1.0, 0.7071067811865476)
    """

    law: ClassVar[str] = "phase-type"
    summary: ClassVar[str] = "absorption time of a Markov chain; initial, generator"
    time_powers: ClassVar[Mapping[str, int]] = {"generator": -1}

    initial: tuple[Number, ...]
    generator: tuple[tuple[Number, ...], ...]

    def __post_init__(self) -> None:
        initial = sums_to_one(vector(self.initial, "initial"), "initial")
        rows = _square(self.generator, len(initial))
        for i, row in enumerate(rows):
            _check_row(i, row)
        keep = _visited(initial, rows)
        object.__setattr__(self, "initial", tuple(initial[i] for i in keep))
        object.__setattr__(self, "generator", tuple(tuple(rows[i][j] for j in keep) for i in keep))
        if not _absorbs(self.subgenerator, self.exit_rates):
            raise InvalidInput(
                "generator never leaves some of its phases, so durations would be infinite; "
                "let every phase lead to one whose row sums to less than 0"
            )

    @cached_property
    def alpha(self) -> NDArray[np.float64]:
        """Initial law as floats."""
        alpha: NDArray[np.float64] = np.array([float(value) for value in self.initial])
        return np.asarray(alpha / alpha.sum())

    @cached_property
    def subgenerator(self) -> NDArray[np.float64]:
        """Generator among the phases as floats."""
        return np.array([[float(value) for value in row] for row in self.generator])

    @cached_property
    def exit_rates(self) -> NDArray[np.float64]:
        """Rate of ending in each phase; what rounding leaves of a row that is meant to sum to zero is zero."""
        rates = [-sum((Fraction(value) for value in row), start=Fraction(0)) for row in self.generator]
        slack = [ROUNDING * -row[i] for i, row in enumerate(self.generator)]
        return np.array([float(rate) if rate > least else 0.0 for rate, least in zip(rates, slack, strict=True)])

    def moment(self, order: int) -> float:
        """E[X^order]; below 0 infinite, as phases may end at once."""
        if order < 0:
            return math.inf
        weights: NDArray[np.float64] = np.ones(len(self.alpha))
        for power in range(1, order + 1):
            weights = np.asarray(power * np.linalg.solve(-self.subgenerator, weights))
        return float(self.alpha @ weights)

    @property
    def mean(self) -> float:
        return self.moment(1)

    @property
    def second_moment(self) -> float:
        return self.moment(2)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        phases = len(self.alpha)
        leaving = -np.diag(self.subgenerator)
        jump = np.column_stack([self.subgenerator, self.exit_rates])
        jump[np.arange(phases), np.arange(phases)] = 0.0
        cumulative = np.cumsum(jump, axis=1) / jump.sum(axis=1, keepdims=True)
        total = np.zeros(size)
        alive = np.arange(size)
        phase = rng.choice(phases, size=size, p=self.alpha)
        while alive.size:
            total[alive] += rng.exponential(1.0, alive.size) / leaving[phase]
            drawn = rng.random(alive.size)
            phase = np.minimum((cumulative[phase] <= drawn[:, None]).sum(axis=1), phases)
            alive, phase = alive[phase < phases], phase[phase < phases]
        return total

    def as_phase_type(self) -> PhaseType:
        return self

    def scaled(self, factor: Number) -> Self:
        inverse = 1 / Fraction(factor) if not isinstance(factor, float) else 1.0 / factor
        return self.replace(generator=tuple(tuple(value * inverse for value in row) for row in self.generator))


def _square(generator: Any, size: int) -> list[tuple[Number, ...]]:
    try:
        rows = [vector(row, f"generator[{i}]") for i, row in enumerate(generator)]
    except TypeError:
        raise InvalidInput(f"generator = {generator!r} must be a list of rows; write [[-2, 2], [0, -2]]") from None
    if len(rows) != size or any(len(row) != size for row in rows):
        shape = f"{len(rows)} rows of {sorted({len(row) for row in rows})} entries"
        raise InvalidInput(f"generator has {shape}; it must be {size} by {size} to match initial")
    return rows


def _check_row(i: int, row: tuple[Number, ...]) -> None:
    for j, value in enumerate(row):
        if i != j and number(value, "rate") < 0:
            raise InvalidInput(f"generator[{i}][{j}] = {as_text(value)} is a rate and must not be negative")
    if row[i] >= 0:
        raise InvalidInput(f"generator[{i}][{i}] = {as_text(row[i])} must be negative (minus the rate of leaving)")
    excess = sum((Fraction(value) for value in row), start=Fraction(0))
    if excess > Fraction(1e-9) * abs(Fraction(row[i])):
        raise InvalidInput(
            f"row {i} of generator sums to {as_text(float(excess))}; it must be at most 0: "
            "minus the diagonal is the total rate of leaving"
        )


def _visited(initial: tuple[Number, ...], rows: list[tuple[Number, ...]]) -> list[int]:
    seen = {i for i, value in enumerate(initial) if value > 0}
    frontier = set(seen)
    while frontier:
        frontier = {j for i in frontier for j, rate in enumerate(rows[i]) if j != i and rate > 0} - seen
        seen |= frontier
    return sorted(seen)


def _absorbs(subgenerator: NDArray[np.float64], exit_rates: NDArray[np.float64]) -> bool:
    exits = exit_rates > 0
    reach = exits
    for _ in exits:
        reach = exits | ((subgenerator > 0) @ reach > 0)
    return bool(reach.all())


VARIANT = PhaseType
