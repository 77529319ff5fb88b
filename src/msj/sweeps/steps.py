"""What a worker does of a sweep: open cells, run blocks.

A task takes many small steps for about half a second, so that what it costs to send them does not matter, and a kill
loses no more than that, or the one step that takes longer. A step never raises: why it has no answer is its answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msj.errors import MsjError
from msj.plugins import mistake_in_a_file
from msj.simulation.blocks import Block, Stream
from msj.sweeps.cell import Cell
from msj.sweeps.opening import Opened, open_cell

SECONDS = 0.5  # after which a task returns with what it has


@dataclass(frozen=True, kw_only=True)
class Failed:
    """Why a step has no answer; ``lasting`` if it would have none the next time either."""

    failure: str  # a name for programs
    reason: str
    lasting: bool


def open_cells(cells: Sequence[Cell], seconds: float = SECONDS) -> list[tuple[str, Opened | Failed, float]]:
    """Open cells for so long, at least one; return the id of each, what was found, and the seconds it took."""
    found: list[tuple[str, Opened | Failed, float]] = []
    begun = time.perf_counter()
    for cell in cells:
        started = time.perf_counter()
        opened = _tried(open_cell, cell)
        found.append((cell.id, opened, time.perf_counter() - started))
        if time.perf_counter() - begun > seconds:
            break
    return found


def run_blocks(
    stream: Stream, indices: Sequence[int], seconds: float = SECONDS
) -> list[tuple[int, Block | Failed, float]]:
    """Run blocks for so long, at least one; return the number of each, what it saw, and the seconds it took."""
    found: list[tuple[int, Block | Failed, float]] = []
    begun = time.perf_counter()
    for index in indices:
        started = time.perf_counter()
        found.append((index, _tried(stream.run, index), time.perf_counter() - started))
        if time.perf_counter() - begun > seconds:
            break
    return found


def _tried(step: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return step(*arguments)
    except MsjError as error:
        return Failed(failure=error.failure.label, reason=str(error), lasting=True)
    except MemoryError:
        return Failed(failure="too-large", reason="the memory of the machine was not enough", lasting=False)
    except Exception as error:
        said = mistake_in_a_file(error) or f"a defect of msj, please report it: {type(error).__name__}: {error}"
        return Failed(failure="not-supported", reason=said, lasting=False)
