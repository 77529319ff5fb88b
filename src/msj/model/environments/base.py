"""What every environment offers: servers it takes and the speed it leaves, as semi-Markov components.

An environment runs on by itself, whatever jobs there are (reset, section 7: the environmental state; section 3.2:
queues with a Markovian service rate). It is one or several independent *components*; each stays in a state for a time
of that state's law, jumps by given probabilities, takes so many servers of each group in each state, and multiplies the
speed at which jobs make progress. How servers go is part of it: any of those that are up, or idle ones first.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput, MsjError
from msj.model.chosen import Chosen, chosen_from
from msj.model.durations import Duration, Exponential, duration_from_spec
from msj.model.matrix import law_of
from msj.model.numbers import text
from msj.model.table import plain
from msj.registry import ENVIRONMENTS, nearest

ANY, IDLE_FIRST = "any", "idle first"


@dataclass(frozen=True, kw_only=True)
class Component:
    """A semi-Markov process: what it takes of each group in each state, and the speed it leaves."""

    sojourn: tuple[Duration, ...]
    jump: tuple[tuple[float, ...], ...]
    taken: tuple[tuple[int, ...], ...]
    speed: tuple[float, ...]
    hits: str

    @cached_property
    def visits(self) -> NDArray[np.float64]:
        """How often each state is entered, per unit of time."""
        chances = np.array([float(v) for v in law_of(self.jump, "jump")])
        return np.asarray(chances / (chances @ self.mean_sojourns))

    @cached_property
    def mean_sojourns(self) -> NDArray[np.float64]:
        """How long each state lasts on average."""
        return np.array([float(law.mean) for law in self.sojourn])

    @property
    def time_in_states(self) -> NDArray[np.float64]:
        """The share of time spent in each state."""
        return np.asarray(self.visits * self.mean_sojourns)

    def asymptotic_variance(self, values: NDArray[np.float64]) -> float:
        """Return the variance per unit of time, in the long run, of the integral of a value that each state has.

        From a state i to the next the integral of value − mean changes by f·S, and h, which solves f·E[S] + P·h = h,
        makes it a martingale; its increments have the variance f²·Var(S) + Var(h after the jump).

        Examples
        --------
        On and off for exponential times of mean 1: the covariance at lag t is exp(−2t)/4.

        >>> turns = Component(sojourn=(Exponential(mean=1),) * 2, jump=((0.0, 1.0), (1.0, 0.0)), taken=((0,), (1,)),
        ...                   speed=(1.0, 1.0), hits=ANY)
        >>> round(turns.asymptotic_variance(np.array([1.0, 0.0])), 12)
        0.25
        """
        beyond = values - values @ self.time_in_states
        variances = np.array([law.second_moment - float(law.mean) ** 2 for law in self.sojourn])
        if not np.isfinite(variances).all():
            return math.inf if np.any(beyond[~np.isfinite(variances)]) else 0.0
        jump = np.array(self.jump, dtype=float)
        h = np.zeros(len(values))  # h = 0 in state 0: the equations leave a constant open
        h[1:] = np.linalg.solve(np.eye(len(h) - 1) - jump[1:, 1:], (beyond * self.mean_sojourns)[1:])
        after = jump @ h
        return float(self.visits @ (beyond**2 * variances + np.maximum(jump @ h**2 - after**2, 0.0)))


class Environment(Chosen, ABC):
    """Base of what ``environment = { name = ... }`` can name: frozen dataclasses whose fields are the options."""

    kind: ClassVar[str] = "environment"

    @abstractmethod
    def components(self, groups: Mapping[str, int]) -> list[Component]:
        """Return the components around groups of so many servers."""

    def check(self, groups: Mapping[str, int]) -> None:
        """Refuse groups that contradict it."""
        named = getattr(self, "group", None)
        if named is not None and named not in groups:
            has = nearest(named, groups) if len(groups) > 1 else "add model 'server-groups', or leave group out"
            raise InvalidInput(f"group '{named}' does not exist; {has}")

    def set_law(self, key: str) -> None:
        """Make a duration law of a field that may be the table that describes one."""
        value = getattr(self, key)
        if isinstance(value, Duration) or value is None:
            return
        try:
            object.__setattr__(self, key, duration_from_spec(plain(value)))
        except MsjError as error:
            raise error.within(key) from None

    def set_group(self) -> None:
        """Check the name of a group."""
        if getattr(self, "group", None) is not None:
            text(getattr(self, "group"), "group")  # noqa: B009


def from_last(count: int, groups: Mapping[str, int], group: str | None) -> tuple[int, ...]:
    """Return how many servers of each group are taken if ``count`` are: of one group, or of the last ones first.

    Examples
    --------
    >>> from_last(3, {"old": 4, "new": 2}, None)
    (1, 2)
    """
    if group is not None:
        return tuple(count if name == group else 0 for name in groups)
    left, taken = count, []
    for servers in reversed(list(groups.values())):
        taken.append(min(left, servers))
        left -= taken[-1]
    return tuple(reversed(taken))


def birth_and_death(
    up: Sequence[float], down: Sequence[float], taken: Sequence[tuple[int, ...]], hits: str
) -> Component:
    """Return a component that goes up and down by one; ``up`` and ``down`` are rates by state."""
    states = range(len(taken))
    total = [up[n] + down[n] for n in states]
    jump = [[0.0] * len(taken) for _ in states]
    for n in states:
        if up[n]:
            jump[n][n + 1] = up[n] / total[n]
        if down[n]:
            jump[n][n - 1] = down[n] / total[n]
    return Component(
        sojourn=tuple(Exponential(rate=rate) for rate in total),
        jump=tuple(map(tuple, jump)),
        taken=tuple(taken),
        speed=(1.0,) * len(taken),
        hits=hits,
    )


def environments_from(given: Any) -> tuple[Environment, ...]:
    """Return what ``environment = ...`` describes: a table or a list of tables.

    Examples
    --------
    >>> made = environments_from({"name": "breakdowns", "rate": 0.1, "repair": {"law": "exponential", "mean": 2}})
    >>> made[0].rate
    0.1
    """
    if given is None:
        return ()
    tables = given if isinstance(given, (list, tuple)) else [given]
    found = []
    for i, table in enumerate(tables):
        try:
            found.append(chosen_from(ENVIRONMENTS, table, "breakdowns"))
        except MsjError as error:
            raise (error.within(f"[{i}]") if isinstance(given, (list, tuple)) else error) from None
    return tuple(found)
