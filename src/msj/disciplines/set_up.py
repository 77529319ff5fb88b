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
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import Number, number, positive
from msj.model.table import Table, frozen
from msj.registry import nearest

#: What a server can be: at work, on and free, coming on, off.
STATES = ("busy", "idle", "set_up", "off")


@dataclass(frozen=True, kw_only=True)
class SetUp(Model):
    """In a spec file: model = { name = "set-up", set_up_rate = 0.1, power = { busy = 300, set_up = 250 } }.

    ``staggered`` sets servers up one after the other. ``power`` is that of one server; a state not named takes none.

    Examples
    --------
    One server: E[T] is that of M/M/1 and a mean set-up time more.

    >>> import msj
    >>> job = msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(rate=1))
    >>> model = {"name": "set-up", "set_up_rate": 0.5}
    >>> result = msj.analyse(msj.System(servers=1, classes=[job], arrival_rate=0.75, model=model))
    >>> round(result["mean_response_time"], 9)
    6.0
    >>> print(*(f"{state} {result[f'{state}_servers']:.3f}" for state in STATES))
    busy 0.750 idle 0.000 set_up 0.150 off 0.100
    """

    name: ClassVar[str] = "set-up"
    summary: ClassVar[str] = "idle servers are switched off and take a set-up time to come on again; energy use"
    citation: ClassVar[str] = "reset, Appendix H.5"
    idles: ClassVar[str] = "servers are off or in set-up while jobs wait for them"

    time_powers: ClassVar[Mapping[str, int]] = {"set_up_rate": -1}

    set_up_rate: Number
    staggered: bool = False
    power: Mapping[str, Number] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "set_up_rate", positive(self.set_up_rate, "set_up_rate"))
        if not isinstance(self.staggered, bool):
            raise InvalidInput(f"staggered = {self.staggered!r} must be true or false; write one of them")
        if self.power is not None:
            object.__setattr__(self, "power", _powers(self.power))

    def engine(self, system: System) -> ServedBy:
        rate = float(self.set_up_rate)
        return ServedBy("msj.engines.set_up:SetUpEngine", set_up_rate=rate, staggered=self.staggered)

    def front_model(self, system: System) -> ServedBy:
        power = None if self.power is None else tuple(float(self.power.get(state, 0)) for state in STATES)
        rate = float(self.set_up_rate)
        return ServedBy("msj.fronts.set_up:SetUpFront", set_up_rate=rate, staggered=self.staggered, power=power)


def _powers(power: object) -> Table:
    """Return the power of one server by state, none below 0."""
    if not isinstance(power, Mapping):
        raise InvalidInput(f"power = {power!r} must be a table by state; write {{ busy = 300, idle = 200 }}")
    for state, value in power.items():
        if state not in STATES:
            raise InvalidInput(f"power names state '{state}'; {nearest(str(state), STATES)}")
        if number(value, f"power.{state}") < 0:
            raise InvalidInput(f"power.{state} = {value} must be at least 0; give what one server takes")
    found: Table = frozen({state: number(value, f"power.{state}") for state, value in power.items()}, "power")
    return found


VARIANT = SetUp
