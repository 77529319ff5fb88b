"""Whose code it is: the user's, which may change from one run to the next, or that of an installed package.

Code of the standard library, of site-packages and of msj itself is known by its qualified name and version; the user's
own must be looked at.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any


def installed(module: ModuleType | None) -> str | None:
    """Return the name and version of the installed package a module belongs to; None if it is the user's.

    Examples
    --------
    >>> import builtins, numpy.random
    >>> installed(builtins), installed(numpy.random).startswith("numpy ")
    ('builtins', True)
    >>> installed(ModuleType("my_policies")) is None
    True
    """
    if module is None or module.__name__ == "__main__":
        return None
    if module.__name__ == "builtins":
        return "builtins"
    file = getattr(module, "__file__", None)
    if file is None:
        # Compiled into the interpreter; a notebook's or a test's own module without a file is the user's.
        return _package(module.__name__) if _frozen(module) else None
    return _package(module.__name__) if _in_an_installed_folder(os.fspath(file)) else None


def installed_as(value: Any) -> list[str] | None:
    """Return how an installed package calls something (module, qualified name, version); None if it does not."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", None))
    if isinstance(value, ModuleType) or not isinstance(name, str):
        return None
    if not isinstance(module, str):
        # numpy's own functions do not say where they live.
        module = "numpy" if type(value).__name__ == "ufunc" else ""
    package = installed(sys.modules.get(module))
    if package is None:
        return None
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part, None)
    return [module, name, package] if found is value else None


def _frozen(module: ModuleType) -> bool:
    return getattr(getattr(module, "__spec__", None), "origin", None) in ("frozen", "built-in")


@cache
def _package(module: str) -> str:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return f"Python {sys.version_info.major}.{sys.version_info.minor}"
    said = getattr(sys.modules.get(top), "__version__", None)
    if isinstance(said, str):
        return f"{top} {said}"
    try:
        return f"{top} {version(top)}"
    except PackageNotFoundError:
        return top


@cache
def _in_an_installed_folder(file: str) -> bool:
    here = Path(file).resolve()
    return any(here.is_relative_to(folder) for folder in _folders())


@cache
def _folders() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    named = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if key in paths]
    ours = str(Path(__file__).parent.parent)
    return tuple({Path(folder).resolve() for folder in (*named, *_site_folders(), ours)})


def _site_folders() -> list[str]:
    # Some embedded interpreters come without these functions.
    every: list[str] = getattr(site, "getsitepackages", list)()
    own: str = getattr(site, "getusersitepackages", str)()
    return [*every, *([own] if own else [])]
