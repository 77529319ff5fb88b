"""A table in Parquet: the columns have types, so times may be moments, spans, numbers or texts.

Moments and spans are cast to seconds; texts are read as those of a CSV file are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from msj.errors import InvalidInput
from msj.logs.reader import LogReader
from msj.logs.reason import Reason
from msj.logs.rows import Rows
from msj.logs.stacking import begun, in_turn, stacked, unlikely
from msj.logs.tables import columns_of, rows_of
from msj.options import ReadOptions

MAGIC = b"PAR1"


class Parquet(LogReader):
    """Apache Parquet."""

    name: ClassVar[str] = "parquet"
    summary: ClassVar[str] = "a table in Parquet; --columns says which column is what"

    def likeness(self, head: bytes) -> float:
        return 1.0 if head.startswith(MAGIC) else 0.0

    def read(self, path: Path, options: ReadOptions) -> Rows:
        import pyarrow
        import pyarrow.parquet

        try:
            file = pyarrow.parquet.ParquetFile(path)
            chosen, unit, notes = columns_of(file.schema_arrow.names, options)
            wanted = list(dict.fromkeys(chosen.values()))
            parts: list[tuple[dict[str, Any], list[int]]] = []
            first = 1
            for batch in file.iter_batches(columns=wanted, batch_size=1 << 20):
                table = pyarrow.table({name: _plain(batch.column(name), unit) for name in wanted})
                line = np.arange(first, first + len(table))
                parts.append((rows_of(table, line, chosen, unit), []))
                first += len(table)
        except pyarrow.ArrowException as error:
            raise InvalidInput(f"is no Parquet file that can be read ({str(error).splitlines()[0]})") from None
        except OSError as error:
            raise InvalidInput(f"is no Parquet file that can be read ({error})") from None
        together, said = in_turn(stacked(parts))
        columns, begins = begun(together)
        notes += [*said, *unlikely(begins)]
        wrong = columns["line"][columns["reason"] == Reason.BAD_LINE.code][:5]
        bad = tuple((int(row), "has something that cannot be read as a time or a number") for row in wrong)
        return Rows(columns=columns, notes=tuple(notes), bad=bad, begins=begins)


def _plain(column: Any, unit: float) -> Any:
    """Return a column as numbers or texts; moments and spans become seconds, undone by the unit of plain numbers."""
    import pyarrow

    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pyarrow.types.is_timestamp(kind) or pyarrow.types.is_duration(kind):
        whole = column.cast(pyarrow.timestamp("us") if pyarrow.types.is_timestamp(kind) else pyarrow.duration("us"))
        return pyarrow.compute.divide(whole.cast(pyarrow.int64()).cast(pyarrow.float64(), safe=False), 1e6 * unit)
    if pyarrow.types.is_date(kind):
        days = column.cast(pyarrow.date32()).cast(pyarrow.int32()).cast(pyarrow.float64())
        return pyarrow.compute.multiply(days, 86400.0 / unit)
    if pyarrow.types.is_nested(kind):
        raise InvalidInput("has lists or tables in a column that is to be a number; choose others with --columns")
    return column


VARIANT = Parquet
