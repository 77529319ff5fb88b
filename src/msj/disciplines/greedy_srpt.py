"""Greedy SRPT: jobs in order of remaining size, up to the first that does not fit.

Remaining size is need × remaining duration; ties by arrival. With needs of 1 this is SRPT on k servers. Preemptive
(Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022). With ``oldest`` n only the n oldest jobs are looked at; where
every job needs all servers, that is the known-size policy of wcfs, section 2.3 (``disciplines.by_size``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.by_size import AmongOldest


@dataclass(frozen=True, kw_only=True)
class GreedySrpt(AmongOldest):
    """Jobs of least remaining size first, of all or of the ``oldest``; preemptive."""

    name: ClassVar[str] = "greedy-srpt"
    summary: ClassVar[str] = "least remaining size first; up to the first that does not fit; option oldest"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    greedy: ClassVar[bool] = True


VARIANT = GreedySrpt
