"""Files of the user that a computation runs: policy files, and the folders that ``MSJ_PATH`` names.

A worker on another machine does not have them, or has other versions. So their contents travel with the work as plain
data (:func:`files_for`). The worker uses a file of its own where path and content agree, and a copy in a temporary
folder otherwise (:func:`files_in_place`). It never uses anything that the client does not have.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from msj.plugins import folders, use_folders
from msj.store.digest import digest

#: The contents of files by their place in a folder.
Contents: TypeAlias = dict[str, bytes]
#: What travels: ``{"folders": [[path, contents], ...], "policies": {path: [file, contents]}}``, plain data only.
UserFiles: TypeAlias = dict[str, Any]

_policies: dict[str, tuple[str, Contents]] = {}  # policy files read in this process: path as given, name, contents
_copies: dict[str, Path] = {}  # policy files of the client whose work runs now: path as given, readable file
_turn = threading.Condition()
_users = 0  # tasks that use the files in place
_in_place = ""  # identity of the files that were in place last
_folder: Path | None = None


def remember_policy(path: str | Path, folder: Path, files: Mapping[str, bytes]) -> None:
    """Remember the contents of a policy file, ``path`` as it was given, and of the modules beside it that it uses."""
    _policies[str(path)] = (str(folder / Path(path).name), dict(files))


def readable(path: str | Path) -> Path:
    """Return the file to read for a policy's path: the client's version while its work runs here."""
    return _copies.get(str(path), Path(path))


def msj_path_folders() -> list[Any]:
    """Return the folders of ``MSJ_PATH`` with the contents of their Python files."""
    return [
        [str(folder), {file.name: file.read_bytes() for file in sorted(folder.glob("*.py"))}] for folder in folders()
    ]


def files_for(payload: bytes, folders: list[Any]) -> UserFiles:
    """Return the files that a pickled task needs: ``MSJ_PATH``, and the policy files whose paths stand in it."""
    named = {path: [*each] for path, each in _policies.items() if path.encode() in payload}
    return {"folders": folders, "policies": named}


@contextmanager
def files_in_place(files: UserFiles) -> Iterator[None]:
    """Let this process use a client's files; work with other files waits until it has ended."""
    global _users, _in_place
    identity = digest(files)
    with _turn:
        _turn.wait_for(lambda: not _users or _in_place == identity)
        if not _users:
            _copies.clear()
            _copies.update(_policy_copies(files, identity))
            use_folders(_folder_copies(files, identity))
            _in_place = identity
        _users += 1
    try:
        yield
    finally:
        with _turn:
            _users -= 1
            if not _users:
                _copies.clear()
                use_folders(None)
            _turn.notify_all()


def _policy_copies(files: UserFiles, identity: str) -> Iterator[tuple[str, Path]]:
    for number, (path, (place, contents)) in enumerate(files["policies"].items()):
        if not _same(Path(place).parent, contents):
            yield path, _written(f"{identity}/policy{number}", contents) / Path(place).name
        else:
            yield path, Path(place)


def _folder_copies(files: UserFiles, identity: str) -> tuple[Path, ...]:
    return tuple(
        Path(folder) if _same(Path(folder), contents) else _written(f"{identity}/path{number}", contents)
        for number, (folder, contents) in enumerate(files["folders"])
    )


def _same(folder: Path, contents: Contents) -> bool:
    """Whether a folder of this machine has these files with these contents."""
    try:
        return all((folder / name).read_bytes() == content for name, content in contents.items())
    except OSError:
        return False


def _written(name: str, contents: Contents) -> Path:
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="msj-files-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    place = _folder / name
    if not place.is_dir():
        for file, content in contents.items():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_bytes(content)
    return place
