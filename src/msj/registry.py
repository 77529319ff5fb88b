"""Catalogues: a folder whose files are the variants of one thing (duration and arrival laws, policies, analyses).

A variant named ``first-fit`` lives in ``first_fit.py``, which ends with ``VARIANT = FirstFit``. Dropping such a
file into the folder is all it takes: the spec reader, the command line, ``msj list`` and the contract tests ask the
catalogue. Names are read from the folder without importing anything, so listing them costs nothing.

Files in the folders that ``MSJ_PATH`` names are variants too (``plugins``). They belong to the catalogue whose ``base``
their class derives from, and may not take the name of one that is there already. A file that cannot be used is listed
as broken (``Catalogue.broken``); its name gives the reason, and all other names work as if the file were not there.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from msj.errors import InvalidInput
from msj.plugins import (
    MARK,
    VARIABLE,
    Broken,
    beside,
    file_digest,
    file_of,
    files,
    name_of,
    named_in,
    unusable_files,
    variant_in,
)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a closing half-sentence that suggests the name the user may have meant.

    Capitals and underscores do not matter, and the beginning of one name only is enough.

    Examples
    --------
    >>> nearest("EASY", ["easy-backfilling", "fcfs"])
    "did you mean 'easy-backfilling'?"
    """
    import difflib  # here, so that msj --help answers at once

    known = list(known)
    meant = name.strip().casefold().replace("_", "-")
    folded = {other.casefold().replace("_", "-"): other for other in known}
    begun = [other for other in folded if meant and other.startswith(meant)]
    close = begun if meant in folded or len(begun) == 1 else difflib.get_close_matches(meant, folded, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{folded[meant if meant in folded else close[0]]}'?"
    return f"known: {', '.join(known)}" if known else "none exist yet"


@dataclass(frozen=True)
class Catalogue:
    """The variants of one kind, one file each, in one package.

    Parameters
    ----------
    kind
        What a variant is called in sentences.
    package
        Where the files are.
    shared
        Whether the package holds other kinds too; then each variant says which it is (``VARIANT.kind``).
    own
        The module of the package that makes a variant of what a user wrote himself (see ``users_own``).
    joint
        The module of the package that makes one variant of several (see ``combined``).
    base
        The class all variants derive from, ``MODULE:CLASS``; without one, files on ``MSJ_PATH`` are not looked at.
    named_by
        The attribute with which a variant says its name.
    """

    kind: str
    package: str
    shared: bool = False
    own: str = ""
    joint: str = ""
    base: str = ""
    named_by: str = "name"

    def names(self) -> tuple[str, ...]:
        """Every variant's name, in alphabetical order, without those of broken files."""
        return tuple(sorted((*self._built_in(), *self.added())))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield each variant with its name, in alphabetical order; no broken file stands in the way of another."""
        added = self.added()
        for name in sorted((*self._built_in(), *added)):
            yield name, self._added(added[name]) if name in added else _variant(self.package, name)

    def get(self, name: str) -> Any:
        """Return the variant called ``name``.

        An unknown name is an error that names the nearest one; the name of a broken file is an error with its reason,
        even if msj has a variant of that name: the user's own may be meant.
        """
        file = file_of(name) if self.base and isinstance(name, str) else None
        added = self._added(file) if file is not None else None
        if added is not None:
            return added
        # Only the one asked for is imported.
        found = _variant(self.package, name) if name in _names(self.package) else None
        if found is None or (self.shared and found.kind != self.kind):
            raise InvalidInput(f"unknown {self.kind} '{name}'; {nearest(str(name), self.names())}")
        return found

    def added(self) -> dict[str, Path]:
        """Return the variants that are on ``MSJ_PATH``, each with its file; without broken ones."""
        return self._sorted_out()[0]

    def broken(self) -> tuple[Broken, ...]:
        """Return the files on ``MSJ_PATH`` that are broken, with the reason: those of this kind or of none yet."""
        return self._sorted_out()[1]

    def users_own(self, given: Any) -> Any | None:
        """Return the variant that a user's function, or the text or table that names one, stands for; None if none."""
        return importlib.import_module(f"{self.package}.{self.own}").users_own(given) if self.own else None

    def combined(self, variants: Iterable[Any]) -> Any:
        """Return the one variant that several stand for together."""
        return importlib.import_module(f"{self.package}.{self.joint}").combined(tuple(variants))

    def __iter__(self) -> Iterator[Any]:
        return (variant for _, variant in self.items())

    def _built_in(self) -> tuple[str, ...]:
        """Return the names of msj's own variants; a shared package has to be imported to tell its kinds apart."""
        names = _names(self.package)
        return tuple(name for name in names if _variant(self.package, name).kind == self.kind) if self.shared else names

    def _sorted_out(self) -> tuple[dict[str, Path], tuple[Broken, ...]]:
        """Return the variants of this kind on ``MSJ_PATH``, by name, and the files that are broken."""
        if not self.base:
            return {}, ()
        added, broken = {}, [*unusable_files()]
        for name, file in files().items():
            try:
                if self._added(file) is not None:
                    added[name] = file
            except InvalidInput as error:
                broken.append(Broken(name, file, str(error)))
        return added, tuple(sorted(broken, key=lambda each: (each.name, each.file)))

    def _added(self, file: Path) -> Any | None:
        """Return the variant in a file on ``MSJ_PATH`` if it is of this kind, checked; None if it is of another."""
        variant = variant_in(file)
        if variant is None or not self._is_one(variant):
            if variant is not None and not any(other._is_one(variant) for other in OPEN):
                bases = " or ".join(catalogue.base.replace(":", ".") for catalogue in OPEN)
                raise InvalidInput(f"{VARIABLE}: VARIANT in '{file}' is {variant!r}; derive it from {bases}")
            return None
        name, said = name_of(file), getattr(variant, self.named_by, None)
        if name in _names(self.package):
            raise InvalidInput(f"{VARIABLE}: '{file}' takes the name of msj's own {self.kind} '{name}'; rename it")
        if said != name:
            raise InvalidInput(
                f"{VARIABLE}: the {self.kind} in '{file}' calls itself {said!r}; "
                f"set {self.named_by} = '{name}', or rename the file"
            )
        lacking = [*sorted(getattr(variant, "__abstractmethods__", ())), *_without_value(variant)]
        if lacking:
            raise InvalidInput(f"{VARIABLE}: {self.kind} '{name}' in '{file}' lacks {', '.join(lacking)}; add it")
        return variant

    def _is_one(self, variant: Any) -> bool:
        """Return whether a class is of this kind. It can only be if it has imported the base."""
        module, _, name = self.base.partition(":")
        base = getattr(sys.modules.get(module), name, None)
        return isinstance(variant, type) and isinstance(base, type) and issubclass(variant, base)


def _without_value(variant: type) -> list[str]:
    """Return the class constants that a variant's bases require and that nobody sets (``summary``, ``citation``)."""
    required = {
        name: None
        for base in variant.__mro__
        for name, annotation in inspect.get_annotations(base).items()
        if "ClassVar" in str(annotation)
    }
    return [name for name in required if not hasattr(variant, name)]


def _variant(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.{name.replace('-', '_')}").VARIANT


@cache
def _names(package: str) -> tuple[str, ...]:
    folder = Path(__file__).parent.joinpath(*package.split(".")[1:])
    # The folder's shared parts (the base class, the chooser) declare no variant.
    return tuple(sorted(name_of(file) for file in folder.glob("*.py") if MARK in file.read_text(encoding="utf-8")))


DURATIONS = Catalogue(
    kind="duration law",
    package="msj.model.durations",
    base="msj.model.durations.base:Duration",
    named_by="law",
)
ARRIVALS = Catalogue(
    kind="arrival law",
    package="msj.model.arrivals",
    base="msj.model.arrivals.base:Arrivals",
    named_by="law",
)
ORDERS = Catalogue(kind="order of jobs", package="msj.model.orders", base="msj.model.orders.base:Order", named_by="law")
POLICIES = Catalogue(
    kind="policy", package="msj.disciplines", shared=True, own="own_function", base="msj.disciplines.base:Policy"
)
MODELS = Catalogue(
    kind="model", package="msj.disciplines", shared=True, joint="combined", base="msj.disciplines.model:Model"
)
ENVIRONMENTS = Catalogue(
    kind="environment", package="msj.model.environments", base="msj.model.environments.base:Environment"
)
ANALYSES = Catalogue(kind="analysis", package="msj.analysis", base="msj.analysis.base:Analysis")
LOG_READERS = Catalogue(kind="log format", package="msj.logs.readers")


def variant_of_file(file: Path) -> tuple[Catalogue, Any]:
    """Return the catalogue that the variant in a file belongs to, and the variant; what is wrong with it is raised."""
    with beside(file.parent):
        for catalogue in OPEN:
            variant = catalogue._added(file.absolute())
            if variant is not None:
                return catalogue, variant
    raise InvalidInput(f"'{file}' has no VARIANT = ...; add it")


def files_behind(question: Any) -> dict[str, str]:
    """Return the files on ``MSJ_PATH`` that an answer may depend on: each variant's name and a hash of its file.

    Those that the question, as plain data, names; and every analysis, as each is asked whether it applies.
    """
    analyses = {name: file_digest(file) for name, file in ANALYSES.added().items()}
    return named_in(question) | analyses


#: The catalogues to which files on ``MSJ_PATH`` can add.
OPEN = (DURATIONS, ARRIVALS, ORDERS, POLICIES, MODELS, ENVIRONMENTS, ANALYSES)
