"""Tasks for workers, one after the other, until nothing is left or the effort is over: what sweeps and points share.

Who has many independent things to compute says which task comes next, what is to be done with its answer, and what if
its worker died. The loop keeps the workers busy, looks now and then at what others have done in the same folder, tells
how far it is, and gives back what it holds however it ends.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, ExitStack
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from msj.effort import Effort
from msj.executors.packing import OtherCode
from msj.executors.workers import Workers

PAUSE = 0.5  # seconds between two looks at the clock, or at what others have done


class Task(Protocol):
    """Something to be done: a function with its arguments, and marks that keep others from it meanwhile."""

    claims: AbstractContextManager[Any]

    @property
    def call(self) -> tuple[Any, ...]:
        """The function, of a module, and its arguments, values that can be sent elsewhere."""


T = TypeVar("T", bound=Task)


class Loop(ABC, Generic[T]):
    """Hands out tasks.

    Parameters
    ----------
    effort
        Its deadline and its cancel are asked for between tasks; its progress is told.
    """

    ahead: ClassVar[int] = 1  # tasks for each of several workers: with 2, one at work and one waiting
    tell_after: ClassVar[float] = 0.0  # seconds between two words about how far it is

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.tasks: dict[Future[Any], T] = {}
        self.looked = self.told = time.monotonic()

    @property
    @abstractmethod
    def more(self) -> bool:
        """Whether something is left that no task is about; others may be at it."""

    @abstractmethod
    def next_task(self, slots: int) -> T | None:
        """Return what to begin now, for one of so many workers; None if there is nothing."""

    @abstractmethod
    def take(self, found: Sequence[tuple[T, Any]]) -> None:
        """Keep what tasks have found."""

    @abstractmethod
    def lost(self, task: T, error: BaseException) -> None:
        """Do what is to be done about a task that came to no end: its worker died, or it raised an error."""

    @abstractmethod
    def look_around(self) -> None:
        """Take in what others have found."""

    @abstractmethod
    def progress(self) -> tuple[float, str]:
        """Return the share that is done, and a word about it."""

    def run(self, workers: Workers) -> None:
        """Go on until nothing is left, or the effort is over."""
        try:
            while (self.tasks or self.more) and not self.effort.over:
                self._submit(workers)
                if self.tasks:
                    self._take(wait(self.tasks, timeout=PAUSE, return_when=FIRST_COMPLETED).done, workers)
                    workers.look(self.effort)
                elif self.more:
                    time.sleep(PAUSE)  # others are at all that is left
                if time.monotonic() - self.looked > PAUSE:
                    self.looked = time.monotonic()
                    self.look_around()
                if time.monotonic() - self.told > self.tell_after:
                    self.told = time.monotonic()
                    self.effort.tell(*self.progress())
        finally:
            workers.give_up(self.tasks)
            for task in self.tasks.values():
                task.claims.__exit__(None, None, None)

    def _submit(self, workers: Workers) -> None:
        slots = workers.slots
        most = 1 if slots == 1 else self.ahead * slots
        while len(self.tasks) < most and not self.effort.over:
            task = self.next_task(slots)
            if task is None:
                return
            with ExitStack() as held:
                held.push(task.claims)
                future = workers.submit(*task.call)  # in this process an error of the task itself comes here
                held.pop_all()
            self.tasks[future] = task

    def _take(self, done: Iterable[Future[Any]], workers: Workers) -> None:
        """Take what tasks have found; it is kept before anybody else may begin the same."""
        with ExitStack() as claims:
            found = []
            for future in done:
                task = self.tasks.pop(future)
                claims.push(task.claims)
                try:
                    found.append((task, workers.value(future)))
                except (KeyboardInterrupt, MemoryError, OtherCode):
                    raise
                except BaseException as error:  # the worker died, or the pool it was in
                    self.lost(task, error)
            self.take(found)
