"""A slip in a compiled loop, tried in a process that has imported everything: nothing stale of it may be used.

Numba keeps compiled loops on the disk by the file they stand in, and a loop holds those that it calls. So when the code
of one function is exchanged, that function and all that call it, directly or not, are compiled anew, and neither read
from the disk nor kept there. Who calls whom is read from the names that functions use.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType, FunctionType
from typing import Any

from numba.core import caching
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError


def compile_anew(changed: Iterable[FunctionType], functions: list[FunctionType], dispatchers: list[Dispatcher]) -> bool:
    """Make whatever is compiled from changed functions be compiled again; return whether what was so before can be."""
    stale = callers_of(changed, functions)
    _keep_nothing_of(stale)
    compiled = {each: list(each.overloads) for each in dispatchers if each.py_func in stale and each.overloads}
    for each in compiled:
        each._make_finalizer()()
        each._reset_overloads()
        each._can_compile = True
    try:
        for each, signatures in compiled.items():
            for signature in signatures:
                each.compile(signature)
    except NumbaError:
        return False
    return True


def callers_of(changed: Iterable[FunctionType], functions: list[FunctionType]) -> set[FunctionType]:
    """Return functions and all that call them, as far as their names in a module tell."""
    users: dict[int, list[FunctionType]] = {}
    for each in functions:
        for name in _names(each.__code__):
            used = each.__globals__.get(name)
            used = getattr(used, "py_func", used)
            if isinstance(used, FunctionType):
                users.setdefault(id(used), []).append(each)
    found, new = set(changed), list(changed)
    while new:
        more = [each for each in users.get(id(new.pop()), ()) if each not in found]
        found.update(more)
        new += more
    return found


def _names(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _keep_nothing_of(stale: set[FunctionType]) -> None:
    load, save = caching.Cache.load_overload, caching.Cache.save_overload

    def loaded(self: Any, *given: Any) -> Any:
        return None if self._py_func in stale else load(self, *given)

    def saved(self: Any, *given: Any) -> Any:
        return None if self._py_func in stale else save(self, *given)

    caching.Cache.load_overload, caching.Cache.save_overload = loaded, saved
