"""Parts of a log put together: columns end to end, bad lines as rows of their own, times counted from a beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msj.logs.reason import Reason
from msj.logs.rows import blank

EPOCH = 1e8  # seconds: moments beyond are counted from 1970, those below from the beginning of the log


def stacked(parts: Sequence[tuple[dict[str, Any], Sequence[int]]]) -> dict[str, Any]:
    """Put columns end to end; each part comes with the lines of it that are no rows, which are added as bad ones."""
    if not parts:
        return blank(0)
    columns: dict[str, Any] = {}
    bad = np.array([line for _, lines in parts for line in lines], dtype=np.int64)
    for name in parts[0][0]:
        pieces = [columns_of_part[name] for columns_of_part, _ in parts]
        columns[name] = _end_to_end(pieces, len(bad))
    if len(bad):
        rest = blank(len(bad))
        rest["line"], rest["reason"] = bad, np.full(len(bad), Reason.BAD_LINE.code, dtype=np.int8)
        for name, values in rest.items():
            columns[name] = np.concatenate([columns[name][: len(columns[name]) - len(bad)], values])
        order = np.argsort(columns["line"], kind="stable")
        columns = {name: values[order] for name, values in columns.items()}
    return columns


def _end_to_end(pieces: list[Any], more: int) -> Any:
    """Join arrays, or categoricals of different categories, and leave room for so many rows more."""
    import pandas

    if isinstance(pieces[0], pandas.Categorical):
        joined = pandas.api.types.union_categoricals(pieces)
        codes = np.concatenate([joined.codes, np.full(more, -1, dtype=joined.codes.dtype)])
        return pandas.Categorical.from_codes(codes, categories=joined.categories)
    if any(piece.dtype == object for piece in pieces):  # what jobs are called
        pieces = [piece.astype(str).astype(object) for piece in pieces]
        return np.concatenate([*pieces, np.full(more, "", dtype=object)])
    joined = np.concatenate(pieces)
    return np.concatenate([joined, np.zeros(more, dtype=joined.dtype)]) if more else joined


def in_turn(columns: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Put replications, each with a clock of its own, one after the other; return the columns and what to say."""
    if "replication" not in columns:
        return columns, []
    replication, submit = columns["replication"], columns["submit"].copy()
    rest = {name: values for name, values in columns.items() if name != "replication"}
    numbers = np.unique(replication[columns["reason"] == 0])
    clock = 0.0
    for number in numbers:
        here = np.flatnonzero((replication == number) & np.isfinite(submit))
        last, gap = float(submit[here].max()), float(np.ptp(submit[here])) / max(len(here), 1)
        submit[here] += clock
        clock += last + gap
    said = f"The file holds {len(numbers):,} replications; they are taken one after the other."
    return {**rest, "submit": submit}, [said] if len(numbers) > 1 else []


def begun(columns: dict[str, Any]) -> tuple[dict[str, Any], float | None]:
    """Count moments since 1970 from the first submission on; return the columns and that moment, None where unknown."""
    submit = columns["submit"]
    known = submit[np.isfinite(submit) & (columns["reason"] == 0)]
    if not len(known) or known.min() < EPOCH:
        return columns, None
    first = float(known.min())
    return {**columns, "submit": submit - first}, first


def unlikely(begins: float | None) -> list[str]:
    """Return what to say about moments that lie thousands of years ahead."""
    if begins is None or begins < 1e11:
        return []
    return ["Submissions look like milliseconds since 1970; if they are, say --time-unit ms."]
