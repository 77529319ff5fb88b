"""A cluster or a log, whichever is given or stands in a file (``logs.formats.is_log``)."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from msj.errors import InvalidInput, MsjError
from msj.logs.formats import USUAL, is_log
from msj.logs.reading import as_trace
from msj.logs.trace import Trace
from msj.model import System, spec_file
from msj.model.spec_file import SystemLike
from msj.options import ReadOptions


def as_system(given: SystemLike) -> System:
    """Return the system itself, or the one a file describes (:func:`msj.model.spec_file.as_system`); no log is one."""
    try:
        return spec_file.as_system(given)
    except MsjError:
        if isinstance(given, (str, os.PathLike)):
            refuse_log(given)
        raise


def system_or_trace(given: Any, options: ReadOptions = USUAL) -> System | Trace:
    """Return the cluster or the jobs that are given, or that a file holds; options for logs go with logs only."""
    if is_log(given, options):
        return as_trace(given, options)
    require_no_reading(options)
    return as_system(given)


def require_no_reading(options: ReadOptions) -> None:
    """Refuse options for logs where the file describes a cluster."""
    for one in fields(ReadOptions):
        if getattr(options, one.name) != getattr(USUAL, one.name):
            flag = (one.metadata["flags"] or (f"--{one.name.replace('_', '-')}",))[0]
            raise InvalidInput(f"{flag} is for logs, and this is a spec file; change the file instead")


def refuse_log(file: str | os.PathLike[str]) -> None:
    """Refuse a log where the description of a cluster is wanted."""
    if is_log(file):
        raise InvalidInput(
            "is a log, and this question is about the description of a cluster; msj log looks at it, msj report says "
            "all about it, msj replay serves its jobs again, msj fit makes a description of it"
        ).in_file(Path(file))
