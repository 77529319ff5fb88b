"""What every environment offers: servers it takes and the speed it leaves, as semi-Markov components.

An environment runs on by itself, whatever jobs there are (reset, section 7: the environmental state; section 3.2:
queues with a Markovian service rate). It is one or several independent *components*; each stays in a state for a time
of that state's law, jumps by given probabilities, takes so many servers of each group in each state, and multiplies the
speed at which jobs make progress. How servers go is part of it: any of those that are up, or idle ones first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.errors import InvalidInput, MsjError
from msj.model.chosen import Chosen, chosen_from
from msj.model.durations import Duration, Exponential, duration_from_spec
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
