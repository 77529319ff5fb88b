"""The front of groups of servers (``disciplines.server_groups``): a running job is (group, type)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msj.fronts.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.model import System


class ServerGroupsFront(HeadOfLine):
    """FCFS on ``groups`` of servers; ``allowed`` names for each class those it may use, in order of preference."""

    def __init__(self, system: System, *, groups: Mapping[str, int], allowed: Sequence[Sequence[str]]) -> None:
        super().__init__(system)
        self.groups = groups
        self.allowed = allowed

    @cached_property
    def most_jobs(self) -> int:
        """Every group full of the smallest jobs it takes, and one that waits."""
        most = 1
        for name, servers in self.groups.items():
            arriving = zip(self.classes, self.allowed, strict=True)
            needs = [c.need for c, groups in arriving if name in groups and c.share > 0]
            most += servers // min(needs) if needs else 0
        return most

    def started(self, running: Running, job: int) -> tuple[str, int] | None:
        busy = self.busy(running)
        allowed = self.allowed[self.class_of(job)]
        return next(((name, job) for name in allowed if busy[name] + self.needs[job] <= self.groups[name]), None)

    def next_of(self, entry: tuple[str, int]) -> Iterator[tuple[float, tuple[str, int] | None]]:
        for rate, after in self.changes(entry[1]):
            yield rate, None if after is None else (entry[0], after)

    def job_of(self, entry: tuple[str, int]) -> int:
        return entry[1]

    def busy(self, running: Running) -> dict[str, int]:
        """Return how many servers of each group the running jobs hold."""
        held = dict.fromkeys(self.groups, 0)
        for name, job in running:
            held[name] += self.needs[job]
        return held

    def busy_servers(self, front: RunningAndWaiting) -> float:
        return float(sum(self.busy(front[0]).values()))
