"""A front that reaches one event further: whatever happens next, it tells what is decided then.

Where something is decided only when it is clear who else is there (``FrontModel.settled``), a front as short as can be
must wait for those who join. Whoever follows one job through the system cannot: behind a front that has nobody left to
join stands the job that is followed. So here a front is full only if it is, and still is after each thing that may
happen; then every decision is taken at once, and those who join later change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msj.fronts.front_model import FrontModel, Step


class DecidedFront(FrontModel[Any, Any]):
    """The same front, longer by what one event may take from it."""

    def __init__(self, inner: FrontModel[Any, Any]) -> None:
        self.inner = inner
        inner.keep_order()
        self.class_names, self.one_speed = inner.class_names, inner.one_speed
        self._full: dict[Any, bool] = {}

    @property
    def most_jobs(self) -> int:
        return self.inner.most_jobs + self.inner.most_taken

    def fresh(self) -> Iterable[tuple[Any, float]]:
        return self.inner.fresh()

    def empty(self) -> Any:
        return self.inner.empty()

    def full(self, front: Any) -> bool:
        if front not in self._full:
            full = self.inner.full
            self._full[front] = full(front) and all(full(after) for _, after, _ in self.inner.steps(front))
        return self._full[front]

    def add(self, front: Any, job: Any) -> Any:
        return self.inner.add(front, job)

    def settled(self, front: Any) -> Iterable[tuple[Any, float]]:
        return self.inner.settled(front)

    def steps(self, front: Any) -> Iterable[Step[Any]]:
        for rate, after, completes in self.inner.steps(front):
            yield from ((rate * chance, found, completes) for found, chance in self.inner.settled(after))

    def size(self, front: Any) -> int:
        return self.inner.size(front)

    def jobs(self, front: Any) -> Iterable[Any]:
        return self.inner.jobs(front)

    def class_of(self, job: Any) -> int:
        return self.inner.class_of(job)

    def class_counts(self, front: Any) -> Sequence[int]:
        return self.inner.class_counts(front)

    def in_service(self, job: Any) -> bool | None:
        return self.inner.in_service(job)

    def progressed(self, before: Any, after: Any | None) -> bool:
        return self.inner.progressed(before, after)

    def pair_classes(self, classes: int) -> None:
        self.inner.pair_classes(classes)

    def confirm(self) -> None:
        self.inner.confirm()


def decided(front: FrontModel[Any, Any]) -> FrontModel[Any, Any]:
    """Return a front in which every decision is taken at once: the same, unless something waits for who comes next."""
    return DecidedFront(front) if front.settles else front
