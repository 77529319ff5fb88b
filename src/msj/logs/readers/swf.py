"""The Standard Workload Format 2.2: one line per job, at least 18 numbers, -1 for what is unknown, remarks after ``;``.

Fields (from 1): 1 job, 2 submit, 3 wait, 4 run, 5 processors allocated, 8 requested, 9 time requested, 11 status, 12
user, 13 group, 15 queue, 16 partition. A job's need is field 5, or 8 where that is unknown; a failed or cancelled job
that ran held its servers and counts. Status 2, 3 and 4 are pieces of a job that was swapped out; where the job has no
line of its own, they are put together.

The lines go through a compiled loop of our own (``number_lines``): pandas cannot say which lines are bad, and takes
longer (``benchmarks/bench_logs.py``); pyarrow splits at single characters only.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from msj.logs.cleaning import LONGEST
from msj.logs.number_lines import GOOD, TOO_SHORT, Lines, read_lines
from msj.logs.opening import HEAD, blocks_of, opened
from msj.logs.reader import LogReader
from msj.logs.reason import Reason
from msj.logs.rows import Rows, alike
from msj.options import ReadOptions

FIELDS, LEAST = 18, 5
PIECES = (2, 3, 4)
SHOWN = 5  # bad lines that are described
_HEADER = re.compile(r"^;\s*([A-Za-z]+):\s*(.*)$")
_FIRST_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Swf(LogReader):
    """Standard Workload Format."""

    name: ClassVar[str] = "swf"
    summary: ClassVar[str] = "Standard Workload Format: 18 numbers a line, remarks after ';'"

    def likeness(self, head: bytes) -> float:
        if b"\0" in head:
            return 0.0
        lines = [line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()]
        if len(head) == HEAD and len(lines) > 1:
            lines.pop()  # it may be cut
        said = [line for line in lines if line and not line.startswith(b";")]
        with_header = any(_HEADER.match(line.decode("latin-1")) for line in lines[:50])
        if not said:
            return 0.6 if with_header else 0.0
        good = sum(_numbers(line) >= LEAST for line in said) / len(said)
        if with_header:
            return 0.6 + 0.3 * good
        return (0.7 if _numbers(said[0]) >= LEAST else 0.3) * good  # a table has names in its first line

    def read(self, path: Path, options: ReadOptions) -> Rows:
        parts: list[dict[str, Any]] = []
        bad: list[tuple[int, str]] = []
        line, header = 1, b""
        with opened(path) as stream:
            for number, block in enumerate(blocks_of(stream)):
                if number == 0:
                    header = block
                found = read_lines(block, FIELDS, LEAST, b";")
                parts.append(_columns(found, line))
                bad += _described(found, block, line, SHOWN - len(bad))
                line += found.lines
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}
        columns = columns or _columns(read_lines(b"", FIELDS, LEAST, b";"), 1)
        said = _header(header)
        notes = [] if not _put_pieces_together(columns) else ["Pieces of jobs without a line of their own were joined."]
        servers = _positive(said.get("MaxProcs")) or _positive(said.get("MaxNodes"))
        return Rows(
            columns=columns,
            servers=servers,
            begins=_begins(said, columns["submit"]),
            notes=tuple(notes),
            bad=tuple(bad),
            in_order_of="job",
        )


def _numbers(line: bytes) -> int:
    words = line.split()
    try:
        [float(word) for word in words[:FIELDS]]
    except ValueError:
        return 0
    return len(words)


def _columns(found: Lines, first: int) -> dict[str, Any]:
    good = found.status == GOOD
    values = found.values
    values[~good] = np.nan

    def time(field: int) -> Any:
        column = values[:, field - 1]
        return np.where(column >= 0, column, np.nan)

    def code(field: int, kind: Any = np.int32) -> Any:
        column = values[:, field - 1]
        return np.where((column > -1) & (column < 2**31), column, -1).astype(kind)

    allocated, requested = values[:, 4], values[:, 7]
    need = np.where(allocated > 0, allocated, np.where(requested > 0, requested, 0))
    need = np.where((need < 2**53) & (need == np.floor(need)), need, 0)  # no part of a server; nan compares false
    return {
        "line": found.line + first,
        "job": np.where(np.abs(values[:, 0]) < 2**53, values[:, 0], -1).astype(np.int64),
        "submit": time(2),
        "wait": time(3),
        "run": time(4),
        "need": need.astype(np.int64),
        "estimate": np.where(values[:, 8] > 0, values[:, 8], np.nan),
        "reason": np.where(good, 0, Reason.BAD_LINE.code).astype(np.int8),
        "status": code(11, np.int8),
        "user": code(12),
        "group": code(13),
        "queue": code(15),
        "partition": code(16),
    }


def _described(found: Lines, block: bytes, first: int, most: int) -> list[tuple[int, str]]:
    said = []
    for row in np.flatnonzero(found.status != GOOD)[: max(most, 0)]:
        text = block[found.place[row, 0] : found.place[row, 1]].decode("utf-8", "replace").strip()
        wrong = (
            f"has {len(text.split())} of at least {LEAST} fields"
            if found.status[row] == TOO_SHORT
            else "has something that is no number"
        )
        said.append((int(found.line[row]) + first, f"{wrong}: '{text[:40]}'"))
    return said


def _header(block: bytes) -> dict[str, str]:
    """Return what the remarks before the first job say; the first of several counts, and no key inside a text does."""
    said: dict[str, str] = {}
    for raw in block.splitlines():
        text = raw.strip().decode("utf-8", "replace")
        if text and not text.startswith(";"):
            break
        if (match := _HEADER.match(text)) is not None:
            said.setdefault(match[1], match[2].strip())
    return said


def _positive(text: str | None) -> int | None:
    found = _FIRST_NUMBER.match(text or "")
    value = float(found[0]) if found is not None else 0.0
    return int(value) if 0 < value < 2**53 else None


def _begins(said: dict[str, str], submit: Any) -> float | None:
    """Return the local time of second 0. A log that says 0 and has moments since 1970 begins in 1970."""
    unix = _FIRST_NUMBER.match(said.get("UnixStartTime", ""))
    if unix is None or float(unix[0]) < 0:
        return None
    if float(unix[0]) == 0 and not (submit > 1e8).any():
        return None
    zone = _FIRST_NUMBER.match(said.get("TimeZone", ""))
    return float(unix[0]) + (float(zone[0]) if zone is not None else 0.0)


def _put_pieces_together(columns: dict[str, Any]) -> bool:
    """Leave out pieces whose job has a line of its own, make one job of those that have none; say if there were any."""
    piece = np.isin(columns["status"], PIECES) & (columns["reason"] == 0)
    if not piece.any():
        return False
    joined = False
    where = np.flatnonzero(np.isin(columns["job"], np.unique(columns["job"][piece])) & (columns["reason"] == 0))
    for group in alike(columns["job"][where]):
        rows = where[group]
        if not piece[rows].all():
            columns["reason"][rows[piece[rows]]] = Reason.PIECE.code
            continue
        first, others = rows[0], rows[1:]
        columns["run"][first] = np.nansum(np.minimum(columns["run"][rows], LONGEST))
        columns["need"][first] = columns["need"][rows].max()
        columns["reason"][others] = Reason.PIECE.code
        joined = True
    return joined


VARIANT = Swf
