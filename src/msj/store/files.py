"""Files that are whole at any moment: written beside their place, then moved there in one step.

One writer at a time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msj.errors import InvalidInput


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
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(
            f"'{place}' cannot be written ({error.strerror or error}); what was there is as it was"
        ) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def locked(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Be the only one who writes a file; a second one is told so. Nothing happens for None.

    Examples
    --------
    >>> with locked("answer"), locked("answer"):
    ...     pass
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: 'answer' is being written by another run; wait for it, or give another name
    """
    if path is None:
        yield
        return
    try:
        import fcntl
    except ImportError:  # elsewhere two writers take turns in overwriting each other, each time with a whole file
        yield
        return
    name = hashlib.sha256(os.fsencode(Path(path).absolute().resolve())).hexdigest()[:24]
    # Not beside the file, where it would be left lying about; the system lets go of it however the process ends.
    with open(Path(tempfile.gettempdir()) / f"msj-{os.getuid()}-{name}.lock", "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InvalidInput(
                f"'{os.fspath(path)}' is being written by another run; wait for it, or give another name"
            ) from None
        yield
