"""The identity of a function: a hash of all its answer depends on besides its arguments.

Its text and its bytecode (a file that was edited and not loaded again is neither the old nor the new version), its
defaults, the values of its closure, and the globals it names, in its own module or in other files of the user's,
followed as far as they go (``walk``). What cannot be compared from one run to the next, such as an object of some
class, leaves the function without identity, and the reason is said.

A function that finds its way in by other means (``getattr`` with a name made at run time, ``globals()``, files it
reads) depends on more than is seen here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msj.store.digest import digest
from msj.store.walk import NoIdentity, Walk, plain_function, wants


def function_identity(function: Callable[..., Any], *, text: bool = True) -> str | None:
    """Return a hash of all a function's answer depends on; None where something cannot be compared.

    Parameters
    ----------
    function
        A plain function, or one compiled by numba.
    text
        False leaves its source out: the same for two versions that differ in comments only. Enough to know whether
        something made from the function in this process is still up to date.

    Examples
    --------
    >>> def add(x, step=1):
    ...     return x + step
    >>> before = function_identity(add, text=False)
    >>> add.__defaults__ = (2,)
    >>> function_identity(add, text=False) == before
    False
    """
    try:
        return digest(_parts(function, text))
    except NoIdentity:
        return None


def function_parts(function: Callable[..., Any]) -> dict[str, str]:
    """Return the hashes the identity is made of, by what they stand for; empty where there is no identity.

    So that a sentence can say what has changed: "its body", "the global 'limit'", "the default of 'step'".
    """
    try:
        return _parts(function, True)
    except NoIdentity:
        return {}


def why_no_identity(function: Callable[..., Any]) -> str | None:
    """Return the reason if a function has no identity.

    Examples
    --------
    >>> unseen = {}
    >>> exec("def pick(): return 1", unseen)
    >>> why_no_identity(unseen["pick"])
    "'pick' has no source that can be read"
    """
    try:
        _parts(function, True)
    except NoIdentity as reason:
        return str(reason)
    return None


def compiled_helpers(function: Callable[..., Any]) -> list[Any]:
    """Return the user's compiled functions that a function calls, each after those it calls itself.

    They may have been compiled when a value they use was another one. Empty where nothing is known of the function.
    """
    plain, _ = plain_function(function)
    walk = Walk(text=False, root=plain)
    try:
        for label, value in () if plain is None else wants(plain):
            walk.value(value, "", label)
    except NoIdentity:
        pass  # what was found so far
    return walk.compiled


def class_identity(kind: type) -> str:
    """Return a hash of a class: its name and version if it is installed, else its methods, attributes and bases.

    Raises :class:`NoIdentity` where something in it cannot be compared.
    """
    return digest(Walk(text=True).value(kind, f"'{kind.__name__}'", "itself"))


def _parts(function: Callable[..., Any], text: bool) -> dict[str, str]:
    plain, around = plain_function(function)
    if plain is None:
        raise NoIdentity(f"'{getattr(function, '__name__', type(function).__name__)}' is no plain function")
    found = {"its body": digest(around, Walk(text=text).body(plain))}
    for label, value in wants(plain):
        # Each by itself, so that one that changes leaves the others' hashes as they were.
        found[label] = digest(Walk(text=text, root=plain).value(value, f"'{plain.__name__}'", label))
    return found
