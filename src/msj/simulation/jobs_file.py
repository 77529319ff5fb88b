"""Every job of a run as a Parquet file, written block by block."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Self

import numpy as np

from msj.engines.completed import Completed


class JobsFile:
    """Writes completed jobs with the number of their replication; a file of None writes nothing."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = path
        self.writer: Any = None

    def __enter__(self) -> Self:
        return self

    def write(self, replication: int, done: Completed) -> None:
        """Add jobs; time stands in the units of the system."""
        import pyarrow
        import pyarrow.parquet

        preemptions = np.zeros(len(done), dtype=np.int64) if done.preemptions is None else done.preemptions
        table = pyarrow.table(
            {
                "replication": np.full(len(done), replication),
                "job": done.number,
                "class": done.job_class,
                "need": done.need,
                "arrival": done.arrival,
                "start": done.start,
                "finish": done.finish,
                "duration": done.duration,
                "preemptions": preemptions,
            }
        )
        if self.writer is None:
            self.writer = pyarrow.parquet.ParquetWriter(os.fspath(self.path), table.schema)  # type: ignore[arg-type]
        self.writer.write_table(table)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.writer is not None:
            self.writer.close()
