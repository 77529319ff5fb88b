"""First come first served without preemption, whatever it is that jobs need to start.

Jobs start in order of arrival; the first that cannot start blocks all behind it. A front is (running, waiting): the
running jobs in any order, so sorted, and the one that waits, if any. It is full once somebody waits or nobody could
start. A model says how a job starts beside the running ones and what happens to it then (reset, section 3, with a need
that may be of any kind: Appendix H.2 to H.4).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from msj.fronts.front_model import Service, Step
from msj.fronts.phased_front import PhasedFront, without

Running: TypeAlias = tuple[Any, ...]
RunningAndWaiting: TypeAlias = tuple[Running, tuple[Any, ...]]


class HeadOfLine(PhasedFront[RunningAndWaiting]):
    """A front whose jobs start in order of arrival and are not preempted."""

    @abstractmethod
    def started(self, running: Running, job: Any) -> Any | None:
        """Return what ``job`` is once it has started beside the running ones, or None if it cannot start."""

    def next_of(self, entry: Any) -> Iterable[tuple[float, Any | None]]:
        """Yield (rate, what a running job becomes), None when it completes."""
        return self.changes(entry)

    def job_of(self, entry: Any) -> Any:
        """Return the job, as :meth:`class_of` understands it, of an entry of ``running``."""
        return entry

    def empty(self) -> RunningAndWaiting:
        return ((), ())

    def jobs(self, front: RunningAndWaiting) -> Sequence[Any]:
        return [*map(self.job_of, front[0]), *front[1]]

    def full(self, front: RunningAndWaiting) -> bool:
        running, waiting = front
        return bool(waiting) or all(self.started(running, job) is None for job, chance in self.fresh() if chance > 0)

    def add(self, front: RunningAndWaiting, job: Any) -> RunningAndWaiting:
        return self.after_starts(front[0], (*front[1], job))

    def steps(self, front: RunningAndWaiting) -> Iterator[Step[RunningAndWaiting]]:
        running, waiting = front
        for entry in sorted(set(running)):
            rest = without(running, running.index(entry))
            for rate, after in self.next_of(entry):
                reached = self.after_starts(rest, waiting) if after is None else self.moved(rest, entry, after, waiting)
                yield running.count(entry) * rate, reached, after is None

    def starts_at_once(self, front: RunningAndWaiting, job: Any) -> bool:
        return not front[1] and self.started(front[0], job) is not None

    def service(self, job: Any) -> Service | None:
        goes_its_way = type(self).moved is HeadOfLine.moved  # else it may have to wait again once started
        return (self.started((), job), self.next_of) if goes_its_way else None

    def moved(self, rest: Running, before: Any, after: Any, waiting: tuple[Any, ...]) -> RunningAndWaiting:  # noqa: ARG002
        """Return the front in which one running job has changed from ``before`` to ``after``."""
        return self.after_starts((*rest, after), waiting)

    def after_starts(self, running: Running, waiting: tuple[Any, ...]) -> RunningAndWaiting:
        """Return the front once everybody who can start has done so."""
        while waiting:
            entry = self.started(running, waiting[0])
            if entry is None:
                break
            running, waiting = (*running, entry), waiting[1:]
        return tuple(sorted(running)), waiting
