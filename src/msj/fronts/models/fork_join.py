"""Fork-join with simultaneous start: tasks start together and end one by one (reset, Appendix H.2).

A job of n tasks needs n free servers to start, in order of arrival. Each task holds one server for a time of its own
(independent, of the class's law) and frees it when it ends; the job completes with its last task. So its need
diminishes while it runs, and others may start before it has completed.

A running job is the sorted types of its remaining tasks. With one task per job this is M/G/k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import ClassVar

from msj.errors import InvalidInput
from msj.fronts.models.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.fronts.models.phased_model import ModelClass, Types, given_classes, without
from msj.fronts.models.system_model import SystemModel
from msj.model import System
from msj.model.numbers import whole


@dataclass(frozen=True, kw_only=True)
class ForkJoinClass(ModelClass):
    """Jobs of ``tasks`` tasks, each of which takes a time drawn from ``duration``."""

    tasks: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tasks", whole(self.tasks, "tasks"))


@dataclass(frozen=True, kw_only=True)
class ForkJoin(HeadOfLine):
    """Jobs whose tasks start together and free their servers one by one.

    Examples
    --------
    Two servers, jobs of two tasks: the next job waits for both, so service takes E[max] = 1 + 1/2.

    >>> import msj
    >>> model = ForkJoin(servers=2, classes=[
    ...     ForkJoinClass(name="pair", share=1, tasks=2, duration=msj.Exponential(mean=1))])
    >>> round(1 / msj.analyse_model(model)["stability_threshold"], 9)
    1.5
    """

    servers: int
    classes: Sequence[ForkJoinClass]

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "classes", given_classes(self.classes, ForkJoinClass))
        for c in self.classes:
            if c.tasks > self.servers:
                raise InvalidInput(
                    f"class '{c.name}' has {c.tasks} tasks for {self.servers} servers; raise servers or lower tasks"
                )
        self._check_classes()

    @property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return self.servers + 1  # every job down to its last task, and one that waits

    def fresh(self) -> Sequence[tuple[Types, float]]:
        """See :meth:`FrontModel.fresh`."""
        return self._fresh

    @cached_property
    def _fresh(self) -> tuple[tuple[Types, float], ...]:
        found = []
        for index, c in enumerate(self.classes):
            phases = [t for t in range(len(self.types)) if self.types.class_of[t] == index and self.types.fresh[t] > 0]
            share = sum(self.types.fresh[t] for t in phases)
            for tasks in combinations_with_replacement(phases, c.tasks):
                ways = factorial(c.tasks) / prod(map(factorial, Counter(tasks).values()))
                found.append((tasks, float(share * ways * prod(self.types.fresh[t] / share for t in tasks))))
        return tuple(found)

    def class_of(self, job: Types) -> int:
        """See :meth:`FrontModel.class_of`."""
        return int(self.types.class_of[job[0]])

    def started(self, running: Running, job: Types) -> Types | None:
        """See :meth:`HeadOfLine.started`."""
        return job if sum(map(len, running)) + len(job) <= self.servers else None

    def next_of(self, entry: Types) -> Iterator[tuple[float, Types | None]]:
        """See :meth:`HeadOfLine.next_of`."""
        for task in sorted(set(entry)):
            rest = without(entry, entry.index(task))
            for rate, after in self.changes(task, entry.count(task)):
                left = rest if after is None else tuple(sorted((*rest, after)))
                yield rate, left or None

    def busy_servers(self, front: RunningAndWaiting) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return float(sum(map(len, front[0])))


@dataclass(frozen=True, kw_only=True)
class ForkJoinModel(SystemModel):
    """In a spec file: model = "fork-join"; a class's need is its number of tasks, its duration that of one task."""

    name: ClassVar[str] = "fork-join"
    summary: ClassVar[str] = "a job's tasks start together and end one by one, each freeing its server"
    citation: ClassVar[str] = "reset, Appendix H.2"
    idles: ClassVar[str] = "a job of several tasks may wait while fewer servers than it has tasks are free"

    def front(self, system: System) -> ForkJoin:
        """See :meth:`SystemModel.front`."""
        classes = [ForkJoinClass(name=c.name, share=c.share, tasks=c.need, duration=c.duration) for c in system.classes]
        return ForkJoin(servers=system.servers, classes=classes)


VARIANT = ForkJoinModel
