"""A front without rounding: which rational multiples of the classes' rates its rates are.

Fronts (``fronts.front_model``) are written with floats. With exponential durations every rate out of a front is
``own + sum_i c_i mu_i``, the speed c_i and the model's own rates being rational. So the front is asked with all rates
1, and again with one of them doubled at a time: what a rate grows by is c_i, and what is left is the model's own. A
speed such as 1/3 comes as the nearest float, which is no other fraction with a denominator of up to ``MOST_PARTS``; if
none is as near as rounding allows, the front is refused, never rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from msj.errors import NotSupported
from msj.fronts.front_of import front_of
from msj.model import System
from msj.model.durations import Exponential
from msj.symbolic.front_chain import Step

MOST_PARTS = 5000  # fractions with such denominators are 4e-8 apart, floats 2e-16
ROUNDING = 1e-13


def read_fraction(value: float, what: str) -> Fraction:
    """Return the fraction that a float is the rounding of.

    Examples
    --------
    >>> read_fraction(1 / 3, "a speed"), read_fraction(0.4 / 0.25, "a speed")
    (Fraction(1, 3), Fraction(8, 5))
    """
    found = Fraction(value).limit_denominator(MOST_PARTS)
    if abs(float(found) - value) > ROUNDING * max(1.0, abs(value)):
        raise NotSupported(
            f"{what}, {value!r}, is no fraction with a denominator of up to {MOST_PARTS:,}; choose simpler numbers, or "
            "use msj analyse"
        )
    return found


class ReadFront:
    """The front of a system with exponential durations, as ``symbolic.front_chain`` wants it; classes are active ones.

    Examples
    --------
    >>> import msj
    >>> jobs = [msj.JobClass(name=f"{v}", need=v, share=0.5, duration=msj.Exponential(mean=1)) for v in (1, 2)]
    >>> front = ReadFront(msj.System(servers=2, classes=jobs, policy="server-filling"))
    >>> [(step.by_class, step.after) for step in front.steps((0, 0))]
    [((Fraction(1, 1), Fraction(0, 1)), (0,)), ((Fraction(1, 1), Fraction(0, 1)), (0,))]
    """

    def __init__(self, system: System) -> None:
        self.servers = system.servers
        active = system.active_classes
        self._models = [front_of(_with_rates(system, doubled)) for doubled in (None, *range(len(active)))]
        self._place = {system.classes.index(c): i for i, c in enumerate(active)}

    @cached_property
    def fresh(self) -> Sequence[tuple[Any, int, Fraction]]:
        """Jobs that may join, their classes, and how likely they are among those of their class."""
        model = self._models[0]
        jobs = [(job, model.class_of(job), chance) for job, chance in model.fresh() if chance > 0]
        total = {c: sum(chance for _, own, chance in jobs if own == c) for _, c, _ in jobs}
        return [
            (job, self._place[c], read_fraction(chance / total[c], "how likely a job is among its class"))
            for job, c, chance in jobs
        ]

    def empty(self) -> Any:
        """Return the front without jobs."""
        return self._models[0].empty()

    def full(self, front: Any) -> bool:
        """Return whether it looks at no further job."""
        return self._models[0].full(front)

    def add(self, front: Any, job: Any) -> Any:
        """Return the front after the next job has joined."""
        return self._models[0].add(front, job)

    def settled(self, front: Any) -> Sequence[tuple[Any, Fraction]]:
        """Return the law of what a full front becomes once it is clear who is there."""
        law = self._models[0].settled(front)
        return [(found, read_fraction(chance, "a chance of the model")) for found, chance in law]

    def busy(self, front: Any) -> Fraction:
        """Return how many servers are in use."""
        busy = self._models[0].busy_servers(front)
        if busy is None:
            raise NotSupported("the front does not say how many servers are busy; add busy_servers(front) to it")
        return read_fraction(busy, "the number of busy servers")

    def steps(self, front: Any) -> Sequence[Step]:
        """Return what can happen next, with the rates taken apart."""
        plain, *doubled = [list(model.steps(front)) for model in self._models]
        found = []
        for place, (rate, after, completes) in enumerate(plain):
            parts = []
            for other in doubled:
                if len(other) != len(plain) or other[place][1:] != (after, completes):
                    raise NotSupported("what can happen to the front depends on the rates; use msj analyse")
                parts.append(read_fraction(other[place][0] - rate, "a speed of the front"))
            own = read_fraction(rate - float(sum(parts)), "a rate of the model")
            found.append(Step(own=own, by_class=tuple(parts), after=after, completes=completes))
        return found


def _with_rates(system: System, doubled: int | None) -> System:
    """Return the system with rate 1 for every class, 2 for one of the active ones."""
    active = [system.classes.index(c) for c in system.active_classes]
    classes = list(system.classes)
    for i, place in enumerate(active):
        classes[place] = classes[place].replace(duration=Exponential(rate=2 if i == doubled else 1))
    return system.replace(classes=tuple(classes))
