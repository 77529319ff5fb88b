"""Files that have no end are refused before they are read: /dev/zero would fill the memory first."""

from __future__ import annotations

import stat
from pathlib import Path

from msj.errors import InvalidInput


def require_an_end(path: Path, what: str) -> None:
    """Refuse a device; a regular file and a pipe come to an end, and one that does not exist is said by who reads it.

    Examples
    --------
    >>> require_an_end(Path("/dev/zero"), "file = '/dev/zero'")
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: file = '/dev/zero' is a device, which may never end; give a file
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise InvalidInput(f"{what} is a device, which may never end; give a file")
