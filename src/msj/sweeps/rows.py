"""Rows of a sweep as columns: quantities are made when they are looked at, a few thousand at a time.

A grid of 100,000 cells has millions of rows. As columns (Arrow, each text once) a row takes some tens of bytes instead
of a kilobyte, and a filter need not make any. What all rows of a cell share is kept once, in the table of cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from msj.results import Quantity
from msj.results.coordinates import COORDINATES, At
from msj.results.glossary import dimension_of
from msj.results.units import unit_of
from msj.sweeps.tables import FURTHER, OF_ROWS, quantity_of

if TYPE_CHECKING:
    import pyarrow

BATCH = 4096  # quantities that are made at once


class Rows(Sequence[Quantity]):
    """The rows of a result, in order.

    Parameters
    ----------
    table
        What rows have of their own (``tables.OF_ROWS``).
    owner
        The cell of each row: a number in the table of cells.
    cells
        The coordinates of the cells.
    places
        The coordinates in which they differ, at which rows stand.
    """

    def __init__(self, table: pyarrow.Table, owner: Any, cells: pyarrow.Table, places: Sequence[str]) -> None:
        self.table, self.owner, self.cells, self.places = table, owner, cells, tuple(places)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, index: int) -> Quantity: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Quantity, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        numbers = range(len(self))[index]
        if isinstance(index, slice):
            return tuple(self._taken(np.asarray(numbers, dtype=np.int64)))
        return next(iter(self._taken(np.array([numbers]))))

    def __iter__(self) -> Iterator[Quantity]:
        for records, owners in self._batches():
            before, at = -1, At()
            for record, owner in zip(records, owners, strict=True):
                if owner != before:
                    before, at = owner, self._at(owner)
                yield quantity_of(record, at)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Rows, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((len(self), self.places))

    def __add__(self, other: Sequence[Quantity]) -> tuple[Quantity, ...]:
        return (*self, *other)

    def only(self, column: str, holds: Callable[[Any], bool]) -> Rows:
        """Return the rows whose value in a column fulfils a condition; each different value is asked about once."""
        if column in self.cells.column_names and column not in OF_ROWS:
            return self._taken(np.flatnonzero(mask_of(self.cells[column], holds)[self.owner]))
        if column not in self.table.column_names:
            return self if holds(None) else self._taken(np.empty(0, dtype=np.int64))
        return self._taken(np.flatnonzero(mask_of(self.table[column], holds)))

    def named(self, names: Collection[str]) -> Rows:
        """Return the rows of these quantities that are about all jobs."""
        return self.only("name", lambda name: name in names).only("class", lambda name: name is None)

    def flat_records(self, time_unit: str | None) -> tuple[list[str], Iterator[Sequence[Any]]]:
        """Return the coordinates in use, and what a CSV says of each row: no quantities are made for that."""
        further = [name for name in FURTHER if self.table[name].null_count < len(self)]
        used = [name for name in COORDINATES if name in self.places or name in further]
        return used, self._records(used, time_unit)

    def _records(self, used: Sequence[str], time_unit: str | None) -> Iterator[Sequence[Any]]:
        units: dict[str, str | None] = {}
        shared = {name: self.cells[name].to_pylist() for name in used if name in self.places}
        for records, owners in self._batches():
            for record, owner in zip(records, owners, strict=True):
                name, job_class, kind, method, citation, formula, quantity, level, value, low, high, hour, bracket = (
                    record
                )
                if name not in units:
                    dimension = dimension_of(name)
                    units[name] = None if dimension is None else unit_of(dimension, time_unit)
                own = {"quantity": quantity, "time_of_day": hour}
                yield (
                    name, job_class, level, *(shared[each][owner] if each in shared else own[each] for each in used),
                    *(_finite(number) for number in (value, low, high)), units[name], kind, method or "",
                    citation or "", formula, True if bracket else None,
                )  # fmt: skip

    def _batches(self) -> Iterator[tuple[Iterator[tuple[Any, ...]], list[int]]]:
        for start in range(0, len(self), BATCH):
            part = self.table.slice(start, BATCH)
            own = zip(*(part[name].to_pylist() for name in OF_ROWS), strict=True)
            yield own, self.owner[start : start + BATCH].tolist()

    def _at(self, owner: int) -> At:
        values = ((name, self.cells[name][owner].as_py()) for name in self.places)
        return At({name: value for name, value in values if value is not None})

    def _taken(self, numbers: Any) -> Rows:
        return Rows(self.table.take(numbers), self.owner[numbers], self.cells, self.places)


def mask_of(column: Any, holds: Callable[[Any], bool]) -> Any:
    """Return which values of a column fulfil a condition; each different value is asked about once."""
    codes, values = codes_of(column)
    return np.array([holds(value) for value in values] + [holds(None)], dtype=bool)[codes]


def codes_of(column: Any) -> tuple[Any, list[Any]]:
    """Return a column as whole numbers, -1 where there is no value, and the value that each number stands for."""
    import pyarrow

    values = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if pyarrow.types.is_null(values.type):
        return np.full(len(values), -1, dtype=np.int32), []
    values = values if pyarrow.types.is_dictionary(values.type) else values.dictionary_encode()
    return values.indices.fill_null(-1).to_numpy(zero_copy_only=False), values.dictionary.to_pylist()


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
