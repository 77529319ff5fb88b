"""First-Fit-SRPT: jobs in order of remaining size, each one that still fits is served.

Remaining size is need × remaining duration; ties by arrival. Preemptive
(Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Serve
from msj.disciplines.by_size import BySize, serve_by_size
from msj.disciplines.served_by import ServedBy


@dataclass(frozen=True, kw_only=True)
class FirstFitSrpt(BySize):
    """Jobs of least remaining size first, preemptive."""

    name: ClassVar[str] = "first-fit-srpt"
    summary: ClassVar[str] = "least remaining size first; each one that still fits is served"
    citation: ClassVar[str] = "Grosof, Scully, Harchol-Balter and Scheller-Wolf 2022"

    def engine(self, servers: int) -> ServedBy:
        return ServedBy("msj.engines.by_size:BySizeEngine", rule="first-fit")

    @property
    def serve(self) -> Serve:
        return serve_by_size(greedy=False)


VARIANT = FirstFitSrpt
