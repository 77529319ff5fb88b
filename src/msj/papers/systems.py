"""The papers' favourite system: FCFS, exponential durations, one class per need."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from msj.model import JobClass, System
from msj.model.durations import Exponential


def exponential_system(servers: int, classes: Iterable[tuple[int, str | float, str | float]]) -> System:
    """Return the system whose classes are given as (need, share, rate); fractions may be written as texts.

    Examples
    --------
    >>> system = exponential_system(2, [(1, "2/3", 1), (2, "1/3", "1/2")])
    >>> system.naive_threshold, [c.name for c in system.classes]
    (1.0, ['need 1', 'need 2'])
    """
    return System(
        servers=servers,
        classes=tuple(
            JobClass(name=f"need {need}", need=need, share=_number(share), duration=Exponential(rate=_number(rate)))
            for need, share, rate in classes
        ),
        name=f"k = {servers}",
    )


def _number(given: str | float) -> Fraction | float:
    return Fraction(given) if isinstance(given, str) else given
