"""Independent calls, spread over workers and gathered in order: what simulations, plans and fits share.

Every call is a deterministic function of its arguments, so a call whose worker died is made again elsewhere.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from msj.effort import Effort
from msj.executors.loop import Loop
from msj.executors.workers import Workers, workers

STRIKES = 4  # workers that may die over a call


@dataclass(kw_only=True)
class Call:
    """One call under way."""

    index: int
    call: tuple[Any, ...]
    claims: AbstractContextManager[Any] = field(default_factory=ExitStack)


class Calls(Loop[Call]):
    """Makes calls; ``found`` has their values by place."""

    tell_after: ClassVar[float] = math.inf  # whoever asks says how far it is

    def __init__(self, calls: Sequence[tuple[Any, ...]], effort: Effort) -> None:
        super().__init__(effort)
        self.calls = calls
        self.waiting = deque(range(len(calls)))
        self.found: dict[int, Any] = {}
        self.strikes: Counter[int] = Counter()

    @property
    def more(self) -> bool:
        """Whether a call was not begun."""
        return bool(self.waiting)

    def next_task(self, slots: int) -> Call | None:  # noqa: ARG002  a call is a task, however many workers there are
        """Return the next call."""
        if not self.waiting:
            return None
        index = self.waiting.popleft()
        return Call(index=index, call=self.calls[index])

    def take(self, found: Sequence[tuple[Call, Any]]) -> None:
        """Keep values."""
        self.found.update((task.index, value) for task, value in found)

    def lost(self, task: Call, error: BaseException) -> None:
        """Make a call again whose worker died, but not for ever; an error of the function comes as it is."""
        self.strikes[task.index] += not isinstance(error, CancelledError)
        if not isinstance(error, (BrokenExecutor, CancelledError)) or self.strikes[task.index] == STRIKES:
            raise error
        self.waiting.append(task.index)

    def look_around(self) -> None:
        """Do nothing: calls are kept nowhere."""

    def progress(self) -> tuple[float, str]:
        """Return how many calls have ended."""
        return len(self.found) / max(len(self.calls), 1), f"{len(self.found)} of {len(self.calls)}"


def gathered(calls: Sequence[tuple[Any, ...]], hands: Workers, effort: Effort) -> list[Any] | None:
    """Return the values of ``(function, *arguments)`` calls, in order; None if the effort was over before.

    Examples
    --------
    >>> with workers(threads=2) as hands:
    ...     gathered([(max, 1, 2), (min, 1, 2)], hands, Effort())
    [2, 1]
    """
    made = Calls(calls, effort)
    made.run(hands)
    return [made.found[index] for index in range(len(calls))] if len(made.found) == len(calls) else None


@contextmanager
def at_cluster(dask: Any) -> Iterator[Workers | None]:
    """Provide the workers of a Dask cluster (an address or a client); None where none is given."""
    if dask is None:
        yield None
        return
    with workers(dask=dask) as hands:
        yield hands
