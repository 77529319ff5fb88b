"""Compiled decision functions.

A function keeps its own parameters; kernels call all functions in one of two fixed forms, so that a kernel is compiled
once and cached. Between the two stands a few lines' adapter that is generated for the function's parameters:

- ``SIMULATED``: everything, as rows of three tables (whole numbers, flags, real numbers), of which the first ``count``
  columns hold jobs;
- ``KNOWN``: what a chain knows, as arrays; all else is ``UNREADABLE`` (``unreadable``), so that a function which
  compiles in this form uses nothing that the chain does not know.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import boolean, float64, int64, njit, typeof, types

from msj.decision_functions.arguments import ARGUMENTS, USUAL, DecisionFunction
from msj.decision_functions.unreadable import UNREADABLE, numba_type

# Rows of the tables.
NEEDS, CLASSES = range(2)  # whole
RUNNING, CHOSEN = range(2)  # flags
REMAINING, ESTIMATES, AGES, ARRIVALS = range(4)  # reals

_WHOLE, _FLAGS, _REALS = int64[::1], boolean[::1], float64[::1]
_GENERATOR: Any = typeof(np.random.Generator(np.random.SFC64(0)))  # type: ignore[no-untyped-call]
_UNREADABLE = numba_type()
_TYPES: dict[str, Any] = {
    "needs": _WHOLE,
    "classes": _WHOLE,
    "running": _FLAGS,
    "remaining": _REALS,
    "estimates": _REALS,
    "ages": _REALS,
    "arrivals": _REALS,
    "now": float64,
    "servers": int64,
    "free": int64,
    "rng": _GENERATOR,
    "chosen": _FLAGS,
}


@dataclass(frozen=True, eq=False)
class Form:
    """A fixed form in which kernels call decision functions.

    Parameters
    ----------
    parameters
        Of the adapter, in order, each with the compiler's type.
    values
        Arguments of decision functions as expressions of the parameters; those left out cannot be read.
    """

    parameters: Mapping[str, Any]
    values: Mapping[str, str]

    @property
    def function_type(self) -> Any:
        """The compiler's type of functions in this form."""
        return types.FunctionType(types.void(*self.parameters.values()))

    def type_of(self, argument: str) -> Any:
        """Return the compiler's type of an argument of decision functions."""
        return _TYPES[argument] if argument in self.values else _UNREADABLE


SIMULATED = Form(
    parameters={
        "whole": int64[:, ::1],
        "flags": boolean[:, ::1],
        "reals": float64[:, ::1],
        "count": int64,
        "servers": int64,
        "free": int64,
        "now": float64,
        "rng": _GENERATOR,
    },
    values={
        "needs": f"whole[{NEEDS}, :count]",
        "classes": f"whole[{CLASSES}, :count]",
        "running": f"flags[{RUNNING}, :count]",
        "chosen": f"flags[{CHOSEN}, :count]",
        "remaining": f"reals[{REMAINING}, :count]",
        "estimates": f"reals[{ESTIMATES}, :count]",
        "ages": f"reals[{AGES}, :count]",
        "arrivals": f"reals[{ARRIVALS}, :count]",
        **{name: name for name in ("servers", "free", "now", "rng")},
    },
)
_IN_CHAINS = ("needs", "classes", "running", "servers", "free", "chosen")
KNOWN = Form(
    parameters={name: _TYPES[name] for name in _IN_CHAINS},
    values={name: name for name in _IN_CHAINS},
)
FORMS = {"simulated": SIMULATED, "known": KNOWN}


@cache
def compile_decision(
    function: DecisionFunction,
    arguments: tuple[str, ...],
    form: str,
    version: str,  # noqa: ARG001 (part of the cache's key)
    checked: bool = False,
) -> Any:
    """Compile a decision function for one of :data:`FORMS`; what the compiler has against it is raised.

    Parameters
    ----------
    function, arguments
        The function and the arguments it wants.
    form
        Which of :data:`FORMS`.
    version
        Tells apart what the function does at different times: the compiler turns globals into constants.
    checked
        Whether an index beyond the ends of an array is an error; else it reads or writes other memory.
    """
    found = FORMS[form]
    compiled: Any = function if hasattr(function, "py_func") else njit(function, boundscheck=checked)
    compiled.compile(tuple(_parameter_types(function, arguments, found)))
    by_position = arguments is USUAL
    given = ", ".join(("" if by_position else f"{name}=") + found.values.get(name, "unreadable") for name in arguments)
    text = f"def decide({', '.join(found.parameters)}):\n    serve({given})\n"
    names: dict[str, Any] = {"serve": compiled, "unreadable": UNREADABLE}
    exec(text, names)
    return njit(found.function_type.signature)(names["decide"])


def _parameter_types(function: DecisionFunction, arguments: tuple[str, ...], form: Form) -> list[Any]:
    try:
        parameters = inspect.signature(function).parameters.items()
    except (TypeError, ValueError):
        return [form.type_of(name) for name in arguments]
    return [form.type_of(name) if name in ARGUMENTS else _omitted(given.default) for name, given in parameters]


def _omitted(default: Any) -> Any:
    return types.Omitted(default)  # type: ignore[no-untyped-call]
