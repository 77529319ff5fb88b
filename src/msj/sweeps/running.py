"""What a sweep's scheduler keeps of a stream under way, and the tasks it hands out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from msj.results import Quantity
from msj.simulation.blocks import Block, Stream, stage_of
from msj.simulation.looks import Looks
from msj.sweeps.cell import Cell
from msj.sweeps.remaining import lengths
from msj.sweeps.steps import open_cells, run_blocks

UNKNOWN = 1e300  # urgency of a stream before its first interval


@dataclass(kw_only=True)
class Running:
    """A stream under way, with the cells it answers."""

    id: str
    stream: Stream
    cells: list[tuple[Cell, tuple[Quantity, ...]]]
    looks: Looks
    ready: dict[int, Block] = field(default_factory=dict)  # blocks that came before their turn
    under_way: set[int] = field(default_factory=set)
    seconds: float = 0.0  # spent here
    pace: float = 0.0  # seconds for a block of the first length, as last seen

    @property
    def width(self) -> float:
        """How wide the interval is, over the value."""
        return self.looks.standings[-1].width if self.looks.standings else math.inf

    @property
    def counted(self) -> int:
        """Blocks behind the last interval."""
        return self.looks.standings[-1].blocks if self.looks.standings else 0

    @property
    def computed(self) -> float:
        """Lengths of the blocks that are there, in first lengths."""
        return lengths(self.looks.through) + sum(2.0 ** stage_of(index) for index in self.ready)

    def urgency(self, precision: float) -> float:
        """Return where it stands in the line: first what has to be confirmed only, then the widest."""
        return math.inf if self.width <= precision else min(self.width, UNKNOWN)

    def missing(self, precision: float) -> list[int]:
        """Return the blocks it needs next and nobody is at."""
        wanted = range(self.looks.through, self.looks.expected(precision))
        return [index for index in wanted if index not in self.ready and index not in self.under_way]


@dataclass(kw_only=True)
class Task:
    """Something under way."""

    claims: AbstractContextManager[Any]
    cells: Sequence[Cell] = ()
    running: Running | None = None
    indices: Sequence[int] = ()

    @property
    def key(self) -> str:
        """What it is about."""
        return self.cells[0].id if self.running is None else f"{self.running.id}.{self.indices[0]}"

    @property
    def call(self) -> tuple[Any, ...]:
        """What a worker does."""
        if self.running is None:
            return open_cells, self.cells
        return run_blocks, self.running.stream, self.indices
