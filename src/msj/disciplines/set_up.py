"""Servers that are switched off when idle and take a set-up time to come on again (reset, Appendix H.5).

First come first served on k servers. Call *wanted* the servers that the jobs present would hold if all servers were on:
those of the running jobs, and of the waiting ones in order of arrival until one does not fit. Then

- a job starts when it is at the head of the line and as many servers as it needs are on and free;
- a server that is not wanted is switched off at once;
- the wanted servers that are off are in set-up, each for an exponential time of rate ``set_up_rate`` or a time of law
  ``set_up``: all of them at once, or with ``staggered`` one after the other; a set-up is broken off when its server is
  no longer wanted, the latest begun first;
- with ``delay``, a server that is not wanted stays on for a time of that law first; each has a delay of its own, and
  when servers are wanted again the delays begun latest are cancelled.

With needs of 1 this is the M/M/k/setup of Gandhi, Doroudi, Harchol-Balter & Scheller-Wolf (2013), and with
``staggered`` the model of Gandhi, Harchol-Balter & Adan (2010), where set-up adds its mean to E[T] of M/M/k. Servers
that are on and free while the head of the line waits for more of them are *idle*; with needs of 1 there are none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.part import Part
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import System
from msj.model.durations import Duration, Exponential
from msj.model.numbers import Number, number, positive
from msj.model.table import Table, frozen
from msj.registry import nearest

#: What a server can be: at work, on and free, coming on, off.
STATES = ("busy", "idle", "set_up", "off")
PRICED = (*STATES, "broken")


@dataclass(frozen=True, kw_only=True)
class SetUp(Part):
    """In a spec file: model = { name = "set-up", set_up_rate = 0.1, power = { busy = 300, set_up = 250 } }.

    Or ``set_up = { law = ... }`` instead of the rate; ``delay = { law = ... }`` before a server is switched off.
    ``staggered`` sets servers up one after the other. ``power`` is that of one server by state (busy, idle, set_up,
    off, and broken if an environment takes servers), ``cost`` what one costs, in whatever unit; a state not named: 0.

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

    set_up_rate: Number | None = None
    set_up: Duration | None = None
    staggered: bool = False
    delay: Duration | None = None
    power: Mapping[str, Number] | None = None
    cost: Mapping[str, Number] | None = None

    def __post_init__(self) -> None:
        if self.set_up_rate is None and self.set_up is None:
            raise InvalidInput("model 'set-up' has no set_up_rate; add set_up_rate = ..., or set_up = { law = ... }")
        if self.set_up_rate is not None and self.set_up is not None:
            raise InvalidInput("set_up_rate and set_up are both given; say how long a set-up takes in one way only")
        if self.set_up_rate is not None:
            object.__setattr__(self, "set_up_rate", positive(self.set_up_rate, "set_up_rate"))
        self.set_law("set_up")
        self.set_law("delay")
        if not isinstance(self.staggered, bool):
            raise InvalidInput(f"staggered = {self.staggered!r} must be true or false; write one of them")
        for key in ("power", "cost"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, _prices(getattr(self, key), key))

    def engine(self, system: System) -> ServedBy | None:
        rate = self.set_up_rate
        if rate is None or self.delay is not None:
            return super().engine(system)
        prices = {key: value for key, value in self.told().items() if key in ("power", "cost")}
        return ServedBy("msj.engines.set_up:SetUpEngine", set_up_rate=float(rate), staggered=self.staggered, **prices)

    front_model = Part.front_model

    def told(self) -> dict[str, Any]:
        law = Exponential(rate=self.set_up_rate) if self.set_up is None else self.set_up
        prices = {
            key: None if (given := getattr(self, key)) is None else {s: float(v) for s, v in given.items()}
            for key in ("power", "cost")
        }
        return {"set_up": {"law": law, "staggered": self.staggered, "delay": self.delay}, **prices}


def _prices(given: object, key: str) -> Table:
    """Return what one server takes by state, none below 0."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{key} = {given!r} must be a table by state; write {{ busy = 300, idle = 200 }}")
    for state, value in given.items():
        if state not in PRICED:
            raise InvalidInput(f"{key} names state '{state}'; {nearest(str(state), PRICED)}")
        if number(value, f"{key}.{state}") < 0:
            raise InvalidInput(f"{key}.{state} = {value} must be at least 0; give what one server takes")
    found: Table = frozen({state: number(value, f"{key}.{state}") for state, value in given.items()}, key)
    return found


VARIANT = SetUp
