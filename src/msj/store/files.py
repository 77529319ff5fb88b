"""Files that are whole at any moment, and have one writer at a time.

A file is written beside its place and moved there in one step: whoever reads sees the old one or the new one, and
whatever ends the writer (Ctrl-C, a kill, a full disk, a machine that stops) leaves the old one.

A lock is the operating system's (``flock``), held on a small file beside the place. It ends with the process that
holds it, however that ends, so there is no stale lock to remove by hand. Where the system has none (Windows), nothing
is locked.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from msj.errors import InvalidInput

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PathLike: TypeAlias = str | os.PathLike[str]


class Locked(InvalidInput):
    """Somebody else is writing here."""


def write_text(path: PathLike, text: str) -> None:
    """Write a text (UTF-8, line ends as they are); whoever reads the file sees the old one or the new one, whole."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: PathLike, content: bytes) -> None:
    """Write bytes; whoever reads the file sees the old one or the new one, whole.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "answer", b"42")
    ...     [(file.name, file.read_bytes()) for file in Path(folder).iterdir()]
    [('answer', b'42')]
    """
    write_atomically(path, lambda file: file.write(content))


def write_atomically(path: PathLike, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that takes its place only when it is whole and on the disk.

    Parameters
    ----------
    path
        The file; what is there is replaced in one step, or kept if anything goes wrong.
    write
        Given the new file, open for bytes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "answer"
    ...     write_atomically(place, lambda file: file.writelines([b"4", b"2"]))
    ...     place.read_bytes()
    b'42'
    """
    place = Path(path)
    # A name of its own: two processes may write the same file at the same time.
    part = place.with_name(f"{place.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())  # a full disk, or one across a network, may say so only now
        os.replace(part, place)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise not_written(place, error) from error
        raise


def not_written(place: Path, error: OSError) -> InvalidInput:
    """Return the sentence for a file that could not be written."""
    if not place.absolute().parent.is_dir():
        return InvalidInput(f"'{place}' is in a folder that does not exist; make it first")
    kept = "; what was there is kept" if place.exists() else ""
    reason = error.strerror or type(error).__name__
    return InvalidInput(f"'{place}' cannot be written ({reason}){kept}; make room, or give another place")


@contextmanager
def lock(path: PathLike) -> Iterator[None]:
    """Be the only one who writes a file or a folder; a second writer, in this process or another, is refused at once.

    Every writer must ask; readers need not.

    Parameters
    ----------
    path
        What is written; it need not exist. The lock is ``path.lock`` beside it, gone when it is given back.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, lock(Path(folder) / "run"):
    ...     try:
    ...         with lock(Path(folder) / "run"):
    ...             pass
    ...     except Locked as error:
    ...         print("is being written by process" in str(error))
    True
    """
    place = Path(path)
    if fcntl is None:
        yield
        return
    file, beside = _locked(place), place.with_name(f"{place.name}.lock")
    try:
        yield
    finally:
        # Removed while it is still ours, so that nobody's but our own goes.
        with suppress(OSError):
            beside.unlink()
        os.close(file)


def _locked(place: Path) -> int:
    beside = place.with_name(f"{place.name}.lock")
    while True:
        try:
            file = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise not_written(place, error) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The one before us may have removed the file between our opening and our locking it.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), os.stat(beside)):
                    os.truncate(file, 0)
                    os.write(file, str(os.getpid()).encode())
                    return file
        except BlockingIOError:
            holder = os.pread(file, 20, 0).decode(errors="replace") or "?"
            os.close(file)
            raise Locked(
                f"'{place}' is being written by process {holder}; wait until it has ended, or give another place"
            ) from None
        except BaseException:
            os.close(file)
            raise
        os.close(file)
