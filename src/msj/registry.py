"""Catalogues: a folder whose files are the variants of one thing (duration laws, policies, models, analyses).

A variant named ``first-fit`` lives in ``first_fit.py``, which ends with ``VARIANT = FirstFit``. Dropping such a
file into the folder is all it takes: the spec reader, the command line, ``msj list`` and the contract tests ask the
catalogue. Names are read from the folder without importing anything, so listing them costs nothing.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from msj.errors import InvalidInput


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a closing half-sentence that suggests the name the user may have meant."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"known: {', '.join(known)}" if known else "none exist yet"


@dataclass(frozen=True)
class Catalogue:
    """The variants of one kind, one file each, in one package.

    A package may be shared by several kinds; then each variant says which it is (``VARIANT.kind``).
    ``own`` names the module of the package that makes a variant of what a user wrote himself (see ``users_own``).
    """

    kind: str
    package: str
    own: str = ""
    shared: bool = False

    def names(self) -> tuple[str, ...]:
        """Every variant's name, in alphabetical order."""
        return _names_of_kind(self.package, self.kind) if self.shared else _names(self.package)

    def get(self, name: str) -> Any:
        """Return the variant called ``name``; an unknown name is answered with the nearest one."""
        if name not in self.names():
            raise InvalidInput(f"unknown {self.kind} '{name}'; {nearest(str(name), self.names())}")
        return _variant(self.package, name)

    def users_own(self, given: Any) -> Any | None:
        """Return the variant that a user's function, or the text or table that names one, stands for; None if none."""
        return importlib.import_module(f"{self.package}.{self.own}").users_own(given) if self.own else None

    def __iter__(self) -> Iterator[Any]:
        return (self.get(name) for name in self.names())


@cache
def _names(package: str) -> tuple[str, ...]:
    folder = Path(__file__).parent.joinpath(*package.split(".")[1:])
    found = []
    for module in pkgutil.iter_modules([str(folder)]):
        # The folder's shared parts (the base class, the chooser) declare no variant.
        if "\nVARIANT = " in (folder / f"{module.name}.py").read_text(encoding="utf-8"):
            found.append(module.name.replace("_", "-"))
    return tuple(sorted(found))


@cache
def _names_of_kind(package: str, kind: str) -> tuple[str, ...]:
    return tuple(name for name in _names(package) if _variant(package, name).kind == kind)


def _variant(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.{name.replace('-', '_')}").VARIANT


DURATIONS = Catalogue(kind="duration law", package="msj.model.durations")
POLICIES = Catalogue(kind="policy", package="msj.disciplines", own="own_function", shared=True)
MODELS = Catalogue(kind="model", package="msj.disciplines", shared=True)
ANALYSES = Catalogue(kind="analysis", package="msj.analysis")
