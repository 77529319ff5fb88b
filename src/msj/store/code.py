"""The package's own code as part of what an answer depends on: after an edit nothing is answered from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from msj.errors import InvalidInput
from msj.store.digest import digest

PACKAGE = Path(__file__).parent.parent


def known_rooms() -> tuple[str, ...]:
    """Return the names of the package's rooms: its folders, and its modules that stand alone.

    Examples
    --------
    >>> "store" in known_rooms(), "registry" in known_rooms()
    (True, True)
    """
    folders = [entry.name for entry in PACKAGE.iterdir() if (entry / "__init__.py").exists()]
    return tuple(sorted([*folders, *(file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("__"))]))


def code_identity(rooms: Sequence[str]) -> str:
    """Return a digest of the source files of some rooms of the package; read once in a process.

    Parameters
    ----------
    rooms
        Folders or modules of the package by name; their order does not matter.

    Examples
    --------
    >>> code_identity(["model", "disciplines"]) == code_identity(["disciplines", "model"])
    True
    """
    return _code_identity(tuple(sorted(set(rooms))))


@cache
def _code_identity(rooms: tuple[str, ...]) -> str:
    return digest([[room, file_digests(_files(room), PACKAGE)] for room in rooms])


def file_digests(files: Iterable[Path], folder: Path) -> list[list[str]]:
    """Return each file's place in the folder and the digest of its bytes, in order of the places."""
    return sorted(
        [file.relative_to(folder).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()] for file in files
    )


def _files(room: str) -> list[Path]:
    found = list((PACKAGE / room).rglob("*.py")) or [file for file in [PACKAGE / f"{room}.py"] if file.exists()]
    if not found:
        raise InvalidInput(f"the package has no room '{room}'; its rooms: {', '.join(known_rooms())}")
    return found
