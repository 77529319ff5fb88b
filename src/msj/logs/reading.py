"""From a file to a trace: find the format, read the rows, judge them."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from msj.errors import InvalidInput, MsjError
from msj.logs.cleaning import counted, in_order, judged, plausible
from msj.logs.formats import LEAST, USUAL, is_log, is_spec, likeliest
from msj.logs.opening import head_of
from msj.logs.reader import LogReader
from msj.logs.reason import Reason
from msj.logs.rows import Rows
from msj.logs.trace import Trace
from msj.options import ReadOptions, takes
from msj.registry import LOG_READERS

NO_FRAME = ("reason",)
EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class LogFile(ReadOptions):
    """The question of :func:`msj.read_log`."""

    file: str | os.PathLike[str] = field(metadata={"help": "The file."})


@takes(LogFile)
def read_log(asked: LogFile) -> Trace:
    """Read a log: Standard Workload Format, Slurm's sacct, CSV or Parquet; plain or compressed (gzip, xz, Zstandard).

    Examples
    --------
    >>> trace = read_log("examples/logs/small_cluster.swf")
    >>> {reason.value: count for reason, (count, lines) in trace.left_out.items()}
    {'bad-line': 1, 'no-run-time': 3, 'needs-too-many': 2}
    """
    return as_trace(asked.file, asked)


def as_trace(file: str | os.PathLike[str] | Trace, options: ReadOptions = USUAL, *, cut: bool = True) -> Trace:
    """Return a trace with jobs: the one that is given, or read from a file.

    Only the jobs between ``from_time`` and ``until_time`` are returned, unless ``cut`` is false.
    """
    if isinstance(file, Trace):
        if not len(file):
            raise InvalidInput("the trace has no jobs; choose another stretch, or other jobs")
        trace = file if options.servers is None else file.replace(servers=options.servers)
    else:
        trace = _read(Path(file), options)
    first, last = window(trace, options)
    if not cut or (first, last) == (-math.inf, math.inf):
        return trace
    found = trace.between(first, last)
    if not len(found):
        raise InvalidInput("no job of the log was submitted in this stretch; choose another, in seconds of the log")
    return found


def window(trace: Trace, options: ReadOptions) -> tuple[float, float]:
    """Return the seconds of the log from which on and before which jobs are submitted that are used."""
    first, last = (_second(trace, getattr(options, name), name) for name in ("from_time", "until_time"))
    return -math.inf if first is None else first, math.inf if last is None else last


def _second(trace: Trace, moment: Any, name: str) -> float | None:
    """Return a moment as seconds of the log; a date is the log's local time."""
    if not isinstance(moment, datetime):
        return None if moment is None else float(moment)
    if trace.begins is None:
        raise InvalidInput(f"{name} = '{moment}': the log does not say the date it begins; give seconds of the log")
    return (moment - EPOCH).total_seconds() - trace.begins


def _read(path: Path, options: ReadOptions) -> Trace:
    try:
        reader = _reader(path, options)
        return trace_of(reader.read(path, options), options, source=path.name, name=reader.name)
    except MsjError as error:
        raise error.in_file(path) from None


def _reader(path: Path, options: ReadOptions) -> LogReader:
    if options.format is not None:
        found: LogReader = LOG_READERS.get(options.format)()
        head_of(path)  # a file that is not there is said first
        return found
    head = head_of(path)
    if not head.strip():
        raise InvalidInput("is empty; give a log with one job per line")
    if is_spec(path, head) and not is_log(path, options):
        raise InvalidInput(
            "describes a cluster, and this question is about a log; if it is one, say its --format, else ask msj report"
        )
    likeness, best = likeliest(head)
    if likeness < LEAST:
        known = "; ".join(f"{reader.name} is {reader.summary}" for reader in LOG_READERS)
        raise InvalidInput(f"looks like no log that is known; say which it is with --format: {known}")
    return best


def trace_of(rows: Rows, options: ReadOptions, *, source: str, name: str) -> Trace:
    """Judge the rows and return what is used as a trace."""
    import pandas

    servers = options.servers if options.servers is not None else rows.servers
    reason = judged(rows, servers)
    left_out = counted(reason, rows.columns["line"])
    wrong = left_out.get(Reason.BAD_LINE, (0, ()))[0]
    if wrong and options.strict:
        line, what = rows.bad[0]
        more = f", and {wrong - 1:,} lines more" if wrong > 1 else ""
        raise InvalidInput(f"line {line} {what}{more}; correct it, or leave --strict out")
    if wrong == len(rows):
        first = f"; line {rows.bad[0][0]} {rows.bad[0][1]}" if rows.bad else ""
        raise InvalidInput(f"has no job: none of its {len(rows):,} lines is one as {name} has it{first}")
    places = in_order(rows.columns, reason == 0, rows.in_order_of)
    if not len(places):
        why = ", ".join(f"{count:,} {r.value}" for r, (count, _) in left_out.items())
        raise InvalidInput(f"has no job that can be used: of {len(rows):,} rows {why}")
    for column in ("wait", "estimate"):
        rows.columns[column] = plausible(rows.columns[column])
    whole = len(places) == len(rows) and bool((np.diff(places) == 1).all())
    frame = pandas.DataFrame(
        {
            column: values if whole else values[places]
            for column, values in rows.columns.items()
            if column not in NO_FRAME
        },
        copy=False,
    )
    notes = [*rows.notes, *(f"Line {line} {what}." for line, what in rows.bad)]
    return Trace(
        frame=frame,
        servers=servers,
        source=source,
        format=name,
        rows=len(rows),
        left_out=left_out,
        begins=rows.begins,
        notes=tuple(notes),
    )
