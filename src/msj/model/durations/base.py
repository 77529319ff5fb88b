"""What every duration law offers.

A law lives in one file, names itself (``law``), and gives its first two moments and samples. Laws that are phase
type also say so (``as_phase_type``): those are the ones exact methods understand; the others are for simulation.

A law from outside the package may declare more: its distribution function (``cdf``) and its fourth moment (``moment``).
Its samples are tested against what it declares when it is first used (``model.trials``).
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.model.numbers import Number, as_plain
from msj.model.outside import check_sample, register
from msj.model.value import Value
from msj.registry import DURATIONS, nearest

if TYPE_CHECKING:
    from msj.model.durations.phase_type import PhaseType


class Duration(Value, ABC):
    """The law of how long a job of one class holds its servers."""

    law: ClassVar[str]
    summary: ClassVar[str]

    # Every law has a mean; in some it is a field the user gives, in others a property.
    mean: Any

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        register(cls, "duration law", "sample", check_sample)

    @property
    @abstractmethod
    def second_moment(self) -> float:
        """E[X²]; infinite where it is infinite."""

    def moment(self, order: int) -> float:
        """E[X^order], for orders below 0 too; infinite where it is infinite, nan where the law does not say."""
        phase_type = self.as_phase_type()
        return math.nan if phase_type is None else phase_type.moment(order)

    def cdf(self, x: NDArray[np.float64]) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return P(X ≤ x) for an array of x ≥ 0; None where the law does not declare its distribution function."""
        return None

    @property
    def tail_index(self) -> float:
        """a, where P(X > t) falls like t^(-a); infinite where it falls faster than every power."""
        return math.inf

    @cached_property
    def cv(self) -> float:
        """Coefficient of variation, standard deviation over mean."""
        mean = float(self.mean)
        if not math.isfinite(mean) or not math.isfinite(self.second_moment):
            return math.inf
        return math.sqrt(max(self.second_moment / mean**2 - 1.0, 0.0))

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Draw ``size`` independent durations."""

    def as_phase_type(self) -> PhaseType | None:
        """Return the same law as a phase type, or None where it is not one."""
        return None

    @abstractmethod
    def scaled(self, factor: Number) -> Self:
        """Return the law of ``factor`` times this duration."""

    def retimed(self, factor: Fraction) -> Self:
        return self.scaled(factor)

    @property
    def longest(self) -> float:
        """The longest duration there is, the supremum; infinite where there is none."""
        return math.inf

    @property
    def largest_mean_remaining(self) -> float | None:
        """The supremum over age of the mean remaining duration; infinite where it is.

        None where the law does not say: for phase types it is then computed (``analysis.remaining_size``).
        """
        return None

    def to_spec(self) -> dict[str, Any]:
        """Return the ``duration = {...}`` table that describes this law."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {"law": self.law, **{key: _plain(value) for key, value in fields.items() if value is not None}}

    @classmethod
    def spec_keys(cls) -> tuple[str, ...]:
        """The keys this law understands in a spec file, beside ``law``."""
        return tuple(f.name for f in dataclasses.fields(cls))  # type: ignore[arg-type]

    @classmethod
    def check_keys(cls, table: Mapping[str, Any]) -> None:
        """Refuse keys that this law does not understand."""
        for key in table:
            if key not in cls.spec_keys():
                raise InvalidInput(f"unknown key '{key}' for law '{cls.law}'; {nearest(key, cls.spec_keys())}")

    @classmethod
    def from_spec(cls, table: dict[str, Any]) -> Duration:
        """Make the law from its table (without ``law``)."""
        try:
            return cls(**table)
        except TypeError:
            missing = [
                f.name
                for f in dataclasses.fields(cls)  # type: ignore[arg-type]
                if f.default is dataclasses.MISSING and f.name not in table
            ]
            if not missing:
                raise
            raise InvalidInput(f"law '{cls.law}' needs {' and '.join(missing)}; add {missing[0]} = ...") from None


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return as_plain(value) if isinstance(value, (int, float)) or hasattr(value, "denominator") else value


def duration_from_spec(table: object) -> Duration:
    """Make the law that ``duration = { law = ..., ... }`` describes, or that a frozen distribution of SciPy is.

    Examples
    --------
    >>> duration_from_spec({"law": "erlang", "stages": 2, "mean": 3}).cv
    0.7071067811865476
    """
    if not isinstance(table, dict):
        from msj.model.durations.scipy import from_frozen

        found = from_frozen(table)
        if found is not None:
            return found
        raise InvalidInput(f"{table!r} is not a table; write {{ law = 'exponential', mean = 1 }}")
    if "law" not in table:
        raise InvalidInput("no law is named; add law = 'exponential' or another: " + ", ".join(DURATIONS.names()))
    law = DURATIONS.get(table["law"])
    rest = {key: value for key, value in table.items() if key != "law"}
    law.check_keys(rest)
    made: Duration = law.from_spec(rest)
    return made
