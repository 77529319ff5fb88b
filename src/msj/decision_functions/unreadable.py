"""Stand-ins for values that a chain does not know: whatever reads one is noticed.

The chain of a policy knows which jobs are present and which run, but not how long they have waited or how much of their
service is left. A decision function may name such an argument and not use it. Using it (an element, a comparison, a
method) sets ``used`` and raises, so that a function that catches all exceptions is noticed too.

For compiled functions there is one constant, :data:`UNREADABLE`, of a type that has no operations: a function that
compiles with it uses no such value on any path.
"""

from __future__ import annotations

from typing import Any, NoReturn


class UnreadableValue(Exception):
    """A decision function used a value that a chain does not know; the message is the argument's name."""


class Unreadable:
    """One argument of a decision function that must not be used.

    Parameters
    ----------
    name
        Which argument it stands for.

    Examples
    --------
    >>> remaining = Unreadable("remaining")
    >>> remaining[0] < 3
    Traceback (most recent call last):
    ...
    msj.decision_functions.unreadable.UnreadableValue: remaining
    >>> remaining.used
    True
    """

    __slots__ = ("name", "used")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "used", False)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        object.__setattr__(self, "used", True)
        raise UnreadableValue(self.name)

    def __getattr__(self, attribute: str) -> NoReturn:
        self._refuse()

    __setattr__ = __delattr__ = _refuse
    __getitem__ = __setitem__ = __delitem__ = __contains__ = __iter__ = __reversed__ = __len__ = _refuse
    __bool__ = __int__ = __float__ = __complex__ = __index__ = __round__ = __trunc__ = _refuse
    __floor__ = __ceil__ = __call__ = __str__ = __format__ = __array__ = __array_ufunc__ = _refuse
    __array_function__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __eq__ = __ne__ = _refuse
    __add__ = __sub__ = __mul__ = __matmul__ = __truediv__ = __floordiv__ = __mod__ = __divmod__ = __pow__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rmatmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _refuse
    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = __lshift__ = __rshift__ = _refuse
    __neg__ = __pos__ = __abs__ = __invert__ = __copy__ = __deepcopy__ = __reduce_ex__ = _refuse


class _UnreadableConstant:
    """The one value that compiled functions get for what a chain does not know."""


UNREADABLE = _UnreadableConstant()


def numba_type() -> Any:
    """Return the compiler's type of :data:`UNREADABLE`; it is known to the compiler from then on."""
    from numba import types
    from numba.extending import typeof_impl

    @typeof_impl.register(_UnreadableConstant)
    def typeof(value: Any, context: Any) -> Any:  # noqa: ARG001
        return unreadable

    unreadable = types.Dummy("unreadable")
    return unreadable
