"""A cap on what one job may get: the same work on fewer servers, or less of it where many servers are not used well.

A job that runs for d on v servers runs for d·S(v)/S(c) on c, S the speed-up. Linear speed-up, S(n) = n, keeps the work
(need × duration). By Amdahl's law a share f of the program runs on one server only, S(n) = 1/(f + (1 − f)/n): then a
cap saves work.
"""

from __future__ import annotations

from dataclasses import dataclass

from msj.errors import InvalidInput
from msj.model import System
from msj.model.changes import with_largest_need
from msj.model.numbers import number


@dataclass(frozen=True, kw_only=True)
class Efficiency:
    """How much faster a job runs on more servers; ``serial`` is Amdahl's share."""

    serial: float = 0.0

    def speed_up(self, servers: int) -> float:
        """Return how many times as fast as on one server a job runs."""
        return 1.0 / (self.serial + (1.0 - self.serial) / servers)


def read_efficiency(text: str | None) -> Efficiency:
    """Read ``linear`` or ``amdahl:0.05``.

    Examples
    --------
    >>> round(read_efficiency("amdahl:0.1").speed_up(9), 12)
    5.0
    """
    if text in (None, "linear"):
        return Efficiency()
    word, _, value = str(text).partition(":")
    if word != "amdahl":
        raise InvalidInput(f"efficiency {text!r} is unknown; write linear, or amdahl:0.05 (the share that is serial)")
    serial = float(number(value, "the serial share of amdahl"))
    if not 0 <= serial < 1:
        raise InvalidInput(f"efficiency {text!r}: the serial share must be at least 0 and below 1; write amdahl:0.05")
    return Efficiency(serial=serial)


def capped(system: System, largest: int, efficiency: Efficiency) -> System:
    """Return the cluster where jobs get at most so many servers, and run as long as that takes.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> [float(c.duration.mean) for c in capped(system, 1, Efficiency(serial=0.5)).classes]
    [1.0, 2.6666666666666665]
    """
    found = with_largest_need(system, largest)
    if efficiency.serial == 0:
        return found
    classes = []
    for old, new in zip(system.classes, found.classes, strict=True):
        slower = efficiency.speed_up(old.need) / efficiency.speed_up(new.need)
        classes.append(new.replace(duration=old.duration.scaled(slower)) if old.need > new.need else old)
    return found.replace(classes=classes)
