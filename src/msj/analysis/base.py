"""What every analysis declares: whether it applies, what it costs, and what it gives.

An analysis says whether it applies to a system (``supports`` returns None, or the reason in words) and what it would
cost (``cost``, in operations and bytes). There are five kinds, by the question they answer: the saturated system
(:class:`SaturatedAnalysis`), response times at an arrival rate (:class:`ResponseAnalysis`), bounds on them
(:class:`BoundAnalysis`), these term by term (:class:`TermAnalysis`), and what no policy can exceed
(:class:`LimitAnalysis`). ``answers`` asks whatever file of this
folder applies, surest and cheapest first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.chain_cost import in_words
from msj.disciplines.base import told_apart
from msj.disciplines.fcfs import Fcfs, is_fcfs
from msj.disciplines.model import policy_of
from msj.disciplines.restarting import why_not_resumed
from msj.effort import Cost
from msj.errors import NotSupported
from msj.model import System
from msj.model.assumptions import why_not_independent, why_not_poisson
from msj.model.durations import Exponential
from msj.results import Quantity

A_MOMENT = 5e8  # operations
BEYOND = 1e14  # operations that nobody waits for; no chain so large is even built


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


@dataclass(frozen=True, kw_only=True)
class AtRate:
    """What an analysis found at an arrival rate: rows, facts for the provenance, and notes for people.

    ``reset_difference`` computes E[T] minus its RESET prediction; None where only a subtraction would.
    """

    rows: tuple[Quantity, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reset_difference: Callable[[], float] | None = None


class Analysis(ABC):
    """One way to answers about a system."""

    name: ClassVar[str]
    summary: ClassVar[str]
    citation: ClassVar[str]
    #: What it needs of arrivals and jobs. An analysis that says nothing is not asked about other systems.
    needs_poisson: ClassVar[bool] = True
    needs_independence: ClassVar[bool] = True
    #: Whether jobs that are stopped must go on where they were.
    needs_resumption: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = cls.__dict__.get("supports")
        if own is not None and not getattr(own, "__isabstractmethod__", False):
            cls.supports = _within_its_needs(own)  # type: ignore[method-assign, assignment]

    @abstractmethod
    def supports(self, system: System) -> str | None:
        """Return None if the analysis applies to ``system``, else the reason why not."""

    def concerns(self, system: System) -> bool:  # noqa: ARG002
        """Return whether such a system is what it is made for; if not, people need not hear why it does not apply."""
        return True

    def cost(self, system: System) -> Cost:  # noqa: ARG002
        """Return what it would spend on a system it supports; what says nothing costs next to nothing."""
        return Cost(operations=0.0)

    def how_long(self, system: System) -> str:
        """Say whether an answer about a system it supports can be waited for: ``yes``, how long, or ``no``."""
        cost = self.cost(system)
        if not cost.operations <= BEYOND:
            return "no: too large, it would take days or not fit into memory"
        return "yes" if cost.operations <= 10 * A_MOMENT else f"yes, {in_words(cost)}"

    def in_a_moment(self, system: System) -> bool:
        """Return whether it takes a fraction of a second on a system it supports; that is known at once."""
        return self.cost(system).operations <= A_MOMENT

    def require(self, system: System) -> None:
        """Raise :class:`NotSupported` with the reason if the analysis does not apply."""
        reason = self.supports(system)
        if reason is not None:
            raise NotSupported(f"{self.name} does not apply: {reason}")


def _within_its_needs(own: Callable[[Any, System], str | None]) -> Callable[[Any, System], str | None]:
    """Return ``supports`` with what the analysis needs of arrivals and jobs asked first: no file can forget to ask."""

    @wraps(own)
    def supports(self: Analysis, system: System) -> str | None:
        unmet = (
            (why_not_poisson(system) if self.needs_poisson else None)
            or (why_not_independent(system) if self.needs_independence else None)
            or (why_not_resumed(system) if self.needs_resumption else None)
        )
        return unmet or own(self, system)

    return supports


class SaturatedAnalysis(Analysis):
    """An analysis of the saturated system; when and how many jobs arrive does not matter to it."""

    needs_poisson: ClassVar[bool] = False

    #: Whether it is a formula: surer than a chain, whose solution has a residual.
    closed_form: ClassVar[bool] = False
    #: Whether it gives relative completions, and so the RESET prediction.
    gives_completions: ClassVar[bool] = True

    @abstractmethod
    def saturate(self, system: System) -> Saturated:
        """Compute the facts of a system it supports."""


class ResponseAnalysis(Analysis):
    """Exact response times at an arrival rate below the threshold."""

    #: How it computes, in the words of its rows' ``method``.
    method: ClassVar[str] = "exact analysis"

    @abstractmethod
    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:
        """Return means, what is known of waiting and, if asked, percentiles, for a system it supports."""

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        """Return the reason where it knows no percentiles of a system it supports, else None."""
        return None

    def percentile_cost(self, system: System) -> Cost:  # noqa: ARG002
        """Return what the percentiles would spend beyond :meth:`cost`."""
        return Cost(operations=0.0)

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:  # noqa: ARG002
        """Return P(n jobs in the system) for n = 0..last."""
        raise NotSupported(f"{self.name} does not give the law of the number of jobs")


class BoundAnalysis(Analysis):
    """Bounds and limits at an arrival rate."""

    @abstractmethod
    def at_rate(self, system: System, rate: float) -> list[Quantity]:
        """Return the bounds that exist."""


class TermAnalysis(Analysis):
    """What the proofs of bounds and limits are made of, each term with its exact value where that is known.

    Asked only where somebody wants it (``analyse --bounds``); at the rate given, which is below the threshold.
    """

    @abstractmethod
    def terms(self, system: System, rate: float) -> list[Quantity]:
        """Return the terms."""


class LimitAnalysis(Analysis):
    """What no policy can exceed; neither how much arrives nor in which order matters, only the shares."""

    needs_poisson: ClassVar[bool] = False
    needs_independence: ClassVar[bool] = False
    needs_resumption: ClassVar[bool] = False  # who loses work takes no more for it

    @abstractmethod
    def limits(self, system: System) -> list[Quantity]:
        """Return the limits that exist."""


def without_load(system: System) -> System:
    """Return the system as chains know it: how much arrives does not matter, nor what people call it."""
    return system.replace(arrival_rate=None, load=None, utilisation=None, name="")


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
    if system.model is not None or policy_of(system).shares_speed:
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
