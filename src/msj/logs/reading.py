"""From a file to a trace: find the format, read the rows, judge them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msj.errors import InvalidInput, MsjError
from msj.logs.cleaning import counted, in_order, judged, plausible
from msj.logs.log_options import LogOptions
from msj.logs.opening import head_of
from msj.logs.reader import LogReader
from msj.logs.reason import Reason
from msj.logs.rows import Rows
from msj.logs.trace import Trace
from msj.registry import LOG_READERS

LEAST = 0.2  # how much a file must look like a format
SURE = 0.6
NO_FRAME = ("reason",)


def read_log(
    file: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    servers: int | None = None,
    servers_are: str | None = None,
    columns: str | Mapping[str, str] = "",
    time_unit: str | None = None,
    wait_from: str = "eligible",
    strict: bool = False,
) -> Trace:
    """Read a log: Standard Workload Format, Slurm's sacct, CSV or Parquet; plain or compressed (gzip, xz, Zstandard).

    Parameters
    ----------
    file
        The file.
    format
        ``swf``, ``sacct``, ``csv`` or ``parquet``; found out by looking at the file where it is not given.
    servers
        The machine's size, where the log does not say it or says it wrong.
    servers_are
        What a server is, where the log counts several things: ``cpus``, ``nodes`` or ``gpus``.
    columns
        Which column has which part of a job: ``submit=submit_time,need=num_gpu,run=duration``.
    time_unit
        The unit of times that are plain numbers in a table: ``s``, ``ms``, ``min`` or ``h``.
    wait_from
        ``eligible`` or ``submit``, where a log says both.
    strict
        Refuse the log if one of its lines is no job, instead of counting it.

    Examples
    --------
    >>> trace = read_log("examples/logs/small_cluster.swf")
    >>> {reason.value: count for reason, (count, lines) in trace.left_out.items()}
    {'bad-line': 1, 'no-run-time': 3, 'needs-too-many': 2}
    """
    path = Path(file)
    options = LogOptions(
        servers=servers,
        servers_are=servers_are,
        columns=columns,  # type: ignore[arg-type]
        time_unit=time_unit,
        wait_from=wait_from,
        strict=strict,
    )
    try:
        reader = _reader(path, format)
        return trace_of(reader.read(path, options), options, source=path.name, name=reader.name)
    except MsjError as error:
        raise error.in_file(path) from None


def as_trace(file: str | os.PathLike[str] | Trace, *, servers: int | None = None, **reading: Any) -> Trace:
    """Return a trace with jobs: the one that is given, or read from a file with the options of :func:`read_log`."""
    if not isinstance(file, Trace):
        return read_log(file, servers=servers, **reading)
    if not len(file):
        raise InvalidInput("the trace has no jobs; choose another stretch, or other jobs")
    return file if servers is None else file.replace(servers=servers)


def format_of(file: Path) -> str | None:
    """Return the format of a file that is surely a log; None where it may be something else."""
    head = head_of(file)
    likeness, name = max((variant().likeness(head), variant.name) for variant in LOG_READERS)
    return name if likeness >= SURE else None


def _reader(path: Path, name: str | None) -> LogReader:
    if name is not None:
        found: LogReader = LOG_READERS.get(name)()
        head_of(path)  # a file that is not there is said first
        return found
    head = head_of(path)
    if not head.strip():
        raise InvalidInput("is empty; give a log with one job per line")
    readers: list[LogReader] = [variant() for variant in LOG_READERS]
    likeness, best = max(((reader.likeness(head), reader) for reader in readers), key=lambda pair: pair[0])
    if likeness < LEAST:
        known = "; ".join(f"{reader.name} is {reader.summary}" for reader in readers)
        raise InvalidInput(f"looks like no log that is known; say which it is with --format: {known}")
    return best


def trace_of(rows: Rows, options: LogOptions, *, source: str, name: str) -> Trace:
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
