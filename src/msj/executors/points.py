"""One function at many points: independent, done side by side, each answer kept as soon as it is known.

What a sweep is for clusters this is for any function of a module: the points of a paper's figure, the loads of a
report's curve. Workers and loop are those of sweeps, and so is what happens when a worker dies: another one does its
point. An error of the function itself ends it all, with what was answered before kept.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from msj.effort import Effort
from msj.executors.kept import Answer, Kept
from msj.executors.loop import Loop
from msj.executors.workers import workers

STRIKES = 4  # workers that may die over a point
Point = Mapping[str, Any]


@dataclass(kw_only=True)
class Task:
    """A point under way."""

    claims: AbstractContextManager[Any]
    identity: str
    call: tuple[Any, ...]


class Points(Loop[Task]):
    """Answers ``function(**point)`` for each point that has no answer yet.

    Parameters
    ----------
    function
        A function of a module (it is sent to other processes) whose answers are plain data.
    points
        Its arguments, plain data, by the id of their answer.
    kept
        Where answers are looked up and kept. Points that are not there afterwards are those the effort did not allow.
    effort
        Its deadline and its cancel are asked for between answers and twice a second; its progress is told after each.
    states
        The name of one more argument: a path where a long computation may keep its state, None if nothing is kept.
    shared
        Whether workers see the folder of states.

    Examples
    --------
    >>> points = Points(dict, {"a1": {"x": 1}, "a2": {"x": 2}}, kept=Kept(), effort=Effort())
    >>> with workers() as hands:
    ...     points.run(hands)
    >>> points.kept.answers["a2"].value
    {'x': 2}
    """

    def __init__(
        self,
        function: Callable[..., Any],
        points: Mapping[str, Point],
        *,
        kept: Kept,
        effort: Effort,
        states: str | None = None,
        shared: bool = True,
    ) -> None:
        super().__init__(effort)
        self.function, self.points, self.kept, self.states = function, points, kept, states
        self.shared = shared
        self.waiting = deque(identity for identity in points if identity not in kept.answers)
        self.strikes: Counter[str] = Counter()

    @property
    def more(self) -> bool:
        """Whether a point has not been begun; another run may be at it."""
        return bool(self.waiting)

    def next_task(self, slots: int) -> Task | None:  # noqa: ARG002  a point is a task, however many workers there are
        """Return the first point that nobody is at."""
        for _ in range(len(self.waiting)):
            identity = self.waiting[0]
            claim = self.kept.claim(identity)
            if claim is None:
                self.waiting.rotate(-1)  # another run is at it, and may yet leave it to us
                continue
            self.waiting.popleft()
            self.kept.refresh()
            if identity not in self.kept.answers:  # nor has another run answered it meanwhile
                place = self.kept.state_of(identity) if self.shared else None
                state = {} if self.states is None else {self.states: place}
                arguments = {**self.points[identity], **state}
                return Task(claims=claim, identity=identity, call=(_timed, self.function, arguments))
            claim.__exit__(None, None, None)
        return None

    def take(self, found: Sequence[tuple[Task, Any]]) -> None:
        """Keep answers."""
        for task, (value, seconds) in found:
            self.kept.keep(task.identity, value, seconds=seconds)

    def lost(self, task: Task, error: BaseException) -> None:
        """Begin once more what a worker died over, but not for ever; an error of the function comes as it is."""
        self.strikes[task.identity] += not isinstance(error, CancelledError)
        if not isinstance(error, (BrokenExecutor, CancelledError)) or self.strikes[task.identity] == STRIKES:
            raise error
        self.waiting.append(task.identity)

    def look_around(self) -> None:
        """Do nothing: what other runs have answered is read before a point is begun."""

    def progress(self) -> tuple[float, str]:
        """Return how many points are answered."""
        known, every = len(self.points) - len(self.waiting) - len(self.tasks), len(self.points)
        return known / max(every, 1), f"{known} of {every} answers"


def answered(
    function: Callable[..., Any],
    points: Mapping[str, Point],
    *,
    folder: Any = None,
    processes: int = 1,
    dask: Any = None,
    effort: Effort,
    states: str | None = None,
) -> dict[str, Answer]:
    """Return the answers by id, computed or read; see :class:`Points`. Workers of a cluster keep no states."""
    with Kept(folder) as kept:
        asked = Points(function, points, kept=kept, effort=effort, states=states, shared=dask is None)
        if not asked.waiting:
            return {identity: kept.answers[identity] for identity in points}
        with workers(processes=min(processes, len(asked.waiting)), dask=dask) as hands:
            asked.run(hands)
    return {identity: kept.answers[identity] for identity in points if identity in kept.answers}


def _timed(function: Callable[..., Any], arguments: Point) -> tuple[Any, float]:
    started = time.perf_counter()
    value = function(**arguments)
    return value, time.perf_counter() - started
