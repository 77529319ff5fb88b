"""Every job of a run as a file, Parquet or CSV by its name, written block by block.

It is written beside its place and moved there when it is whole, so that an old file stays until the new one is there;
one writer at a time.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from msj.engines.completed import Completed
from msj.errors import InvalidInput
from msj.model import System
from msj.store import lock


class JobsFile:
    """Writes completed jobs with the number of their replication and their class; a path of None writes nothing."""

    def __init__(self, path: str | os.PathLike[str] | None, *, system: System) -> None:
        self.path = None if path is None else Path(path)
        self.names = [c.name for c in system.classes]
        self.writer: Any = None
        self.stack = ExitStack()

    def __enter__(self) -> Self:
        if self.path is not None:
            if not self.path.absolute().parent.is_dir():
                raise InvalidInput(f"jobs_file '{self.path}' is in a folder that does not exist; make it first")
            self.stack.enter_context(lock(self.path))
            self.part = self.path.with_name(f"{self.path.name}.{uuid.uuid4().hex[:12]}.part")
        return self

    def write(self, replication: int, done: Completed) -> None:
        """Add jobs; time stands in the units of the system."""
        import pyarrow

        preemptions = np.zeros(len(done), dtype=np.int64) if done.preemptions is None else done.preemptions
        table = pyarrow.table(
            {
                "replication": np.full(len(done), replication),
                "job": done.number,
                "class": pyarrow.array(self.names).take(pyarrow.array(done.job_class)),
                "need": done.need,
                "arrival": done.arrival,
                "start": done.start,
                "finish": done.finish,
                "duration": done.duration,
                "preemptions": preemptions,
            }
        )
        try:
            if self.writer is None:
                self.writer = self._open(table.schema)
            self.writer.write_table(table)
        except OSError as error:
            raise self._failed(error) from None

    def _open(self, schema: Any) -> Any:
        if self.path is not None and self.path.suffix.lower() == ".csv":
            import pyarrow.csv

            return pyarrow.csv.CSVWriter(os.fspath(self.part), schema)
        import pyarrow.parquet

        return pyarrow.parquet.ParquetWriter(os.fspath(self.part), schema)

    def _failed(self, error: OSError) -> InvalidInput:
        return InvalidInput(f"jobs_file '{self.path}' cannot be written ({error.strerror or error}); make room for it")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self.stack:
            if self.writer is None or self.path is None:
                return
            try:
                self.writer.close()
                if kind is None:
                    os.replace(self.part, self.path)
            except OSError as failure:
                if kind is None:
                    raise self._failed(failure) from None
            finally:
                with contextlib.suppress(OSError):
                    self.part.unlink(missing_ok=True)
