"""Identity of the package's own code: part of every cache key, and what a worker must share with its client.

There is one list of packages (:data:`NOT_COMPUTING`). Everything that is not on it may change a number and belongs to
the identity, so a new package counts until it is listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msj.errors import InvalidInput
from msj.store.digest import digest

PACKAGE = Path(__file__).parent.parent
#: Packages and modules in which no number is computed: they ask, show, or decide where work runs. A verb that is
#: defined in one of them adds its own package to its identity.
NOT_COMPUTING = frozenset({"ask_again", "cli", "executors", "papers", "plots", "reports", "web"})
#: Libraries whose feature releases may change random numbers or digits.
LIBRARIES = ("numpy", "scipy")


def known_packages() -> tuple[str, ...]:
    """Return the names of the subpackages and of the modules that stand alone.

    Examples
    --------
    >>> "store" in known_packages(), "registry" in known_packages()
    (True, True)
    """
    folders = [entry.name for entry in PACKAGE.iterdir() if (entry / "__init__.py").exists()]
    return tuple(sorted([*folders, *(file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("__"))]))


def computing_code(*more: str) -> str:
    """Return the identity of all code that computes numbers, and of ``more`` packages.

    Examples
    --------
    >>> computing_code() == computing_code("model"), computing_code() == computing_code("reports")
    (True, False)
    """
    return code_identity([*(name for name in known_packages() if name not in NOT_COMPUTING), *more])


def worker_identity() -> str:
    """Return what a worker must have in common with its client: the code, and the libraries' feature releases.

    Figures of papers are computed by workers too, so their package counts.
    """
    return f"{computing_code('papers')} {' '.join(map(_feature_release, LIBRARIES))}"


def code_identity(packages: Sequence[str]) -> str:
    """Return a digest of the source files of some packages; read once in a process.

    Parameters
    ----------
    packages
        Subpackages or modules by name; their order does not matter.

    Examples
    --------
    >>> code_identity(["model", "disciplines"]) == code_identity(["disciplines", "model"])
    True
    """
    return _code_identity(tuple(sorted(set(packages))))


@cache
def _code_identity(packages: tuple[str, ...]) -> str:
    return digest([[name, file_digests(_files(name), PACKAGE)] for name in packages])


@cache
def _feature_release(library: str) -> str:
    try:
        return f"{library} {'.'.join(version(library).split('.')[:2])}"
    except PackageNotFoundError:
        return f"no {library}"


def file_digests(files: Iterable[Path], folder: Path) -> list[list[str]]:
    """Return each file's place in the folder and the digest of its bytes, in order of the places."""
    return sorted(
        [file.relative_to(folder).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()] for file in files
    )


def _files(package: str) -> list[Path]:
    found = list((PACKAGE / package).rglob("*.py")) or [file for file in [PACKAGE / f"{package}.py"] if file.exists()]
    if not found:
        raise InvalidInput(f"there is no package '{package}'; known: {', '.join(known_packages())}")
    return found
