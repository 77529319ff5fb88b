"""The outcome of a trial: its tests, each with its deviation and its limit, and notes on what was not tested."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msj.errors import BadLaw
from msj.model.outside import call, name_of

#: The random numbers of trials: a stream of its own, so that a trial is repeatable and no run depends on it.
SEED = np.random.SeedSequence(20_240_611)

SURE = "a correct law fails this test with probability below 1e-6"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One test: what it compares, the deviation, and the limit that a correct law does not exceed."""

    name: str
    deviation: float
    limit: float


@dataclass(kw_only=True)
class Trial:
    """The tests of one law so far.

    Parameters
    ----------
    law
        The law.
    checks
        Tests that it passed.
    notes
        Sentences on what could not be tested.
    """

    law: Any
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def largest(self) -> float:
        """The largest deviation over its limit."""
        return max((check.deviation / check.limit for check in self.checks), default=0.0)

    def require(self, name: str, deviation: float, limit: float, message: str) -> None:
        """Record a test; refuse the law with ``message`` if the deviation exceeds its limit."""
        if not deviation <= limit:
            raise self.refusal(message)
        self.checks.append(Check(name=name, deviation=deviation, limit=limit))

    def refusal(self, message: str) -> BadLaw:
        """Return the error whose sentence begins with the law."""
        return BadLaw(f"{name_of(self.law)} {message}")

    def declared(self, name: str, *arguments: Any) -> Any:
        """Return what the law declares: an attribute, or what a method returns for ``arguments``."""
        shown = f"{name}({', '.join(map(_short, arguments))})" if arguments else name

        def value() -> Any:
            found = getattr(self.law, name)
            return found(*arguments) if callable(found) else found

        return call(self.law, shown, value)

    def number(self, name: str, *arguments: Any) -> float:
        """Return a declared number; what is no number is refused."""
        found = self.declared(name, *arguments)
        try:
            return float(found)
        except (TypeError, ValueError):
            raise self.refusal(
                f"declares {name} = {found!r}; it must be a number; correct {type(self.law).__name__}.{name}"
            ) from None

    def note(self, what: str, reason: str) -> None:
        """Add a sentence on a test that is not possible."""
        name = name_of(self.law)
        self.notes.append(f"{name[0].upper()}{name[1:]}: {what} not compared with its samples, because {reason}.")


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else "names" if isinstance(value, tuple) else "x"
