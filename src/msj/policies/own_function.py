"""A user's own policy: one plain function in a file or a notebook.

The function decides as those of the other policies do (see ``base``). It is tried on a few small examples first, so
that a wrong signature or a decision that does not fit gets a sentence that says so.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from msj.errors import InvalidInput
from msj.policies.base import Policy, Serve
from msj.registry import nearest

FORM = "serve(needs, running, remaining, servers, chosen)"


@dataclass(frozen=True, kw_only=True)
class OwnFunction(Policy):
    """A policy made of a plain function.

    Parameters
    ----------
    function
        Marks who is served, as described in ``msj.policies.base``.
    preemptive
        Whether it may stop running jobs; if not, stopping one is an error.
    front
        How many of the oldest waiting jobs it needs to see; None shows all, at a cost that grows with the queue.
    """

    summary: ClassVar[str] = "a plain function of your own"
    citation: ClassVar[str] = ""

    function: Serve
    preemptive: bool = True
    front: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        try_out(self.function, self.name)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.source or getattr(self.function, "__name__", "own function")

    @property
    def serve(self) -> Serve:
        return self.function

    @classmethod
    def from_file(cls, place: str, **options: Any) -> OwnFunction:
        """Take the function from a file: ``my_policy.py:pick``."""
        path, _, name = place.rpartition(":")
        try:
            found = runpy.run_path(path)
        except OSError as error:
            raise InvalidInput(f"policy file '{path}' cannot be read ({error.strerror}); check the path") from None
        except Exception as error:
            raise InvalidInput(f"policy file '{path}' fails with {type(error).__name__}: {error}; correct it") from None
        functions = [key for key, value in found.items() if callable(value) and not key.startswith("_")]
        if name not in functions:
            raise InvalidInput(f"there is no function '{name}' in '{Path(path).name}'; {nearest(name, functions)}")
        return cls(function=found[name], source=place, **options)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # Functions from files are not importable: other processes read the file again.
        options = {"preemptive": self.preemptive, "front": self.front}
        if self.source:
            return _again, (self.source, options)
        return _made, ({"function": self.function, **options},)

    def to_spec(self) -> str:
        return self.name


def _again(source: str, options: dict[str, Any]) -> OwnFunction:
    return OwnFunction.from_file(source, **options)


def _made(fields: dict[str, Any]) -> OwnFunction:
    return OwnFunction(**fields)


def try_out(function: Any, name: str) -> None:
    """Call the function on small examples; say in words what is wrong with it."""
    for needs in ([], [1], [2, 1, 3, 1], [4, 4], [1, 1, 1, 1, 1, 1]):
        chosen = np.zeros(len(needs), dtype=np.bool_)
        asked = np.array(needs, dtype=np.int64)
        try:
            function(asked, np.zeros_like(chosen), np.ones(len(needs)), 4, chosen)
        except TypeError as error:
            raise InvalidInput(f"policy function '{name}' cannot be called ({error}); write it as {FORM}") from None
        except Exception as error:
            raise InvalidInput(
                f"policy function '{name}' fails with {type(error).__name__} ({error}) for needs {needs}; correct it"
            ) from None
        if asked[chosen].sum() > 4:
            raise InvalidInput(
                f"policy function '{name}' chose needs {asked[chosen].tolist()} for 4 servers; choose what fits"
            )
        if needs and not chosen.any():
            raise InvalidInput(
                f"policy function '{name}' serves nobody of needs {needs} on 4 idle servers; choose some"
            )
