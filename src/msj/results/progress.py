"""How far a computation is: one shape for every callback, from a curve of ten loads to a run of a billion jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    if watch is None:
        return ignore

    def part(now: Progress) -> None:
        said = ": ".join(text for text in (words, now.words) if text)
        watch(Progress(done=low + (high - low) * min(max(now.done, 0.0), 1.0), words=said, notice=now.notice))

    return part
