"""A function out of a user's file, ``FILE.py:FUNCTION``, read anew each time it is asked for.

Reading it runs the code in it: a spec file that names a function file runs code when it is read. The file runs as a
module of its own. Its folder is importable, after everything that is installed. Modules that such files bring along are
read anew too, so that an edit is seen and two folders may each have a ``helper.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import decode_source
from pathlib import Path
from types import ModuleType
from typing import Any

from msj.errors import BadFunction, InvalidInput
from msj.registry import nearest
from msj.store.user_files import readable, remember_policy

#: Called with each file before it runs, where somebody is to be asked; it raises to refuse.
_confirm: ContextVar[Callable[[Path], None] | None] = ContextVar("confirm", default=None)
_brought: set[str] = set()  # modules imported by files read here, and by nobody else


def function_in_file(place: str) -> Callable[..., Any]:
    """Return the function that ``my_policy.py:pick`` names."""
    path, _, name = place.rpartition(":")
    functions = functions_in_file(path)
    if name not in functions:
        raise InvalidInput(f"there is no function '{name}' in '{Path(path).name}'; {nearest(name, functions)}")
    return functions[name]


def functions_in_file(path: str | Path) -> dict[str, Callable[..., Any]]:
    """Run a file and return the functions (and classes) in it, by name; those that begin with _ are left out."""
    confirm = _confirm.get()
    if confirm is not None:
        confirm(Path(path))
    try:
        found = _run(path)
    except InvalidInput:
        raise
    except OSError as error:
        raise BadFunction(f"policy file '{path}' cannot be read ({error.strerror}); check the path") from None
    except (Exception, SystemExit) as error:
        raise BadFunction(f"policy file '{path}' fails with {type(error).__name__}: {error}; correct it") from None
    return {key: value for key, value in found.items() if callable(value) and not key.startswith("_")}


@contextmanager
def confirming(confirm: Callable[[Path], None]) -> Iterator[None]:
    """Call ``confirm`` with every function file before it is run."""
    before = _confirm.set(confirm)
    try:
        yield
    finally:
        _confirm.reset(before)


def _run(path: str | Path) -> dict[str, Any]:
    # Absolute, so that the source is found again whatever folder the program goes to.
    file = readable(path).absolute()
    content = file.read_bytes()
    code = compile(decode_source(content), str(file), "exec", dont_inherit=True)
    module = ModuleType(f"<{file.name}>")
    module.__file__ = str(file)
    with _importable(file.parent, module):
        exec(code, module.__dict__)
    remember_policy(path, file.parent, {file.name: content, **_beside(file.parent, module)})
    return dict(module.__dict__)


def _beside(folder: Path, module: ModuleType) -> dict[str, bytes]:
    """Return the modules in a policy's folder that its file imports, with what they say."""
    named = {name for value in vars(module).values() if (name := getattr(value, "__module__", None)) is not None}
    named |= {value.__name__ for value in vars(module).values() if isinstance(value, ModuleType)}
    found = {}
    for name in named | _brought:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and Path(file).suffix == ".py" and Path(file).is_relative_to(folder):
            found[Path(file).relative_to(folder).as_posix()] = Path(file).read_bytes()
    return found


@contextmanager
def _importable(folder: Path, module: ModuleType) -> Iterator[None]:
    for name in _brought:
        sys.modules.pop(name, None)
    _brought.clear()
    before = set(sys.modules)
    added = str(folder) not in sys.path
    if added:
        sys.path.append(str(folder))  # last: a numpy.py beside the file is not taken for numpy
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        if added:
            sys.path.remove(str(folder))
        del sys.modules[module.__name__]
        new = {name: found for name, found in sys.modules.items() if name not in before}
        _brought.update(name for name, found in new.items() if _lies_in(folder, found))


def _lies_in(folder: Path, module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)
