"""A function out of a user's file, ``FILE.py:FUNCTION``, read anew each time it is asked for.

The file runs as a module of its own, with its folder importable as for a script. Modules that such files bring along
are read anew too, so that an edit is seen and two folders may each have a ``helper.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import decode_source
from pathlib import Path
from types import ModuleType
from typing import Any

from msj.errors import BadFunction, InvalidInput
from msj.registry import nearest
from msj.store.user_files import readable, remember_policy

_brought: set[str] = set()  # modules imported by files read here, and by nobody else


def function_in_file(place: str) -> Callable[..., Any]:
    """Return the function that ``my_policy.py:pick`` names."""
    path, _, name = place.rpartition(":")
    try:
        found = _run(path)
    except InvalidInput:
        raise
    except OSError as error:
        raise BadFunction(f"policy file '{path}' cannot be read ({error.strerror}); check the path") from None
    except (Exception, SystemExit) as error:
        raise BadFunction(f"policy file '{path}' fails with {type(error).__name__}: {error}; correct it") from None
    functions = [key for key, value in found.items() if callable(value) and not key.startswith("_")]
    if name not in functions:
        raise InvalidInput(f"there is no function '{name}' in '{Path(path).name}'; {nearest(name, functions)}")
    function: Callable[..., Any] = found[name]
    return function


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
    sys.path.insert(0, str(folder))
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        del sys.modules[module.__name__]
        new = {name: found for name, found in sys.modules.items() if name not in before}
        _brought.update(name for name, found in new.items() if _lies_in(folder, found))


def _lies_in(folder: Path, module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)
