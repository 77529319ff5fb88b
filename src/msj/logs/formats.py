"""Which format a file has, and whether it is a log at all: one rule for every command and every function.

A file with a name that ends in .toml or .json describes a cluster (a spec file); one in .csv, .tsv or .parquet is a
log, also compressed (.csv.gz). Any other file is a log if its beginning is surely one (SWF, sacct), or if it looks like
a table and not like a spec file (``key = value``, ``[table]``). Where its format or its columns are given, any file is
a log.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from msj.errors import MsjError
from msj.logs.opening import head_of
from msj.logs.reader import LogReader
from msj.logs.trace import Trace
from msj.options import ReadOptions
from msj.registry import LOG_READERS

LEAST = 0.2  # how much a file must look like a format
SURE = 0.6
USUAL = ReadOptions()
SPEC_ENDINGS = (".toml", ".json")
TABLE_ENDINGS = (".csv", ".tsv", ".parquet")
PACKED = (".gz", ".xz", ".zst")
SPEC_LINE = re.compile(rb"""\A(?:\s*(?:#[^\n]*)?\n)*\s*(?:\{|\[|["\w.-]+\s*=)""")  # the first that is no comment


def likeliest(head: bytes) -> tuple[float, LogReader]:
    """Return the reader that a file's beginning is most like, and how much: 0 to 1."""
    readers: list[LogReader] = [variant() for variant in LOG_READERS]
    return max(((reader.likeness(head), reader) for reader in readers), key=lambda pair: pair[0])


def format_of(file: Path) -> str | None:
    """Return the format of a file that is surely a log; None where it may be something else."""
    likeness, reader = likeliest(head_of(file))
    return reader.name if likeness >= SURE else None


def is_log(given: Any, options: ReadOptions = USUAL) -> bool:
    """Return whether a file is a log; if not, it describes a cluster. A trace is a log, a system is none.

    Examples
    --------
    >>> is_log("examples/logs/small_cluster.swf"), is_log("examples/two_servers.toml")
    (True, False)
    """
    if not isinstance(given, (str, os.PathLike)):
        return isinstance(given, Trace)
    if options.format is not None or options.columns:
        return True
    file = Path(given)
    if _ending(file) in SPEC_ENDINGS + TABLE_ENDINGS:
        return _ending(file) in TABLE_ENDINGS
    try:
        head = head_of(file)
    except MsjError:
        return False
    likeness, _ = likeliest(head)
    return likeness >= SURE or (likeness >= LEAST and not is_spec(file, head))


def is_spec(file: Path, head: bytes) -> bool:
    """Return whether a file describes a cluster by its name, or looks so by its first line that is no comment."""
    return _ending(file) in SPEC_ENDINGS or SPEC_LINE.match(head) is not None


def _ending(file: Path) -> str:
    endings = [ending.lower() for ending in file.suffixes if ending.lower() not in PACKED]
    return endings[-1] if endings else ""
