"""Variants from files outside the package, in the folders that the environment variable ``MSJ_PATH`` names.

``MSJ_PATH`` holds one or more folders (separated as in ``PATH``); the current one only if it is named. A file there
that ends in ``VARIANT = ...`` is a variant as those inside the package are. Which catalogue it belongs to, its class
says by what it derives from (``registry``).

The files run as modules of a package ``msj_path``, which exists only in memory: another process finds them again by
the same name, and one may import another (``from .helper import ...``). They are compiled anew from their text each
time they have changed, so that an edit is never missed.

A file that cannot be used is :class:`Broken`: it is left out, with its reason, and the other files are not affected.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from msj.errors import InvalidInput, MsjError

VARIABLE = "MSJ_PATH"
PACKAGE = "msj_path"
MARK = "\nVARIANT = "

_versions: dict[Path, str] = {}  # digests of the files that run as modules now
_being_read: set[Path] = set()
_in_use: tuple[Path, ...] | None = None  # folders of the client whose work runs here, in place of MSJ_PATH


def folders() -> tuple[Path, ...]:
    """Return the folders that MSJ_PATH names; empty places in it name none."""
    if _in_use is not None:
        return _in_use
    found = []
    for entry in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        folder = Path(entry).expanduser().absolute()
        if not folder.is_dir():
            raise InvalidInput(f"{VARIABLE} names '{entry}', which is no folder; correct or unset {VARIABLE}")
        if folder not in found:
            found.append(folder)
    return tuple(found)


@dataclass(frozen=True)
class Broken:
    """A file on MSJ_PATH that cannot be used, the name its variant would have, and the reason."""

    name: str
    file: Path
    reason: str


def use_folders(found: tuple[Path, ...] | None) -> None:
    """Look for variants in these folders in place of MSJ_PATH; None: in MSJ_PATH again.

    Modules that were read from elsewhere, or whose files have changed, are forgotten.
    """
    global _in_use
    _in_use = found
    for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
        file = Path(getattr(sys.modules[name], "__file__", None) or "")
        here = found is None or file.parent in found
        if not here or not file.is_file() or _versions.get(file) not in (None, file_digest(file)):
            del sys.modules[name]


def any_folders() -> bool:
    """Return whether there is a folder of variants."""
    return bool(os.environ.get(VARIABLE)) if _in_use is None else bool(_in_use)


def files() -> dict[str, Path]:
    """Return the files on MSJ_PATH that declare a variant, by the variant's name; without unusable ones."""
    return _scan()[0]


def unusable_files() -> tuple[Broken, ...]:
    """Return the files on MSJ_PATH that cannot be read or have no unique name of their own."""
    return _scan()[1]


def _scan() -> tuple[dict[str, Path], tuple[Broken, ...]]:
    """Return the files that declare a variant, by its name, and those that cannot be used whatever they declare."""
    by_name: dict[str, list[Path]] = {}
    broken = []
    for file in (file for folder in folders() for file in sorted(folder.glob("*.py")) if not file.is_dir()):
        name = name_of(file)
        try:
            declares = declares_variant(file)
        except InvalidInput as error:
            broken.append(Broken(name, file, str(error)))
            continue
        if declares and not file.stem.isidentifier():
            reason = f"{VARIABLE}: '{file}' has no Python name; use letters, digits and _ only"
            broken.append(Broken(name, file, reason))
        elif declares:
            by_name.setdefault(name, []).append(file)
    for name, same in by_name.items():
        if len(same) > 1:
            listed = " and ".join(f"'{file}'" for file in same)
            reason = f"{VARIABLE} has {len(same)} files for '{name}', {listed}; rename all but one"
            broken += [Broken(name, file, reason) for file in same]
    return {name: same[0] for name, same in by_name.items() if len(same) == 1}, tuple(broken)


def declares_variant(file: Path) -> bool:
    """Return whether a file ends in ``VARIANT = ...``."""
    return MARK in _text(file)


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Let files of a folder be found as if ``MSJ_PATH`` named it first."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = os.pathsep.join(filter(None, (str(folder.absolute()), before)))
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def file_of(name: str) -> Path | None:
    """Return the file on MSJ_PATH that declares the variant of that name; an unusable file is an error."""
    if not any_folders():
        return None
    usable, broken = _scan()
    reason = next((each.reason for each in broken if each.name == name), None)
    if reason is not None and name not in usable:
        raise InvalidInput(reason)
    return usable.get(name)


def name_of(file: Path) -> str:
    """Return what the variant in a file must be called.

    Examples
    --------
    >>> name_of(Path("shortest_first.py"))
    'shortest-first'
    """
    return file.stem.replace("_", "-")


def variant_in(file: Path) -> Any:
    """Return the variant that a file declares, as the file is now; None while the file is being read.

    A mistake in the file is told with its line.
    """
    if file in _being_read:
        return None
    module, version = f"{PACKAGE}.{file.stem}", file_digest(file)
    if _versions.get(file) != version or not _runs(module, file):
        sys.modules.pop(module, None)
        _being_read.add(file)
        try:
            importlib.import_module(module)
        except MsjError as error:
            raise InvalidInput(f"{_place(file, error)}: {error}") from None
        except (Exception, SystemExit) as error:
            raise InvalidInput(_told(file, error)) from None
        finally:
            _being_read.discard(file)
        if not _runs(module, file):
            other = sys.modules[module].__file__
            raise InvalidInput(f"{VARIABLE}: '{other}' stands in front of '{file}'; rename one")
        _versions[file] = version
    if not hasattr(sys.modules[module], "VARIANT"):
        raise InvalidInput(f"{VARIABLE}: '{file}' sets no VARIANT; write VARIANT = ... outside of functions and texts")
    return sys.modules[module].VARIANT


def _runs(module: str, file: Path) -> bool:
    """Return whether the module of that name is this file: another folder may have one of the same name."""
    return getattr(sys.modules.get(module), "__file__", None) == str(file)


def file_digest(file: Path) -> str:
    """Return a hash of what a file says now."""
    import hashlib

    return hashlib.sha256(_bytes(file)).hexdigest()[:24]


def named_in(document: Any) -> dict[str, str]:
    """Return the variants on MSJ_PATH whose names stand anywhere in plain data, each with the digest of its file.

    A question names what it uses: policies, models and laws, as a spec file or an option does.
    """
    if not any_folders():
        return {}
    known = files()
    return {name: file_digest(known[name]) for name in sorted({*_texts(document)} & known.keys())}


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for item in document.values():
            yield from _texts(item)
    elif isinstance(document, (list, tuple)):
        for item in document:
            yield from _texts(item)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{VARIABLE}: '{file}' cannot be read ({error.strerror}); check the file") from None


def _text(file: Path) -> str:
    return _bytes(file).decode("utf-8", errors="replace").replace("\r\n", "\n")


def mistake_in_a_file(error: Exception) -> str | None:
    """Return a sentence if an error was raised by a line of a file on MSJ_PATH; None if it came from elsewhere."""
    if not _versions:
        return None
    *_, (last, _) = _steps(error)
    return _told(last, error) if last in _versions else None


def _told(file: Path, error: BaseException) -> str:
    said = error.msg if isinstance(error, SyntaxError) else error
    return f"{_place(file, error)}: {type(error).__name__}: {said}; correct the file"


def _place(file: Path, error: BaseException) -> str:
    """Say which file, and which of its lines an error came from."""
    lines = [line for place, line in _steps(error) if place == file]
    line = error.lineno if isinstance(error, SyntaxError) else (lines or [None])[-1]
    return f"{VARIABLE}: '{file}'" + ("" if line is None else f", line {line}")


def _steps(error: BaseException) -> Iterator[tuple[Path, int | None]]:
    """Yield the files and lines an error came through, the one that raised it last."""
    step = error.__traceback__
    while step is not None:
        yield Path(step.tb_frame.f_code.co_filename), step.tb_lineno
        step = step.tb_next


class _FromText(SourceFileLoader):
    """Compiles the file's text each time: nothing is kept beside the user's file, and no old version is taken."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder:
    """Finds the package ``msj_path`` and its modules."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        package, _, stem = fullname.rpartition(".")
        if fullname == PACKAGE:
            return ModuleSpec(PACKAGE, None, is_package=True)
        if package == PACKAGE:
            from importlib.util import spec_from_file_location  # here, so that msj --help answers at once

            for folder in folders():
                file = folder / f"{stem}.py"
                if file.is_file():
                    return spec_from_file_location(fullname, file, loader=_FromText(fullname, str(file)))
        return None


sys.meta_path.append(_Finder())
