"""The text of a function, its bytecode, and the names in it."""

from __future__ import annotations
import __future__ as futures

import dis
import inspect
import linecache
import textwrap
import tokenize
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from msj.store.digest import canonical

PLAIN = (type(None), bool, int, float, complex, str, bytes, Fraction, range, type(Ellipsis))
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def source_of(function: FunctionType) -> str | None:
    """Return the function's text as it stands in its file (or notebook) now; None where it cannot be read."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        found = inspect.getblock(lines[code.co_firstlineno - 1 :]) if lines else inspect.getsource(code)
    except (OSError, TypeError, IndexError, SyntaxError, tokenize.TokenError):
        found = []
    return textwrap.dedent("".join(found)) or None


def is_all(text: str, function: FunctionType) -> bool:
    """Return whether the text, compiled by itself, is what the function does now."""
    code = function.__code__
    try:
        postponed = code.co_flags & futures.annotations.compiler_flag  # its file may say so
        module = compile(text, code.co_filename, "exec", flags=postponed, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    alike = [part for part in module.co_consts if isinstance(part, CodeType) and part.co_name == code.co_name]
    return len(alike) == 1 and bytecode(alike[0]) == bytecode(code)


def bytecode(code: CodeType) -> Any:
    """Write down a code object with those inside it as plain data; where it stands in the file does not matter."""
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    counts = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags]
    table = getattr(code, "co_exceptiontable", b"")
    return [code.co_name, code.co_code, table, names, counts, [_constant(value) for value in code.co_consts]]


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return ["code", bytecode(value)]
    if isinstance(value, (tuple, frozenset)):
        inside = [_constant(item) for item in value]
        return [type(value).__name__, sorted(inside, key=canonical) if isinstance(value, frozenset) else inside]
    return [type(value).__name__, value if type(value) in PLAIN and value is not ... else repr(value)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


@lru_cache(maxsize=1024)
def globals_of(code: CodeType) -> tuple[str, ...]:
    """Return the names a code object, or one inside it, looks for among the globals."""
    return _arguments(code, LOADS)


@lru_cache(maxsize=1024)
def imports_of(code: CodeType) -> tuple[str, ...]:
    """Return the modules it imports when it runs."""
    return _arguments(code, ("IMPORT_NAME",))


@lru_cache(maxsize=1024)
def attributes_of(code: CodeType) -> tuple[str, ...]:
    """Return every name it looks up anywhere: among the globals, or as an attribute of something."""
    return tuple(sorted({name for part in _codes(code) for name in part.co_names}))


def _arguments(code: CodeType, operations: tuple[str, ...]) -> tuple[str, ...]:
    found = {step.argval for part in _codes(code) for step in dis.get_instructions(part) if step.opname in operations}
    return tuple(sorted(found))
