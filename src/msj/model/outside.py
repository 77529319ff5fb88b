"""Laws that are defined outside the package, and checks of every block of numbers they draw.

A law is from outside if its class is not defined in the package ``msj``: a file on ``MSJ_PATH``, a module or a notebook
of the user. The base classes register such classes when they are defined and put a check around the method that draws.
The check covers shape and type of what is returned, negative, infinite and NaN values, and exceptions. Laws of the
package are not touched and pay nothing. Whether the samples agree with what a law declares is tested once
(``model.trials``).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from msj.errors import BadLaw, MsjError

CHECKED = "__checked__"  # attribute of a checking function: the function that it checks
Returned = TypeVar("Returned")

_kinds: dict[type, str] = {}  # the classes from outside that exist, each with what its kind is called


def from_outside(kind: type) -> bool:
    """Return whether a class is defined outside the package.

    Examples
    --------
    >>> from msj import Exponential
    >>> from_outside(Exponential), from_outside(type("Mine", (), {"__module__": "__main__"}))
    (False, True)
    """
    return kind.__module__.partition(".")[0] != "msj"


def any_from_outside() -> bool:
    """Return whether any class of laws from outside exists in this process."""
    return bool(_kinds)


def register(law: type, kind: str, method: str = "", check: Callable[[Any], Any] | None = None) -> None:
    """Register a class of laws if it is from outside, and put ``check`` around its ``method``.

    ``kind`` is what messages call such laws ("duration law").
    """
    if not from_outside(law):
        return
    _kinds[law] = kind
    function: Any = getattr(law, method, None)
    if check is None or hasattr(function, CHECKED) or getattr(function, "__isabstractmethod__", False):
        return
    wrapped = functools.wraps(function)(check(function))
    setattr(wrapped, CHECKED, function)
    setattr(law, method, wrapped)


def name_of(law: Any) -> str:
    """Return how messages name a law: its kind and its name."""
    kind = next((_kinds[base] for base in type(law).__mro__ if base in _kinds), "law")
    named = getattr(law, "law", None)
    return f"{kind} '{named if isinstance(named, str) else type(law).__name__}'"


def call(law: Any, what: str, function: Callable[..., Returned], *arguments: Any) -> Returned:
    """Return ``function(*arguments)``, code of a law from outside; an exception becomes one sentence."""
    try:
        return function(*arguments)
    except MsjError:
        raise
    except Exception as error:
        step = error.__traceback__.tb_next if error.__traceback__ is not None else None
        line = "" if step is None else f" (line {step.tb_lineno})"
        raise BadLaw(
            f"{name_of(law)}: {what} raised {type(error).__name__}: {error}{line}; "
            f"it must return a value for every argument; correct {type(law).__name__}.{what.partition('(')[0]}"
        ) from None


def check_sample(method: Callable[..., Any]) -> Callable[..., NDArray[np.float64]]:
    """Return ``Duration.sample`` with a check of what it returns."""

    def sample(self: Any, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        drawn = as_numbers(self, "sample", call(self, f"sample(rng, {size})", method, self, rng, size), size)
        require_times(self, "sample", drawn)
        return drawn

    return sample


def check_sampler(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``Arrivals.sampler`` with a check of each block that its sampler draws."""

    def sampler(self: Any, rate: float, rng: np.random.Generator, names: Any) -> Any:
        from msj.model.checked_sampler import CheckedSampler  # here: it derives from a class that imports this module

        inner = call(self, f"sampler({rate:g}, rng, names)", method, self, rate, rng, names)
        return CheckedSampler.of(self, inner, len(names) if self.marks_classes else 0)

    return sampler


def as_numbers(law: Any, method: str, returned: Any, size: int) -> NDArray[np.float64]:
    """Return what a method returned as ``size`` floats in one dimension; anything else is refused."""
    try:
        array = np.asarray(returned)
    except ValueError:
        array = np.empty((), dtype=object)
    if array.shape != (size,):
        got = "an array of shape " + str(array.shape) if array.ndim else f"a {type(returned).__name__}"
        raise BadLaw(
            f"{name_of(law)}: {method} returned {got} where {size} values were asked for; it must return one array "
            f"of {size} numbers in one dimension; correct {type(law).__name__}.{method}"
        )
    if array.dtype.kind not in "fiu":
        raise BadLaw(
            f"{name_of(law)}: {method} returned values of type {array.dtype}, such as {array[0]!r}; they must be real "
            f"numbers (float64); correct {type(law).__name__}.{method}"
        )
    return array.astype(np.float64, copy=False)


def require_times(law: Any, method: str, values: NDArray[np.float64], what: str = "durations") -> None:
    """Refuse negative, infinite and NaN values."""
    if not values.size or (values.min() >= 0 and values.max() < math.inf):  # a NaN fails both
        return
    place = int(np.flatnonzero(~((values >= 0) & (values < math.inf)))[0])
    raise BadLaw(
        f"{name_of(law)}: {method} drew {values[place]:g} (value {place + 1:,} of {values.size:,}); {what} must be "
        f"finite and not negative; correct {type(law).__name__}.{method}"
    )
