"""What a curve varies: a class's share, the ratio of two rates, or the number of servers.

Each knows how to change a system and where to put points: even steps of the share of work w that a class holds, and of
log(w/(1 − w)) (see ``answers.waste_curve``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput, TooLarge
from msj.model import System
from msj.model.numbers import positive, probability, whole
from msj.model.ranges import Range
from msj.model.ranges import parse_vary as parse_values
from msj.model.value import Value
from msj.registry import nearest

Array: TypeAlias = NDArray[np.float64]

MOST_POINTS = 20_000
MARKS = 21  # evenly spaced values among the points, for people to read


@dataclass(frozen=True, kw_only=True)
class VaryShare(Value):
    """Vary the share of one class; the others keep their proportions among themselves."""

    job_class: str
    low: float = 0.0
    high: float = 1.0
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _check_range(self, lambda value, name: float(probability(value, name)))

    def __str__(self) -> str:
        return _written(self, f"{self.low:.10g}..{self.high:.10g}")

    @property
    def name(self) -> str:
        """What is varied."""
        return f"share:{self.job_class}"

    def place(self, value: float) -> dict[str, float | str]:
        """Return the coordinates of one value."""
        return {"class_share": value, "of_class": self.job_class}

    def at(self, system: System, value: float) -> System:
        """Return the system at one value."""
        rest = {name: (1.0 - value) * part for name, part in self._parts(system).items()}
        return system.replace(classes=[c.replace(share=rest.get(c.name, value)) for c in system.classes])

    def grid(self, system: System, points: int) -> list[float]:
        """Return the values to begin with, about three quarters of ``points``."""
        work = {c.name: system.work_of(c) for c in system.classes}
        others = sum(part * work[name] for name, part in self._parts(system).items())
        odds_of_work = work[self.job_class] / others
        # Nothing happens any more close to 0 or 1, once the rare jobs hold few servers and block few others.
        fewest = min(c.need for c in system.classes) / system.servers
        low = self.low or 1e-3 * min(fewest, 1.0 / odds_of_work)
        rest = 1.0 - self.high or 1e-3 * min(fewest, odds_of_work)
        marks = np.linspace(self.low, self.high, min(points // 4 + 2, MARKS))
        if low + rest >= 1.0:  # the whole range lies there
            return _readable(marks)
        odds = _spread(odds_of_work * low / (1.0 - low), odds_of_work * (1.0 - rest) / rest, points) / odds_of_work
        return _readable(marks, odds / (1.0 + odds))

    def _parts(self, system: System) -> dict[str, float]:
        """Return what part of the rest each other class takes."""
        others = {c.name: float(c.share) for c in system.classes if c.name != self.job_class}
        if len(others) == len(system.classes):
            raise InvalidInput(f"there is no class '{self.job_class}'; {nearest(self.job_class, others)}")
        total = sum(others.values())
        if total == 0 and len(others) != 1:
            raise InvalidInput(
                f"class '{self.job_class}' has all arrivals, so nothing says which classes take the rest; "
                "give others a share, or vary servers"
            )
        return {name: share / total if total else 1.0 for name, share in others.items()}


@dataclass(frozen=True, kw_only=True)
class VaryRateRatio(Value):
    """Vary the rate (one over the mean duration) of the second of two classes, as a multiple of the first one's."""

    name: ClassVar[str] = "rate-ratio"

    low: float = 0.0
    high: float = 0.0
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _check_range(self, lambda value, name: float(positive(value, name)))

    def __str__(self) -> str:
        return _written(self, f"{self.low:.10g}..{self.high:.10g}")

    def place(self, value: float) -> dict[str, float | str]:
        """Return the coordinates of one value."""
        return {"rate_ratio": value}

    def at(self, system: System, value: float) -> System:
        """Return the system at one value."""
        system = system.only_active
        active = system.classes
        if len(active) != 2:
            raise InvalidInput(f"a rate ratio takes two classes and {len(active)} arrive; vary a share or servers")
        first, second = active
        factor = float(first.duration.mean) / (value * float(second.duration.mean))
        return system.replace(classes=[first, second.replace(duration=second.duration.scaled(factor))])

    def grid(self, system: System, points: int) -> list[float]:
        """Return the values to begin with, about three quarters of ``points``."""
        first, second = system.active_classes
        odds_of_work = float(first.share) * first.need / (float(second.share) * second.need)
        odds = _spread(odds_of_work * self.low, odds_of_work * self.high, points)
        return _readable(np.geomspace(self.low, self.high, min(points // 4 + 2, MARKS)), odds / odds_of_work)


@dataclass(frozen=True, kw_only=True)
class VaryServers(Value):
    """Vary the number of servers, by whole numbers."""

    name: ClassVar[str] = "servers"

    low: int = 0
    high: int = 0
    step: int = 1
    values: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_range(self, whole)
        object.__setattr__(self, "step", whole(self.step, "servers: step"))

    def __str__(self) -> str:
        return _written(self, f"{self.low}..{self.high}" + (f"..{self.step}" if self.step > 1 else ""))

    def place(self, value: float) -> dict[str, float | str]:
        """Return the coordinates of one value."""
        return {"servers": int(value)}

    def at(self, system: System, value: float) -> System:
        """Return the system at one value."""
        return system.only_active.replace(servers=int(value))

    def grid(self) -> list[int]:
        """Return all values."""
        if self.values:
            return [*self.values]
        count = (self.high - self.low) // self.step + 1
        if count > MOST_POINTS:
            wider = self.replace(step=-(-count * self.step // MOST_POINTS))
            raise TooLarge(f"{self} asks for {count:.6g} systems, above {MOST_POINTS:,}; add a step: {wider}")
        return list(range(self.low, self.high + 1, self.step))


Vary: TypeAlias = VaryShare | VaryRateRatio | VaryServers


def _written(vary: Vary, ends: str) -> str:
    return f"{vary.name}={','.join(f'{value:.10g}' for value in vary.values) or ends}"


def _check_range(vary: Vary, valid: Callable[[object, str], float]) -> None:
    if vary.values:
        values = tuple(sorted({valid(value, vary.name) for value in vary.values}))
        for key, value in (("values", values), ("low", values[0]), ("high", values[-1])):
            object.__setattr__(vary, key, value)
        return
    for key in ("low", "high"):
        object.__setattr__(vary, key, valid(getattr(vary, key), f"{vary.name}: {key}"))
    if not vary.low < vary.high:
        raise InvalidInput(f"{vary} does not rise; write the lower value first")


def parse_vary(text: str) -> Vary:
    """Read ``share:CLASS=VALUES``, ``rate-ratio=VALUES`` or ``servers=VALUES`` (``model.ranges``).

    Examples
    --------
    >>> str(parse_vary("servers=10..400..10")), parse_vary("rate-ratio=0.01..100/3").values
    ('servers=10..400..10', (0.01, 50.005, 100.0))
    """
    forms = {"share": "share:CLASS=0..1", "rate-ratio": "rate-ratio=0.01..100", "servers": "servers=10..400"}
    how = f"write one of {', '.join(forms.values())}"
    what, parts = parse_values(text, how)
    kind, _, job_class = what.partition(":")
    if kind not in forms or (kind == "share") != bool(job_class):
        raise InvalidInput(f"'{text}' does not say what to vary; {how}")
    first = parts[0]
    ends: dict[str, Any]
    if len(parts) == 1 and isinstance(first, Range) and first.points is None and (not first.step or kind == "servers"):
        ends = {"low": first.low, "high": first.high} | ({"step": first.step} if first.step else {})
    else:
        ends = {"values": [value for part in parts for value in _listed(part, whole=kind == "servers")]}
    if kind == "share":
        return VaryShare(job_class=job_class, **ends)
    return VaryRateRatio(**ends) if kind == "rate-ratio" else VaryServers(**ends)


def _listed(part: Range | str, *, whole: bool) -> list[Any]:
    return part.values(whole=whole) if isinstance(part, Range) else [part]


def _spread(low: float, high: float, points: int) -> Array:
    """Return odds w/(1 − w) between two odds: half of ``points`` even in w, a quarter in the logarithm of the odds."""
    w = np.linspace(low / (1.0 + low), high / (1.0 + high), points // 2 + 2)[1:-1]
    return np.concatenate((np.geomspace(low, high, points // 4 + 2)[1:-1], w / (1.0 - w)))


def _readable(*values: Array) -> list[float]:
    """Return the values in order, without the digits that are only rounding."""
    return sorted({float(f"{value:.12g}") for value in np.concatenate(values)})
