"""The outlet: every answer is rows of quantities with an outcome and a provenance.

Tables, plots, the command line, CSV, JSON and notebooks know only this.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TextIO

from msj.errors import Failure, InvalidInput
from msj.registry import nearest
from msj.results.coordinates import COORDINATES, At, Place, write_place
from msj.results.grid import WIDTH, wrap_sentences
from msj.results.html import write_html
from msj.results.outcome import Missing, Outcome
from msj.results.quantity import Quantity
from msj.results.records import records_of, write_csv, write_csv_to
from msj.results.table import write_table
from msj.results.units import ratio
from msj.results.units import time_unit as unit_named

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a question about a system was answered with.

    ``result["stability_threshold"]`` is that number for all jobs, ``result["mean_waiting_time", "large"]`` for one
    class, ``result["waiting_time_percentile", None, 95]`` a percentile. Where rows differ in coordinates,
    ``result.at(policy="fcfs")["mean_response_time"]`` selects; several matches are an error that lists them. Iterating
    gives the rows.

    Parameters
    ----------
    system
        The spec of the system that was asked about; empty where there is none (a family of systems).
    quantities
        The rows.
    outcome
        How it ended.
    provenance
        Versions, the question itself, cost.
    notes
        Sentences for people.
    missing
        What was asked and could not be answered, where, and why.
    """

    system: dict[str, Any]
    quantities: tuple[Quantity, ...]
    outcome: Outcome = Outcome.SOLVED
    provenance: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()

    def __getitem__(self, key: str | tuple[str, str | None] | tuple[str, str | None, float]) -> float:
        name, job_class, level = (*key, None, None)[:3] if isinstance(key, tuple) else (key, None, None)
        return self.row(name, job_class, level).value

    def row(self, name: str, job_class: str | None = None, level: float | None = None) -> Quantity:
        """Return the one row of that name, class and level; none or several are an error that says what there is."""
        found = [row for row in self.quantities if (row.name, row.job_class, row.level) == (name, job_class, level)]
        if len(found) == 1:
            return found[0]
        asked = f"'{name}'"
        asked += f" of class '{job_class}'" if job_class is not None else ""
        asked += f" at level {level:g}" if level is not None else ""
        if not found:
            raise InvalidInput(
                f"there is no {asked} in this result; {self._what_there_is(str(name), job_class, level)}"
            )
        where = "; ".join(str(row.at) or row.method for row in found[:8]) + ("; ..." if len(found) > 8 else "")
        raise InvalidInput(f"{asked} stands {len(found)} times in this result: {where}; choose one with at(...)")

    def _what_there_is(self, name: str, job_class: str | None, level: float | None) -> str:
        """Say what could be asked for instead: levels or classes of the same quantity, else quantities."""
        named = [row for row in self.quantities if row.name == name]
        if not named:
            known = {row.name for row in self.quantities if (row.job_class, row.level) == (job_class, level)}
            gap = next((gap for gap in self.missing if gap.name == name), None)
            why = "" if gap is None else f" ({gap.reason.rstrip('.')})"
            return nearest(name, sorted(known or {row.name for row in self.quantities})) + why
        classes = list(dict.fromkeys(row.job_class for row in named))
        levels = sorted({row.level for row in named if row.job_class == job_class and row.level is not None})
        if job_class not in classes:
            there = ", ".join("all jobs" if each is None else f"'{each}'" for each in classes[:12])
            return f"there is '{name}' of {there}{', ...' if len(classes) > 12 else ''}"
        if not levels:
            return f"'{name}' has no levels here"
        return f"there are the levels {', '.join(f'{each:g}' for each in levels)}"

    def find(self, name: str, job_class: str | None = None, level: float | None = None) -> Quantity | None:
        """Return the first row of that name, class and level, None where there is none."""
        key = (name, job_class, level)
        return next((row for row in self.quantities if (row.name, row.job_class, row.level) == key), None)

    def at(self, **places: Place) -> Self:
        """Return the part of the result that stands at these coordinates; numbers may differ by rounding.

        Examples
        --------
        >>> import msj
        >>> curve = msj.curve("examples/two_servers.toml", loads=[0.5, 0.8])
        >>> round(curve.at(load=0.8)["mean_response_time"], 6)
        7.517772
        """
        wanted = At(places)
        rows = tuple(row for row in self.quantities if At(row.at).matches(wanted))
        missing = tuple(gap for gap in self.missing if At(gap.at).matches(wanted))
        if not rows and not missing:
            known = [f"{name}: {', '.join(map(write_place, self.places(name)[:12])) or 'none'}" for name in wanted]
            raise InvalidInput(f"nothing in this result stands at {wanted}; there is {'; '.join(known)}")
        return replace(self, quantities=rows, missing=missing)

    def places(self, coordinate: str) -> list[Place]:
        """Return the values of a coordinate, each once, in order of appearance."""
        if coordinate not in COORDINATES:
            raise InvalidInput(f"unknown coordinate '{coordinate}'; {nearest(coordinate, COORDINATES)}")
        return list(dict.fromkeys(row.at[coordinate] for row in self.quantities if coordinate in row.at))

    def along(self, coordinate: str, name: str, job_class: str | None = None) -> list[tuple[Any, Quantity]]:
        """Return (place, row) of one quantity along a coordinate, in order of appearance."""
        return [
            (row.at[coordinate], row)
            for row in self.quantities
            if coordinate in row.at and (row.name, row.job_class) == (name, job_class)
        ]

    def __contains__(self, name: object) -> bool:
        return any(row.name == name for row in self.quantities)

    def __iter__(self) -> Iterator[Quantity]:
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    @property
    def time_unit(self) -> str | None:
        """The unit of all times in it: the system's, seconds for a log; None where nobody said it."""
        return self.system.get("time_unit")

    def in_unit(self, unit: str) -> Self:
        """Return what a log says in another unit of time.

        Examples
        --------
        >>> import msj
        >>> found = msj.log("examples/logs/small_cluster.swf", seed=1)
        >>> hours = found.in_unit("hours")
        >>> round(found["mean_run_time"]), round(hours["mean_run_time"], 3), hours.row("arrival_rate").unit("hours")
        (5394, 1.498, 'jobs per hour')
        """
        wanted = unit_named(unit, "unit")
        if "classes" in self.system:  # the system itself has times, and sentences speak of them
            raise InvalidInput(f"unit = {unit!r} is for answers about logs; ask about system.in_unit({unit!r}) instead")
        if self.time_unit is None:
            raise InvalidInput(f"unit = {unit!r} cannot be converted to: this result does not say in which unit it is")
        factor = float(ratio(self.time_unit, wanted))
        rows = tuple(row.rescaled(factor) for row in self.quantities)
        return replace(self, quantities=rows, system={**self.system, "time_unit": wanted})

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        if "servers" not in self.system:  # a family of systems: say what was asked
            verb = self.provenance.get("question", {}).get("verb", "result")
            return str(verb).replace("_", " ")
        return str(self.system.get("name") or f"{self.system.get('servers')} servers")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON writes it."""
        return {
            "system": self.system,
            "outcome": self.outcome.label,
            "message": self.outcome.value,
            "time_unit": self.time_unit,
            "notes": list(self.notes),
            "quantities": [row.to_dict(self.time_unit) for row in self.quantities],
            "missing": [gap.to_dict() for gap in self.missing],
            "provenance": plain(self.provenance),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Result:
        """Return the result that :meth:`to_dict` wrote."""
        try:
            return Result(
                system=dict(document["system"]),
                quantities=tuple(Quantity.from_dict(row) for row in document["quantities"]),
                outcome=Outcome.from_label(document["outcome"]),
                provenance=dict(document.get("provenance", {})),
                notes=tuple(document.get("notes", ())),
                missing=tuple(
                    Missing(
                        name=gap["name"],
                        failure=Failure[gap["failure"].upper().replace("-", "_")],
                        reason=gap["reason"],
                        at=gap["at"],
                        command=gap.get("command", ""),
                    )
                    for gap in document.get("missing", ())
                ),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"this is no result of msj ({error!r}); give what --json printed") from None

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_csv(self) -> str:
        """Return the rows as CSV with full precision; ``msj.results.read_csv`` reads it back."""
        return write_csv(self.quantities, self.time_unit)

    def write_csv(self, file: TextIO) -> None:
        """Write the rows as CSV to an open file, one after the other."""
        write_csv_to(file, self.quantities, self.time_unit)

    def named(self, names: Collection[str]) -> Self:
        """Return the part with the quantities of these names that are about all jobs."""
        quick = getattr(self.quantities, "named", None)  # rows that are kept as columns know a quicker way
        if quick is not None:
            return replace(self, quantities=quick(names))
        rows = tuple(row for row in self.quantities if row.name in names and row.job_class is None)
        return replace(self, quantities=rows)

    def to_frame(self) -> pandas.DataFrame:
        """Return the rows as a pandas table with the columns of the CSV."""
        import pandas

        return pandas.DataFrame(records_of(self.quantities, self.time_unit))

    def to_text(self, *, width: int = WIDTH) -> str:
        """Return everything for people, at most ``width`` columns wide where no single word is wider."""
        table = write_table(self.quantities, width=width, time_unit=self.time_unit)
        said = [f"{self.title}: {self.outcome.value}", table]
        said += [wrap_sentences(text, width) for text in self._remarks()]
        return "\n\n".join(said)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        said = self._remarks()
        return write_html(f"{self.title}: {self.outcome.value}", self.quantities, said, time_unit=self.time_unit)

    def _remarks(self) -> list[str]:
        """Return the notes and what is missing, without gaps whose reason a note gives already."""
        gaps = (gap for gap in self.missing if not any(gap.reason in note for note in self.notes))
        return [*self.notes, *map(str, gaps)]


def plain(value: Any) -> Any:
    """Return a value as JSON takes it; what is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, (str, int)):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
