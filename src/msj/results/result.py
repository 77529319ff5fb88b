"""The outlet: every answer is rows of quantities with an outcome and a provenance.

Tables, plots, the command line and JSON know only this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msj.errors import InvalidInput
from msj.registry import nearest
from msj.results.outcome import Outcome
from msj.results.quantity import Quantity
from msj.results.table import write_table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a question about a system was answered with.

    ``result["stability_threshold"]`` is that number for all jobs, ``result["mean_waiting_time", "large"]`` for one
    class, ``result["waiting_time_percentile", None, 95]`` a percentile; iterating gives the rows.
    """

    system: dict[str, Any]
    quantities: tuple[Quantity, ...]
    outcome: Outcome = Outcome.SOLVED
    provenance: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str | tuple[str, str | None] | tuple[str, str | None, float]) -> float:
        name, job_class, level = (*key, None, None)[:3] if isinstance(key, tuple) else (key, None, None)
        for row in self.quantities:
            if (row.name, row.job_class, row.level) == (name, job_class, level):
                return row.value
        known = {row.name for row in self.quantities if (row.job_class, row.level) == (job_class, level)}
        asked = (
            f"'{name}'" + (f" of class '{job_class}'" if job_class else "") + (f" at level {level}" if level else "")
        )
        raise InvalidInput(f"there is no {asked} in this result; {nearest(str(name), sorted(known))}")

    def __contains__(self, name: object) -> bool:
        return any(row.name == name for row in self.quantities)

    def __iter__(self) -> Iterator[Quantity]:
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON writes it."""
        return {
            "system": self.system,
            "outcome": self.outcome.label,
            "message": self.outcome.value,
            "notes": list(self.notes),
            "quantities": [row.to_dict() for row in self.quantities],
            "provenance": self.provenance,
        }

    def to_frame(self) -> pandas.DataFrame:
        """Return the rows as a pandas table."""
        import pandas

        return pandas.DataFrame([row.to_dict() for row in self.quantities])

    def __repr__(self) -> str:
        title = self.system.get("name") or f"{self.system.get('servers')} servers"
        heading = f"{title}: {self.outcome.value}"
        return "\n".join([heading, write_table(self.quantities), *self.notes])
