"""The front of fork-join (``disciplines.fork_join``): a running job is the sorted types of its remaining tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod

from msj.fronts.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.fronts.phased_front import Types, without


class ForkJoinFront(HeadOfLine):
    """Jobs whose tasks start together and free their servers one by one; a class's need is its number of tasks."""

    @property
    def most_jobs(self) -> int:
        return self.servers + 1  # every job down to its last task, and one that waits

    def fresh(self) -> Sequence[tuple[Types, float]]:
        return self._fresh

    @cached_property
    def _fresh(self) -> tuple[tuple[Types, float], ...]:
        found = []
        for index, c in enumerate(self.classes):
            phases = [t for t in range(len(self.types)) if self.types.class_of[t] == index and self.types.fresh[t] > 0]
            share = sum(self.types.fresh[t] for t in phases)
            for tasks in combinations_with_replacement(phases, c.need):
                ways = factorial(c.need) / prod(map(factorial, Counter(tasks).values()))
                found.append((tasks, float(share * ways * prod(self.types.fresh[t] / share for t in tasks))))
        return tuple(found)

    def class_of(self, job: Types) -> int:
        return int(self.types.class_of[job[0]])

    def started(self, running: Running, job: Types) -> Types | None:
        return job if sum(map(len, running)) + len(job) <= self.servers else None

    def next_of(self, entry: Types) -> Iterator[tuple[float, Types | None]]:
        for task in sorted(set(entry)):
            rest = without(entry, entry.index(task))
            for rate, after in self.changes(task, entry.count(task)):
                left = rest if after is None else tuple(sorted((*rest, after)))
                yield rate, left or None

    def busy_servers(self, front: RunningAndWaiting) -> float:
        return float(sum(map(len, front[0])))
