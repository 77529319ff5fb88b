"""One answer: a named number, how sure it is, and how it was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["exact", "asymptotic", "bound", "simulated"]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A row of a result.

    Parameters
    ----------
    name
        From the list of quantity names, which is a contract (``stability_threshold``, ``wasted_servers``, ...).
    value
        The number.
    kind
        ``exact`` (to the stated residual), ``asymptotic`` (right in a limit), ``bound`` or ``simulated``.
    method
        How it was computed, in words.
    citation
        Paper and theorem it rests on.
    job_class
        Name of the class it is about; None for all jobs.
    level
        For percentiles: which one, in percent.
    low, high
        Interval around the value, where there is one.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON writes it; what is not finite becomes null."""
        return {
            "name": self.name,
            "value": _finite(self.value),
            "kind": self.kind,
            "method": self.method,
            "citation": self.citation,
            "class": self.job_class,
            "level": self.level,
            "low": _finite(self.low),
            "high": _finite(self.high),
        }


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
