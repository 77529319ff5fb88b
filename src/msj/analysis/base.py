"""What every analysis declares, and the facts about a saturated system they share.

An analysis says whether it applies to a system (``supports`` returns None, or the reason in words) and answers some
quantities. ``analyse`` asks those that apply, the cheapest first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from msj.disciplines.base import told_apart
from msj.disciplines.fcfs import Fcfs, is_fcfs
from msj.disciplines.sharing import Sharing
from msj.errors import NotSupported
from msj.model import System
from msj.model.durations import Exponential
from msj.results import Quantity


@dataclass(frozen=True, kw_only=True)
class Saturated:
    """What is known of the saturated system: the system that always has jobs waiting."""

    stability_threshold: float
    wasted_servers: float
    saturated_utilisation: float
    method: str
    citation: str
    relative_completions_at_departure: float | None = None  # not every closed form gives it ...
    completions_method: str | None = None  # ... and where it does not, the chain does
    completions_citation: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)


class Analysis(ABC):
    """One way to answers about a system."""

    name: ClassVar[str]
    summary: ClassVar[str]
    citation: ClassVar[str]

    @abstractmethod
    def supports(self, system: System) -> str | None:
        """Return None if the analysis applies to ``system``, else the reason why not."""

    def require(self, system: System) -> None:
        """Raise :class:`NotSupported` with the reason if the analysis does not apply."""
        reason = self.supports(system)
        if reason is not None:
            raise NotSupported(f"{self.name} does not apply: {reason}")


class SaturatedAnalysis(Analysis):
    """An analysis of the saturated system."""

    closed_form: ClassVar[bool]
    preference: ClassVar[int]  # lower is asked first

    @abstractmethod
    def saturate(self, system: System) -> Saturated:
        """Compute the facts; call :meth:`require` first."""


def why_not_fcfs(system: System) -> str | None:
    """Return the reason if the system is not a plain cluster under FCFS."""
    if system.model is not None:
        return f"the model is '{system.model.name}' and this method knows only plain clusters"
    if not is_fcfs(system):
        return f"the policy is {told_apart(system.policy, Fcfs)} and this method knows only '{Fcfs.name}'"
    return None


def why_not_exponential(system: System) -> str | None:
    """Return the reason if some class's durations are not exponential."""
    for c in system.active_classes:
        if not isinstance(c.duration, Exponential):
            return f"class '{c.name}' has {c.duration.law} durations and this form needs exponential ones"
    return None


def mean_time_alone(system: System) -> float | None:
    """Return how long a job takes on average if it meets nobody; None where its duration does not tell.

    Under a model (set-up times, stages) or where speed is shared, a lone job may take more or less than its duration.
    """
    if system.model is not None or isinstance(system.policy, Sharing):
        return None
    return sum(float(c.share) * float(c.duration.mean) for c in system.classes)


def rows_of(saturated: Saturated) -> list[Quantity]:
    """Return the facts as rows."""
    rows = [
        Quantity(
            name=name,
            value=getattr(saturated, name),
            kind="exact",
            method=saturated.method,
            citation=saturated.citation,
        )
        for name in ("stability_threshold", "wasted_servers", "saturated_utilisation")
    ]
    if saturated.relative_completions_at_departure is not None:
        rows.append(
            Quantity(
                name="relative_completions_at_departure",
                value=saturated.relative_completions_at_departure,
                kind="exact",
                method=saturated.completions_method or saturated.method,
                citation=saturated.completions_citation or saturated.citation,
            )
        )
    return rows
