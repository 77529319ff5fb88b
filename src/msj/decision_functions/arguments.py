"""The calling convention of decision functions: arguments are passed by name.

A decision function names the arguments it wants, in any order; only those are passed. It sees the jobs present in order
of arrival, the oldest first, and sets ``chosen[i] = True`` for each job to serve now::

    def serve(needs, classes, running, servers, chosen): ...

A parameter with a default that is no argument of the table keeps its default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from msj.errors import BadFunction
from msj.registry import nearest

DecisionFunction: TypeAlias = Callable[..., None]

#: What a decision function may name among its parameters, and what it gets. Arrays have one entry per job.
ARGUMENTS: dict[str, str] = {
    "needs": "servers the job needs",
    "classes": "index of its class, from 0, in the order of the file",
    "running": "whether the job is in service now",
    "remaining": "service time the job still needs",
    "estimates": "its estimated run time; its duration where there is no estimate",
    "ages": "time since it arrived",
    "arrivals": "when it arrived",
    "now": "the time (a number)",
    "servers": "number of servers (a number)",
    "free": "servers that no job in service holds (a number)",
    "rng": "the policy's own random stream, a numpy.random.Generator",
    "chosen": "all False; set chosen[i] = True for each job to serve now",
}
#: The form that functions without a readable signature are called in, by position.
USUAL = ("needs", "running", "remaining", "servers", "chosen")
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@cache
def decision_arguments(function: DecisionFunction, name: str) -> tuple[str, ...]:
    """Return the arguments that a decision function wants, in the order of its parameters.

    Parameters
    ----------
    function
        The decision function, plain or compiled.
    name
        What an error calls it.

    Examples
    --------
    >>> def by_age(needs, ages, chosen, servers, limit=3): ...
    >>> decision_arguments(by_age, "by_age")
    ('needs', 'ages', 'chosen', 'servers')
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function that Python knows nothing about
        return USUAL
    names = []
    for argument, parameter in parameters.items():
        if parameter.kind in _VARIADIC:
            raise BadFunction(
                f"policy function '{name}' takes '{parameter}'; arguments are passed by name, so name those it uses: "
                f"{', '.join(ARGUMENTS)}"
            )
        if argument in ARGUMENTS:
            names.append(argument)
        elif parameter.default is inspect.Parameter.empty:
            hint = nearest(argument, ARGUMENTS)
            listed = "" if hint.startswith("known") else f" ({', '.join(ARGUMENTS)})"
            raise BadFunction(f"policy function '{name}' has an unknown argument '{argument}'; {hint}{listed}")
    if "chosen" not in names:
        raise BadFunction(
            f"policy function '{name}' has no argument 'chosen', in which it marks the jobs to serve; add it"
        )
    return tuple(names)


def call_decision(function: DecisionFunction, arguments: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Call a decision function with those of the values that it wants."""
    if arguments is USUAL:
        function(*(values[name] for name in USUAL))
    else:
        function(**{name: values[name] for name in arguments})
