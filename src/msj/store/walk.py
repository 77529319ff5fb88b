"""A walk over all that a function depends on, written down as plain data.

Every function, module and class of the user's is visited once; a second meeting is written as the number of the
first, so that functions that call each other come to an end. What belongs to an installed package is known by its name
and version.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from msj.errors import InvalidInput
from msj.store.digest import canonical
from msj.store.origins import installed, installed_as
from msj.store.sources import PLAIN, attributes_of, bytecode, globals_of, imports_of, is_all, source_of


class NoIdentity(Exception):
    """Something that cannot be compared from one run to the next; the sentence says what."""


def plain_function(function: Any) -> tuple[FunctionType | None, Any]:
    """Return the plain function inside a compiled one, and how it was compiled."""
    inner = getattr(function, "py_func", None)
    if isinstance(inner, FunctionType):
        options = getattr(function, "targetoptions", {})
        return inner, ["compiled", sorted([str(key), str(value)] for key, value in options.items())]
    return (function, "plain") if isinstance(function, FunctionType) else (None, None)


def wants(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield all that a function uses besides its arguments, with a word for it: defaults, closure, globals."""
    code = function.__code__
    defaults = function.__defaults__ or ()
    for name, value in zip(code.co_varnames[: code.co_argcount][-len(defaults) :], defaults, strict=False):
        yield f"the default of '{name}'", value
    for name, value in sorted((function.__kwdefaults__ or {}).items()):
        yield f"the default of '{name}'", value
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield f"the closure variable '{name}'", _contents(cell)
    for name in sorted(vars(function).keys() & set(attributes_of(code))):
        yield f"the attribute '{name}'", vars(function)[name]
    for name in globals_of(code):
        if name in function.__globals__:
            yield f"the global '{name}'", function.__globals__[name]
        elif not hasattr(builtins, name):
            yield f"the global '{name}'", _Missing
    for name in imports_of(code):
        if name not in sys.modules:
            raise NoIdentity(f"'{function.__name__}' imports '{name}' when it is called; import it outside")
        yield f"the module '{name}'", sys.modules[name]


class _Missing:
    """Stands for a name without a value."""


class Walk:
    """Writes down one thing after the other.

    Parameters
    ----------
    text
        Whether sources count, or only what they do.
    root
        The function the walk begins at.
    """

    def __init__(self, *, text: bool, root: FunctionType | None = None) -> None:
        self.text = text
        self.compiled: list[Any] = []  # functions compiled by numba, those that others call first
        self._met: dict[Any, int] = {}
        self._kept: list[Any] = []  # alive, so that no other object takes over an id
        self._in_class = 0  # methods made by a decorator (a dataclass's) have no text: what they do is enough
        self._names: tuple[str, ...] = ()  # that the function being visited looks up in its modules
        if root is not None:
            self._seen(root)
            self._names = attributes_of(root.__code__)

    def _seen(self, thing: Any, name: str = "") -> bool:
        """Return whether the thing (or the name in a module) was met before, and remember it."""
        if (id(thing), name) in self._met:
            return True
        self._met[id(thing), name] = len(self._met)
        self._kept.append(thing)
        return False

    def _again(self, thing: Any, name: str = "") -> Any:
        return ["again", self._met[id(thing), name]]

    def body(self, function: FunctionType) -> Any:
        """Write down what the function does: its source, if sources count, else its bytecode.

        Where the source does not say it all (a file that was edited and not loaded again, a closure), the bytecode
        counts too; else it does not, since every version of Python has another.
        """
        text = source_of(function) if self.text else ""
        if text is None and not self._in_class:
            raise NoIdentity(f"'{function.__name__}' has no source that can be read")
        return [text, None if text and is_all(text, function) else bytecode(function.__code__)]

    def value(self, value: Any, owner: str, label: str) -> Any:
        """Write down a value; ``owner`` uses it as ``label``, for the sentence if it cannot be compared."""
        try:
            return self._value(value, owner, label)
        except RecursionError:
            raise NoIdentity(f"{owner} uses {label}, which is nested too deeply to be compared") from None

    def _value(self, value: Any, owner: str, label: str) -> Any:
        if type(value) in PLAIN:
            return [type(value).__name__, str(value) if isinstance(value, range) or value is ... else value]
        name = installed_as(value)
        if name is not None:
            return ["installed", *name]
        if isinstance(value, (np.generic, np.ndarray)) and type(value).__module__.startswith("numpy"):
            return self._array(value, owner, label)
        if isinstance(value, Enum):
            inside = [value.name, self._value(value.value, owner, label)]
            return ["member", self._value(type(value), owner, label), *inside]
        if isinstance(value, (list, tuple, dict, set, frozenset)):
            return self._container(value, owner, label)
        if isinstance(value, ModuleType):
            return self._module(value, owner, label)
        if isinstance(value, type):
            return self._class(value, owner, label)
        return self._callable(value, owner, label)

    def _array(self, value: Any, owner: str, label: str) -> Any:
        try:
            return [type(value).__name__, canonical(np.asarray(value))]
        except InvalidInput:
            raise NoIdentity(f"{owner} uses {label}, an array of objects, whose values cannot be compared") from None

    def _container(self, value: Any, owner: str, label: str) -> Any:
        kind: type = type(value)
        named = isinstance(value, tuple) and hasattr(value, "_fields")
        if kind not in (list, tuple, dict, set, frozenset) and not named:
            raise NoIdentity(f"{owner} uses {label}, a {kind.__name__}, whose value cannot be compared")
        # In the order they come: whoever goes through a table may depend on it. Sets have none to depend on.
        items = [pair for item in value.items() for pair in item] if isinstance(value, dict) else list(value)
        inside = label if label.startswith("an item of") else f"an item of {label}"
        written = [self._value(item, owner, inside) for item in items]
        return [kind.__qualname__, sorted(written, key=canonical) if isinstance(value, (set, frozenset)) else written]

    def _module(self, module: ModuleType, owner: str, label: str) -> Any:
        package = installed(module)
        if package is not None:
            return ["installed", module.__name__, package]
        file = getattr(module, "__file__", None)
        try:
            source = hashlib.sha256(Path(file).read_bytes()).hexdigest() if self.text and file else ""
        except OSError:
            raise NoIdentity(f"{owner} uses {label}, whose file '{file}' cannot be read") from None
        # The file says what was written, the values what is loaded: it may have been edited or changed since.
        found = [
            [name, self._again(module, name)]
            if self._seen(module, name)
            else [name, self._value(vars(module)[name], owner, f"'{name}' of {label}")]
            for name in self._names
            if name in vars(module)
        ]
        return ["module", source, found]

    def _class(self, kind: type, owner: str, label: str) -> Any:
        if self._seen(kind):
            return self._again(kind)
        bases = [self._value(base, owner, label) for base in (*kind.__bases__, type(kind))]
        members = [[m.name, self._value(m.value, owner, label)] for m in kind] if issubclass(kind, Enum) else []
        self._in_class += 1
        own = [
            [name, self._member(value, owner, f"'{name}' of {label}")]
            for name, value in sorted(vars(kind).items())
            if _is_own(name, value) and (isinstance(value, FunctionType) or not issubclass(kind, Enum))
        ]
        self._in_class -= 1
        return ["class", kind.__qualname__, bases, members, own]

    def _member(self, value: Any, owner: str, label: str) -> Any:
        """Write down what stands in a class; a function that only checks another counts as the one it checks."""
        value = getattr(value, "__checked__", value)
        if isinstance(value, (staticmethod, classmethod)):
            return [type(value).__name__, self._member(value.__func__, owner, label)]
        if isinstance(value, property):
            return ["property", *(self._member(part, owner, label) for part in (value.fget, value.fset, value.fdel))]
        if isinstance(value, functools.cached_property):
            return ["cached_property", self._member(value.func, owner, label)]
        return self._value(value, owner, label)

    def _callable(self, value: Any, owner: str, label: str) -> Any:
        function, around = plain_function(value)
        if function is not None:
            new = (id(function), "") not in self._met
            written = [around, self._function(function)]
            if new and function is not value:
                self.compiled.append(value)
            return written
        if isinstance(value, MethodType):
            return ["method", self._value(value.__func__, owner, label), self._value(value.__self__, owner, label)]
        if isinstance(value, functools.partial):
            inside = [value.func, value.args, value.keywords]
            return ["partial", *(self._value(part, owner, label) for part in inside)]
        if isinstance(value, functools._lru_cache_wrapper):
            return ["cached", self._value(value.__wrapped__, owner, label)]
        if isinstance(value, BuiltinMethodType) and isinstance(value.__self__, type):
            return ["method", value.__name__, self._value(value.__self__, owner, label)]
        raise NoIdentity(f"{owner} uses {label}, a {type(value).__name__}, whose value cannot be compared")

    def _function(self, function: FunctionType) -> Any:
        if self._seen(function):
            return self._again(function)
        outer, self._names = self._names, attributes_of(function.__code__)
        owner = f"'{function.__name__}'"
        parts = [[label, self._value(value, owner, label)] for label, value in wants(function)]
        self._names = outer
        return ["function", self.body(function), parts]


def _is_own(name: str, value: Any) -> bool:
    """Whether a class's entry is something its author wrote, not what Python keeps there."""
    if isinstance(value, FunctionType):
        return True
    kept = name.startswith("__") and name.endswith("__")
    return not kept and name != "_abc_impl" and not inspect.ismemberdescriptor(value)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a variable that has no value yet
        return _Missing
