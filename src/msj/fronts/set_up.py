"""The front of servers that take a set-up time to come on (``disciplines.set_up``).

A front is (running types, sorted; waiting types, in order; servers on). It reaches one completion further than the jobs
that could run: after any completion it still tells which servers are wanted, whoever is behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msj.fronts.front_model import Step
from msj.fronts.phased_front import PhasedFront, Types, without
from msj.model import System

OnAndOff = tuple[Types, Types, int]


class ServerStates(NamedTuple):
    """Numbers of servers in each state; they sum to all servers."""

    busy: int
    idle: int
    set_up: int
    off: int


class SetUpFront(PhasedFront[OnAndOff]):
    """FCFS on servers that are off unless wanted; ``power`` is that of one server in each state."""

    one_speed = True

    def __init__(self, system: System, *, set_up_rate: float, staggered: bool, power: Sequence[float] | None) -> None:
        super().__init__(system)
        self.set_up_rate = set_up_rate
        self.staggered = staggered
        self.power = power

    @property
    def most_jobs(self) -> int:
        return self.servers // min(self.needs) + 1

    def empty(self) -> OnAndOff:
        return ((), (), 0)

    def jobs(self, front: OnAndOff) -> Types:
        return front[0] + front[1]

    def full(self, front: OnAndOff) -> bool:
        running, waiting, _ = front
        if not self._decided(running, waiting):
            return False
        return all(self._decided(without(running, running.index(job)), waiting) for job in set(running))

    def add(self, front: OnAndOff, job: int) -> OnAndOff:
        running, waiting, on = front
        return self._settled(running, (*waiting, job), on)

    def steps(self, front: OnAndOff) -> Iterator[Step[OnAndOff]]:
        running, waiting, on = front
        for job in sorted(set(running)):
            rest = without(running, running.index(job))
            for rate, after in self.changes(job, running.count(job)):
                if after is None:
                    yield rate, self._settled(rest, waiting, on), True
                else:
                    yield rate, (tuple(sorted((*rest, after))), waiting, on), False
        starting = self.server_states(front).set_up
        if starting:
            yield self.set_up_rate * starting, self._settled(running, waiting, on + 1), False

    def busy_servers(self, front: OnAndOff) -> float:
        return float(self.server_states(front).busy)

    def server_states(self, front: OnAndOff) -> ServerStates:
        """Return how many servers are busy, idle, in set-up and off."""
        running, waiting, on = front
        busy = self.need_of(running)
        set_up = self._wanted(running, waiting)[0] - on
        if self.staggered:
            set_up = min(set_up, 1)
        return ServerStates(busy, on - busy, set_up, self.servers - on - set_up)

    def measures(self, front: OnAndOff) -> dict[str, float]:
        states = self.server_states(front)
        found = {f"{name}_servers": float(count) for name, count in states._asdict().items()}
        if self.power is not None:
            found["mean_power"] = sum(count * power for count, power in zip(states, self.power, strict=True))
        return found

    def _wanted(self, running: Types, waiting: Types) -> tuple[int, bool]:
        """Return the wanted servers, and whether some waiting job would not fit even if all were on."""
        wanted = self.need_of(running)
        for job in waiting:
            if wanted + self.needs[job] > self.servers:
                return wanted, True
            wanted += self.needs[job]
        return wanted, False

    def _decided(self, running: Types, waiting: Types) -> bool:
        """Return whether jobs further back make no difference to the servers wanted."""
        wanted, blocked = self._wanted(running, waiting)
        return blocked or wanted + min(self.needs) > self.servers

    def _settled(self, running: Types, waiting: Types, on: int) -> OnAndOff:
        """Start whom the servers that are on can take, and switch off what is not wanted."""
        while waiting and self.need_of(running) + self.needs[waiting[0]] <= on:
            running, waiting = (*running, waiting[0]), waiting[1:]
        return tuple(sorted(running)), waiting, min(on, self._wanted(running, waiting)[0])
