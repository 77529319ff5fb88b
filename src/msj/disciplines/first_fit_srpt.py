"""First-Fit-SRPT: jobs in order of remaining size, each one that still fits is served.

Remaining size is need × remaining duration; ties by arrival. Preemptive
(Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022). With ``oldest`` n only the n oldest jobs are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.by_size import AmongOldest


@dataclass(frozen=True, kw_only=True)
class FirstFitSrpt(AmongOldest):
    """Jobs of least remaining size first, of all or of the ``oldest``; preemptive."""

    name: ClassVar[str] = "first-fit-srpt"
    summary: ClassVar[str] = "least remaining size first; each one that still fits is served; option oldest"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"
    greedy: ClassVar[bool] = False


VARIANT = FirstFitSrpt
