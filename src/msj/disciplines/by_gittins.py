"""What the policies share that rank jobs by their need times the Gittins rank of their age (``gittins_rank``).

They are told the law of each class and how long a job has been served, not how long it will take. Where no laws are
known (a log) all jobs are taken to be alike: then small needs go first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from msj.disciplines.base import Policy
from msj.disciplines.gittins_rank import gittins_ranks
from msj.disciplines.served_by import ServedBy
from msj.model import System


@dataclass(frozen=True, kw_only=True)
class ByGittins(Policy):
    """Base of the policies in order of the Gittins rank."""

    preemptive: ClassVar[bool] = True
    knows_laws: ClassVar[bool] = True
    why_no_restart: ClassVar[str] = "ranks jobs by their age, as jobs that go on where they were"

    #: Ages and ranks of each class, where a system says its laws; no option.
    tables: ClassVar[tuple[Any, ...]] = ()

    @property
    def front(self) -> None:
        return None

    def on(self, system: System) -> Self:
        there = self.replace()
        object.__setattr__(there, "tables", tuple(gittins_ranks(c.duration) for c in system.classes))
        return there

    def ranked(self, rule: str) -> ServedBy:
        """Return the engine; each of the policies names it itself, for it belongs to its rule."""
        return ServedBy("msj.engines.by_size:BySizeEngine", rule=rule, tables=self.tables, alike=not self.tables)
