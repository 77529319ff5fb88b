"""A policy's function as compiled code, with the values it uses now.

The compiler turns the globals of a function into constants. A user may change such a value at any moment, so a function
of his own is compiled anew for every version of it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from msj.disciplines.base import Policy, Serve
from msj.disciplines.own_function import OwnFunction


def compiled_function(policy: Policy, signature: Any) -> Any:
    """Compile the function of a policy for a signature of numba's, once for each version of it.

    Whatever the compiler has against the function is raised as it comes.
    """
    if not isinstance(policy, OwnFunction):
        return _compiled(policy.serve, signature, "")
    version = policy.version()
    # What cannot be compared is never taken from before.
    return (_compiled if version is not None else _compiled.__wrapped__)(policy.serve, signature, str(version))


@cache
def _compiled(serve: Serve, signature: Any, version: str) -> Any:
    from numba import njit

    return njit(signature)(serve)
