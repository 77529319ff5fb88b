"""How much may be spent on an answer, and who is told how far it is: one object for every long computation.

Exact methods state their cost in operations and bytes (:class:`Cost`), never in seconds, so that the same method is
chosen on every machine. Simulations are bounded by jobs or by a precision. A deadline and a way to cancel hold for
both: whoever works asks ``effort.over`` between steps and stops with what there is; nothing is thrown at him.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a computation stands.

    Parameters
    ----------
    done
        Share of the whole that is done, 0 to 1; as far as one can tell.
    words
        What is being done, or how far it is: ``64 servers``, ``1,000,000 jobs, ± 2 %``.
    notice
        Something people should know even where no bar is shown: compiling, a chain that takes a minute.
    """

    done: float
    words: str
    notice: bool = False


#: What every long computation takes as ``progress``.
Watch: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a method would spend on a system: floating-point operations, and bytes held at once."""

    operations: float
    bytes: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(operations=self.operations + other.operations, bytes=max(self.bytes, other.bytes))


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What may be spent; what is None or infinite is not limited.

    Parameters
    ----------
    operations, bytes
        Most of an exact method that was not asked for by name: about ten seconds of one core, and memory.
    jobs, precision
        Of a simulation: the most jobs, and the relative half-width of the mean response time at which it may stop.
    until
        The moment, by ``time.monotonic()``, at which work should end with what there is.
    cancel
        Asked between steps whether to stop.
    progress
        Told how far it is.
    """

    operations: float = 5e10
    bytes: float = 6e9
    jobs: int | None = None
    precision: float | None = None
    until: float = math.inf
    cancel: Callable[[], bool] | None = None
    progress: Watch | None = None

    @classmethod
    def lasting(cls, seconds: float, **limits: object) -> Effort:
        """Return an effort that ends so many seconds from now."""
        return cls(until=time.monotonic() + seconds, **limits)  # type: ignore[arg-type]

    @property
    def over(self) -> bool:
        """Whether to stop now with what there is."""
        return time.monotonic() >= self.until or (self.cancel is not None and self.cancel())

    def allows(self, cost: Cost) -> bool:
        """Return whether an exact method of this cost is worth it unasked."""
        return cost.operations <= self.operations and cost.bytes <= self.bytes

    def tell(self, done: float, words: str = "", *, notice: bool = False) -> None:
        """Say how far it is."""
        if self.progress is not None:
            self.progress(Progress(done=done, words=words, notice=notice))

    def part(self, low: float, high: float, words: str = "") -> Effort:
        """Return the effort for a part of the work, whose 0 to 1 is ``low`` to ``high`` of the whole."""
        watch = within(self.progress, low, high, words)
        return self if self.progress is None else replace(self, progress=watch)

    def replace(self, **changes: object) -> Effort:
        """Return a copy with some limits changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


#: What is spent where nobody says.
USUAL = Effort()


def ignore(_: Progress) -> None:
    """Watch nothing."""


def within(watch: Watch | None, low: float, high: float, words: str = "") -> Watch:
    """Return a watch for a part of the work, whose 0 to 1 is ``low`` to ``high`` of the whole.

    Examples
    --------
    >>> seen = []
    >>> within(seen.append, 0.5, 1.0, "64 servers")(Progress(done=0.5, words="1,000 jobs"))
    >>> seen[0].done, seen[0].words
    (0.75, '64 servers: 1,000 jobs')
    """
    if not 0.0 <= low <= high <= 1.0:
        raise ValueError(f"a part from {low} to {high} is no part of the whole, 0 to 1")
    if watch is None:
        return ignore

    def part(now: Progress) -> None:
        said = ": ".join(text for text in (words, now.words) if text)
        watch(Progress(done=low + (high - low) * min(max(now.done, 0.0), 1.0), words=said, notice=now.notice))

    return part
