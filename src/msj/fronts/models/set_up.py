"""Servers that are switched off when idle and take a set-up time to come on again (reset, Appendix H.5).

First come first served on k servers. Call *wanted* the servers that the jobs present would hold if all servers were on:
those of the running jobs, and of the waiting ones in order of arrival until one does not fit. Then

- a job starts when it is at the head of the line and as many servers as it needs are on and free;
- a server that is not wanted is switched off at once;
- the wanted servers that are off are in set-up, each for an exponential time of rate ``set_up_rate``: all of them at
  once, or with ``staggered`` one after the other; a set-up is broken off when its server is no longer wanted.

With needs of 1 this is the M/M/k/setup of Gandhi, Doroudi, Harchol-Balter & Scheller-Wolf (2013), and with
``staggered`` the model of Gandhi, Harchol-Balter & Adan (2010), where set-up adds its mean to E[T] of M/M/k. Servers
that are on and free while the head of the line waits for more of them are *idle*; with needs of 1 there are none.

A front is (running types, sorted; waiting types, in order; servers on). It reaches one completion further than the jobs
that could run: after any completion it still tells which servers are wanted, whoever is behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from msj.errors import InvalidInput
from msj.fronts.front_chain import open_front
from msj.fronts.front_model import Step
from msj.fronts.models.phased_model import PhasedModel, Types, given_classes, without
from msj.fronts.models.system_model import SystemModel
from msj.markov.level_process import solve
from msj.model import JobClass, System
from msj.model.numbers import Number, number, positive, whole
from msj.model.table import Table, frozen
from msj.registry import nearest

OnAndOff = tuple[Types, Types, int]


class ServerStates(NamedTuple):
    """Numbers of servers in each state; they sum to all servers."""

    busy: float
    idle: float
    set_up: float
    off: float


@dataclass(frozen=True, kw_only=True)
class SetUp(PhasedModel[OnAndOff]):
    """FCFS on servers that are off unless wanted.

    Examples
    --------
    One server: E[T] is that of M/M/1 and a mean set-up time more.

    >>> import msj
    >>> job = msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(rate=1))
    >>> model = SetUp(servers=1, classes=[job], set_up_rate=0.5)
    >>> round(msj.analyse_model(model, load=0.75)["mean_response_time"], 9)
    6.0
    >>> print(*(f"{name} {share:.3f}" for name, share in model.mean_server_states(0.75)._asdict().items()))
    busy 0.750 idle 0.000 set_up 0.150 off 0.100
    """

    servers: int
    classes: Sequence[JobClass]
    set_up_rate: Number
    staggered: bool = False
    power: ServerStates | None = None  # of one server in each state

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "classes", given_classes(self.classes, JobClass))
        object.__setattr__(self, "set_up_rate", positive(self.set_up_rate, "set_up_rate"))
        for c in self.classes:
            if c.need > self.servers:
                raise InvalidInput(
                    f"class '{c.name}' needs {c.need} of {self.servers} servers; raise servers or lower need"
                )
        self._check_classes()

    @property
    def job_classes(self) -> Sequence[JobClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return self.servers // min(self._needs) + 1

    def empty(self) -> OnAndOff:
        """See :meth:`FrontModel.empty`."""
        return ((), (), 0)

    def jobs(self, front: OnAndOff) -> Types:
        """See :meth:`PhasedModel.jobs`."""
        return front[0] + front[1]

    def full(self, front: OnAndOff) -> bool:
        """See :meth:`FrontModel.full`."""
        running, waiting, _ = front
        if not self._decided(running, waiting):
            return False
        return all(self._decided(without(running, running.index(job)), waiting) for job in set(running))

    def add(self, front: OnAndOff, job: int) -> OnAndOff:
        """See :meth:`FrontModel.add`."""
        running, waiting, on = front
        return self._settled(running, (*waiting, job), on)

    def steps(self, front: OnAndOff) -> Iterator[Step[OnAndOff]]:
        """See :meth:`FrontModel.steps`."""
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
            yield float(self.set_up_rate) * starting, self._settled(running, waiting, on + 1), False

    def busy_servers(self, front: OnAndOff) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return self.server_states(front).busy

    def server_states(self, front: OnAndOff) -> ServerStates:
        """Return how many servers are busy, idle, in set-up and off."""
        running, waiting, on = front
        busy = self._held(running)
        set_up = self._wanted(running, waiting)[0] - on
        if self.staggered:
            set_up = min(set_up, 1)
        return ServerStates(busy, on - busy, set_up, self.servers - on - set_up)

    def mean_server_states(self, arrival_rate: float) -> ServerStates:
        """Return the mean numbers of servers busy, idle, in set-up and off at an arrival rate: what energy costs."""
        levels = open_front(self)
        law = solve(levels.at(arrival_rate))
        total = np.zeros(4)
        for mass, fronts in zip([*law.boundary, law.repeating_mass], levels.fronts, strict=True):
            total += mass @ np.array([self.server_states(front) for front in fronts], dtype=float)
        return ServerStates(*map(float, total))

    def measures(self, front: OnAndOff) -> dict[str, float]:
        """See :meth:`FrontModel.measures`: servers in each state and, if it is given for them, the power they take."""
        states = self.server_states(front)
        found = {f"{name}_servers": float(count) for name, count in states._asdict().items()}
        if self.power is not None:
            found["mean_power"] = sum(count * power for count, power in zip(states, self.power, strict=True))
        return found

    @cached_property
    def _needs(self) -> tuple[int, ...]:
        return tuple(self.classes[c].need for c in self.types.class_of)

    def _held(self, jobs: Iterable[int]) -> int:
        return sum(self._needs[job] for job in jobs)

    def _wanted(self, running: Types, waiting: Types) -> tuple[int, bool]:
        """Return the wanted servers, and whether some waiting job would not fit even if all were on."""
        wanted = self._held(running)
        for job in waiting:
            if wanted + self._needs[job] > self.servers:
                return wanted, True
            wanted += self._needs[job]
        return wanted, False

    def _decided(self, running: Types, waiting: Types) -> bool:
        """Return whether jobs further back make no difference to the servers wanted."""
        wanted, blocked = self._wanted(running, waiting)
        return blocked or wanted + min(self._needs) > self.servers

    def _settled(self, running: Types, waiting: Types, on: int) -> OnAndOff:
        """Start whom the servers that are on can take, and switch off what is not wanted."""
        while waiting and self._held(running) + self._needs[waiting[0]] <= on:
            running, waiting = (*running, waiting[0]), waiting[1:]
        return tuple(sorted(running)), waiting, min(on, self._wanted(running, waiting)[0])


@dataclass(frozen=True, kw_only=True)
class SetUpModel(SystemModel):
    """In a spec file: model = { name = "set-up", set_up_rate = 0.1, power = { busy = 300, set_up = 250 } }.

    ``staggered`` sets servers up one after the other. ``power`` is that of one server; a state not named takes none.
    """

    name: ClassVar[str] = "set-up"
    summary: ClassVar[str] = "idle servers are switched off and take a set-up time to come on again; energy use"
    citation: ClassVar[str] = "reset, Appendix H.5"
    idles: ClassVar[str] = "servers are off or in set-up while jobs wait for them"

    set_up_rate: Number
    staggered: bool = False
    power: Mapping[str, Number] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "set_up_rate", positive(self.set_up_rate, "set_up_rate"))
        if not isinstance(self.staggered, bool):
            raise InvalidInput(f"staggered = {self.staggered!r} must be true or false; write one of them")
        if self.power is not None:
            object.__setattr__(self, "power", _powers(self.power))

    def front(self, system: System) -> SetUp:
        """See :meth:`SystemModel.front`."""
        power = None
        if self.power is not None:
            power = ServerStates(*(float(self.power.get(state, 0)) for state in ServerStates._fields))
        return SetUp(
            servers=system.servers,
            classes=system.classes,
            set_up_rate=self.set_up_rate,
            staggered=self.staggered,
            power=power,
        )


def _powers(power: object) -> Table:
    """Return the power of one server by state, none below 0."""
    if not isinstance(power, Mapping):
        raise InvalidInput(f"power = {power!r} must be a table by state; write {{ busy = 300, idle = 200 }}")
    for state, value in power.items():
        if state not in ServerStates._fields:
            raise InvalidInput(f"power names state '{state}'; {nearest(str(state), ServerStates._fields)}")
        if number(value, f"power.{state}") < 0:
            raise InvalidInput(f"power.{state} = {value} must be at least 0; give what one server takes")
    found: Table = frozen({state: number(value, f"power.{state}") for state, value in power.items()}, "power")
    return found


VARIANT = SetUpModel
