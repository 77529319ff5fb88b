"""What a reader hands over: the rows of a log as columns of equal length, not yet judged.

Times are seconds; what is unknown is nan, or 0 for a need. ``reason`` is 0, or the code of the reason why the reader
itself says that a row is no job (a step, a line that is none).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Columns every log has; the others (job, user, group, queue, partition, status) where they are recorded.
ALWAYS: dict[str, type] = {
    "line": np.int64,
    "submit": np.float64,
    "wait": np.float64,
    "run": np.float64,
    "need": np.int64,
    "estimate": np.float64,
    "reason": np.int8,
}


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows of a log and what its header says.

    Parameters
    ----------
    columns
        One array for each name; those of :data:`ALWAYS` and some others.
    servers
        The machine's size, where the log says it.
    begins
        The local time at second 0, in seconds since 1970, where it is known.
    notes
        Sentences: what was guessed, what must be known.
    bad
        The first bad lines: number, and what is wrong.
    in_order_of
        The column that says who came first among those submitted at the same moment.
    """

    columns: dict[str, Any]
    servers: int | None = None
    begins: float | None = None
    notes: tuple[str, ...] = ()
    bad: tuple[tuple[int, str], ...] = ()
    in_order_of: str = "line"

    def __len__(self) -> int:
        return len(self.columns["line"])


def blank(count: int) -> dict[str, Any]:
    """Return the columns every log has for so many rows of which nothing is known yet."""
    columns: dict[str, Any] = {}
    for name, kind in ALWAYS.items():
        columns[name] = np.full(count, np.nan) if kind is np.float64 else np.zeros(count, dtype=kind)
    return columns


def alike(key: NDArray[Any]) -> list[NDArray[np.int64]]:
    """Return the places of equal keys, one array for each key that stands more than once.

    Examples
    --------
    >>> [places.tolist() for places in alike(np.array([7, 8, 7, 9]))]
    [[0, 2]]
    """
    _, group = np.unique(key, return_inverse=True)
    order = np.argsort(group, kind="stable")
    cuts = np.flatnonzero(np.diff(group[order])) + 1
    return [places for places in np.split(order, cuts) if len(places) > 1]
