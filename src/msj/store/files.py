"""Files that are whole at any moment: written beside their place, then moved there in one step."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text (UTF-8, line ends as they are); whoever reads the file sees the old one or the new one, whole."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write bytes; whoever reads the file sees the old one or the new one, whole.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "answer", b"42")
    ...     [(file.name, file.read_bytes()) for file in Path(folder).iterdir()]
    [('answer', b'42')]
    """
    place = Path(path)
    # A name of its own: two processes may write the same file at the same time.
    part = place.with_name(f"{place.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
        os.replace(part, place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
