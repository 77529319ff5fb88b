"""Servers and speed that follow a Markov chain: the M/M/1 with Markovian service rate, and its like (reset, 3.2).

The chain of ``generator`` runs on by itself. In state s there are ``servers[s]`` servers (those missing are taken from
the last group first, idle ones first) and jobs make progress at ``speed[s]`` times the usual speed. One server and
exponential jobs of mean 1 make a queue whose service rate is ``speed[s]``: an MMSR queue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.errors import InvalidInput
from msj.model.durations import Exponential
from msj.model.environments.base import IDLE_FIRST, Component, Environment, from_last
from msj.model.matrix import Rows, as_array, matrix, recurrent, require_generator, require_rates
from msj.model.numbers import Number, vector, whole


@dataclass(frozen=True, kw_only=True)
class Modulated(Environment):
    """In a spec file: environment = { name = "modulated", generator = [[-1, 1], [2, -2]], speed = [1, 0.5] }.

    ``servers`` and ``speed`` by state; all servers and speed 1 unless said.

    Examples
    --------
    >>> chain = Modulated(generator=[[-0.1, 0.1], [0.5, -0.5]], servers=[3, 1])
    >>> chain.components({"all": 3})[0].taken
    ((0,), (2,))
    """

    name: ClassVar[str] = "modulated"
    summary: ClassVar[str] = "the number of servers and their speed follow a Markov chain (MMSR)"
    citation: ClassVar[str] = "reset, section 3.2"
    time_powers: ClassVar[Mapping[str, int]] = {"generator": -1}

    generator: Rows
    servers: tuple[int, ...] | None = None
    speed: tuple[Number, ...] | None = None

    def __post_init__(self) -> None:
        rows = matrix(self.generator, "generator")
        require_rates(rows, "generator", diagonal=True)
        require_generator([rows], "generator")
        object.__setattr__(self, "generator", rows)
        if len(rows) < 2 or len(recurrent(rows, "generator")) < len(rows):
            raise InvalidInput(
                "generator does not lead from every state to every other; give at least 2 states that do"
            )
        if self.servers is not None:
            given = self._by_state("servers")
            object.__setattr__(self, "servers", tuple(whole(n, f"servers[{i}]", least=0) for i, n in enumerate(given)))
        if self.speed is not None:
            given = self._by_state("speed")
            for i, value in enumerate(given):
                if value < 0:
                    raise InvalidInput(f"speed[{i}] = {value} must be at least 0; 0 stands still")
            if not any(given):
                raise InvalidInput("speed is 0 in every state; let jobs make progress in some")
            object.__setattr__(self, "speed", given)

    def _by_state(self, key: str) -> tuple[Any, ...]:
        given = vector(getattr(self, key), key)
        if len(given) != len(self.generator):
            raise InvalidInput(
                f"{key} has {len(given)} entries and generator {len(self.generator)} states; give one each"
            )
        return given

    def check(self, groups: Mapping[str, int]) -> None:
        there = sum(groups.values())
        for i, n in enumerate(self.servers or ()):
            if n > there:
                raise InvalidInput(f"servers[{i}] = {n} is more than there are, {there}; give how many are left")

    def components(self, groups: Mapping[str, int]) -> list[Component]:
        rates = as_array(self.generator)
        there, states = sum(groups.values()), range(len(rates))
        left = self.servers or (there,) * len(rates)
        leaving = [float(rates[i].sum() - rates[i, i]) for i in states]
        return [
            Component(
                sojourn=tuple(Exponential(rate=rate) for rate in leaving),
                jump=tuple(tuple(0.0 if i == j else float(rates[i, j]) / leaving[i] for j in states) for i in states),
                taken=tuple(from_last(there - n, groups, None) for n in left),
                speed=(1.0,) * len(rates) if self.speed is None else tuple(float(s) for s in self.speed),
                hits=IDLE_FIRST,
            )
        ]


VARIANT = Modulated
