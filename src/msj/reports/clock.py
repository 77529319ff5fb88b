"""How long a report may take, and who is told how far it is.

Each section has a moment by which it should be done. Work that can be watched (simulations) is stopped there: to a
simulation that looks like an interrupt, after which it answers with what it has. Work that cannot be watched is not
begun after that moment. What was cut is said in a note; a real Ctrl-C is never mistaken for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from msj.model.numbers import positive
from msj.results import Progress, Watch


class OutOfTime(KeyboardInterrupt):
    """Raised inside a watched simulation when its section's time is up."""


class Clock:
    """The time of one report."""

    def __init__(self, seconds: float, progress: Watch | None = None) -> None:
        self.seconds = float(positive(seconds, "seconds"))
        self.started = time.perf_counter()
        self.cut = False
        self._progress = progress
        self._words, self._from, self._until = "", 0.0, 1.0

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self.started

    @property
    def up(self) -> bool:
        """Whether the section's time is up."""
        return self.spent > self._until * self.seconds

    @contextmanager
    def section(self, words: str, until: float) -> Iterator[None]:
        """Work on a section that should be done by a share of the whole time."""
        self._words, self._from, self._until = words, min(self.spent / self.seconds, until), until
        self.cut = False
        self.tell(0.0)
        yield
        self.tell(1.0)

    def tell(self, done: float) -> None:
        """Say how much of the section is done."""
        if self._progress is not None:
            share = self._from + (self._until - self._from) * min(done, 1.0)
            self._progress(Progress(done=share, words=self._words))

    def watch(self, _: Progress) -> None:
        """Be told by a simulation; stop it when time is up."""
        self.tell(max(self.spent / self.seconds - self._from, 0.0) / max(self._until - self._from, 1e-9))
        if self.up:
            self.cut = True
            raise OutOfTime

    def interrupted(self) -> None:
        """Called after a simulation that was interrupted: pass on what was not the clock."""
        if not self.cut:
            raise KeyboardInterrupt
        self.cut = False
