"""What a reader of logs is: one file in ``readers/`` that ends in ``VARIANT = TheReader``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from msj.logs.rows import Rows
from msj.options import ReadOptions


class LogReader(ABC):
    """Reads one format. It knows what a row says, not which rows are jobs that can be used (``cleaning``)."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def likeness(self, head: bytes) -> float:
        """Return how much the first bytes of a file, decompressed, look like this format: 0 not at all, 1 surely."""

    @abstractmethod
    def read(self, path: Path, options: ReadOptions) -> Rows:
        """Read all of it; a line that is no job becomes a row with the reason."""
