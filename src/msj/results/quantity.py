"""One answer: a named number, where it stands, how sure it is, and how it was found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from msj.errors import InvalidInput
from msj.results.coordinates import COORDINATES, At, Place
from msj.results.glossary import dimension_of
from msj.results.units import DIMENSIONS, beside, unit_of

Kind = Literal["exact", "bound", "asymptotic", "simulated", "recorded", "replayed"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A row of a result.

    Parameters
    ----------
    name
        From the list of quantity names, which is a contract (``stability_threshold``, ``wasted_servers``, ...).
    value
        The number; nan where there is only a ``formula``.
    kind
        ``exact`` (to the stated residual), ``bound``, ``asymptotic`` (right in a limit), ``simulated``, ``recorded``
        (read off a log) or ``replayed`` (a log's jobs under a policy).
    method
        How it was computed, in words.
    citation
        Paper and theorem it rests on.
    job_class
        Name of the class it is about; None for all jobs.
    level
        For percentiles: which one, in percent.
    low, high
        Interval around the value, where there is one: of 95 % confidence for what is simulated, the numerical error
        for what is exact.
    bracket
        Whether low and high enclose the value only as far as the runs made can tell, without a confidence.
    at
        Coordinates: what the number was asked at, where a result holds several (:data:`COORDINATES`).
    formula
        The value as an exact fraction or a formula, where there is one.

    Examples
    --------
    >>> Quantity(name="mean_response_time", value=7.5, kind="exact", method="QBD", at={"load": 0.8}).at
    At(load=0.8)
    """

    name: str
    value: float
    kind: Kind
    method: str
    citation: str = ""
    job_class: str | None = None
    level: float | None = None
    low: float | None = None
    high: float | None = None
    at: Mapping[str, Place] = field(default_factory=At)
    formula: str | None = None
    bracket: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.at, At):
            object.__setattr__(self, "at", At(self.at))
        if self.kind not in KINDS:
            raise InvalidInput(f"kind {self.kind!r} of {self.name} is unknown; use one of {', '.join(KINDS)}")
        if self.level is not None and not 0 <= self.level <= 100:
            raise InvalidInput(f"level {self.level} of {self.name} is no percentage; give 0 to 100")
        for end, below, above in (("low", self.low, self.value), ("high", self.value, self.high)):
            if below is not None and above is not None and below > above:
                raise InvalidInput(
                    f"{self.name} = {self.value} lies outside its interval ({self.low} to {self.high}); check {end}"
                )

    def replace(self, **changes: Any) -> Quantity:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def put(self, **places: Place) -> Quantity:
        """Return the same number with further coordinates."""
        return replace(self, at={**self.at, **places})

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its interval, or None where an end of it is not known."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """What it may be at least and at most; an end that is not known is the value itself."""
        return self.value if self.low is None else self.low, self.value if self.high is None else self.high

    @property
    def label(self) -> str:
        """Name with the level of a percentile, as tables show it."""
        return self.name if self.level is None else f"{self.name} {self.level:g} %"

    @property
    def dimension(self) -> str | None:
        """What is measured (``time``, ``1/time``, ``servers``, ...), by the name; None for a name of a user's own."""
        return dimension_of(self.name)

    def unit(self, time_unit: str | None) -> str | None:
        """Return the unit of the value, given that of time."""
        return None if self.dimension is None else unit_of(self.dimension, time_unit)

    def label_in(self, time_unit: str | None) -> str:
        """Return the label with its unit behind, where that has a known unit of time in it."""
        return self.label if self.dimension is None else beside(self.label, self.dimension, time_unit)

    def times(self, factor: float) -> Quantity:
        """Return so many times it (more than 0), its interval with it; a formula stays behind."""
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        return replace(self, value=factor * self.value, low=low, high=high, formula=None)

    def rescaled(self, factor: float) -> Quantity:
        """Return the same in another unit of time, ``factor`` of which the old one is; a formula stays behind."""

        def by(value: float | None, dimension: str | None) -> Any:
            power = 0 if dimension is None else DIMENSIONS[dimension]
            return value if value is None or power == 0 else float(value) * factor**power

        places = {name: place for name, place in self.at.items() if not isinstance(place, str)}
        at = {name: by(place, COORDINATES[name].unit) for name, place in places.items()}
        value, low, high = (by(number, self.dimension) for number in (self.value, self.low, self.high))
        kept = self.formula if value == self.value else None
        return replace(self, value=value, low=low, high=high, at={**self.at, **at}, formula=kept)

    def to_dict(self, time_unit: str | None = None) -> dict[str, Any]:
        """Return the row as JSON writes it; what is not finite becomes null."""
        row = {
            "name": self.name,
            "value": _finite(self.value),
            "kind": self.kind,
            "method": self.method,
            "citation": self.citation,
            "class": self.job_class,
            "level": self.level,
            "low": _finite(self.low),
            "high": _finite(self.high),
            "unit": self.unit(time_unit),
            "at": dict(self.at),
        }
        row |= {} if self.formula is None else {"formula": self.formula}
        return row | ({"bracket": True} if self.bracket else {})

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Quantity:
        """Return the row that :meth:`to_dict` wrote."""
        value = row["value"]
        return cls(
            name=row["name"],
            value=math.nan if value is None else value,
            kind=row["kind"],
            method=row["method"],
            citation=row.get("citation") or "",
            job_class=row.get("class"),
            level=row.get("level"),
            low=row.get("low"),
            high=row.get("high"),
            at=row.get("at") or {},
            formula=row.get("formula"),
            bracket=str(row.get("bracket", False)) == "True",
        )


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
