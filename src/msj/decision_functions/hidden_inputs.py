"""What a decision function may depend on besides its arguments: random numbers of its own, and state it keeps.

Random numbers come from the argument ``rng``, a stream of the run. Others would give another answer each time, and a
chain would be built from one draw of them. They are found by name: in the function, and in the functions of the user's
that it calls. State is found by comparing what the function depends on (globals, closure, defaults, attributes) before
and after it was called.
"""

from __future__ import annotations

import dis
import random
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from msj.store import function_parts
from msj.store.origins import installed_as
from msj.store.walk import plain_function

_MODULES = ("random", "numpy.random", "secrets")
_STREAMS = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)


def random_source(function: Callable[..., Any]) -> str | None:
    """Return the source of random numbers that a function names, or a function of the user's that it calls.

    Examples
    --------
    >>> def pick(needs, chosen):
    ...     chosen[np.random.randint(len(needs))] = True
    >>> random_source(pick)
    "'numpy.random' in 'pick'"
    """
    for user, source in _named(function, set()):
        return f"'{source}' in '{user}'"
    return None


def _named(function: Any, met: set[int]) -> Iterator[tuple[str, str]]:
    """Yield (function, source of random numbers) for a function and those of the user's that it calls."""
    plain, _ = plain_function(function)
    if plain is None or id(plain) in met:
        return
    met.add(id(plain))
    yield from ((plain.__name__, name) for name in _imported(plain.__code__) if name in _MODULES)
    for value in (*(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values(), *_loaded(plain)):
        source = _source(value)
        if source is not None:
            yield plain.__name__, source
        elif installed_as(value) is None:
            yield from _named(value, met)


def _loaded(function: FunctionType) -> Iterator[Any]:
    """Yield the values that a function loads by name, and those that it looks up in modules by way of them."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    known = function.__globals__ | {name: cell.cell_contents for name, cell in cells.items() if _is_set(cell)}
    for code in _codes(function.__code__):
        value: Any = None
        for step in dis.get_instructions(code):
            if step.opname.startswith(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE")):
                value = known.get(step.argval)
            elif step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")) and isinstance(value, ModuleType):
                value = getattr(value, step.argval, None)
            else:
                value = None
            yield value


def _imported(code: CodeType) -> Iterator[str]:
    """Yield the modules that a function imports when it is called."""
    for part in _codes(code):
        module = ""
        for step in dis.get_instructions(part):
            if step.opname == "IMPORT_NAME":
                module = step.argval
                yield module
            elif step.opname == "IMPORT_FROM":
                yield f"{module}.{step.argval}"


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _is_set(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # a variable that has no value yet
        return False


def _source(value: Any) -> str | None:
    """Return the name of the source of random numbers that a value is; None if it is none."""
    if isinstance(value, _STREAMS):
        return type(value).__name__
    if isinstance(value, ModuleType):
        return value.__name__ if value.__name__ in _MODULES else None
    owner = getattr(value, "__self__", None)
    if isinstance(owner, _STREAMS):
        return "random" if isinstance(owner, random.Random) else "numpy.random"
    return None


def state_kept(before: dict[str, str], function: Callable[..., Any]) -> str | None:
    """Return what a function changed when it was called, given its :func:`~msj.store.function_parts` before that.

    None if it changed nothing, or if what it depends on cannot be compared.
    """
    after = function_parts(function)
    return next((label for label, digest in before.items() if after.get(label) != digest), None)
