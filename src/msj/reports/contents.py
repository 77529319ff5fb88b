"""What a report holds: data only, section by section, each number with its kind, method and citation.

Text, page and JSON are three ways to write this down and know nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from msj.model import System
from msj.planning import Capacity, Remedy, WhatIf
from msj.reports.wording import count
from msj.results import Kind, Quantity, Result
from msj.results.result import plain

SectionKey = Literal["capacity", "response", "waiting", "policies", "what_if", "outlook"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One sentence, the number it rests on, and the section that shows it."""

    sentence: str
    quantity: Quantity
    section: SectionKey

    @property
    def kind(self) -> Kind:
        """How sure it is."""
        return self.quantity.kind

    def to_dict(self, time_unit: str | None = None) -> dict[str, Any]:
        """Return it as JSON writes it."""
        row = self.quantity.to_dict(time_unit)
        return {"sentence": self.sentence, "kind": self.kind, "section": self.section, "quantity": row}


@dataclass(frozen=True, kw_only=True)
class Load:
    """The load the report is about, in the three ways it can be said, and who chose it."""

    arrival_rate: float
    load: float
    utilisation: float
    words: str
    stable: bool


@dataclass(frozen=True, kw_only=True)
class Point:
    """A mean response time at an arrival rate."""

    arrival_rate: float
    utilisation: float
    mean_response_time: Quantity


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Mean response time against load by one method."""

    name: str
    kind: Kind
    points: tuple[Point, ...]


@dataclass(frozen=True, kw_only=True)
class ResponseSection:
    """Response times: curves, and all that is known at the report's load."""

    curves: tuple[Curve, ...] = ()
    here: tuple[Quantity, ...] = ()
    simulated_here: tuple[Quantity, ...] = ()
    queue_grows: bool = False  # a simulation at the load says so
    most_jobs: int | None = None  # of the simulation at the load
    enough_jobs: float | None = None  # that would have been enough, where it was too short
    notes: tuple[str, ...] = ()

    def find(self, name: str, job_class: str | None = None, level: float | None = None) -> Quantity | None:
        """Return a quantity at the report's load, the surer one first."""
        for row in (*self.here, *self.simulated_here):
            if (row.name, row.job_class, row.level) == (name, job_class, level):
                return row
        return None

    def curve(self, name: str) -> Curve | None:
        """Return the curve of that name."""
        return next((curve for curve in self.curves if curve.name == name), None)


@dataclass(frozen=True, kw_only=True)
class WaitingSection:
    """Waiting time percentiles, for all jobs (class None) and each class, level by level."""

    rows: tuple[Quantity, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PolicyRow:
    """One policy on the same jobs as the others; no numbers where its queue keeps growing."""

    policy: str
    own: bool
    asks_for: str
    stable: bool
    mean_response_time: Quantity | None
    percentile_95: Quantity | None
    difference: Quantity | None
    why_no_mean: str = ""


@dataclass(frozen=True, kw_only=True)
class PolicySection:
    """The policies compared, and those left out with the reason."""

    rows: tuple[PolicyRow, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def reasons(self) -> dict[str, list[str]]:
        """The policies left out by the reason, each reason once."""
        found: dict[str, list[str]] = {}
        for name, reason in self.left_out:
            found.setdefault(reason, []).append(name)
        return found


@dataclass(frozen=True, kw_only=True)
class WhatIfSection:
    """Changes and what they bring; where the load is too much, what would make the cluster stable."""

    rows: tuple[WhatIf, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OutlookRow:
    """The same mix of jobs on another number of servers."""

    servers: int
    quantities: tuple[Quantity, ...]

    def find(self, name: str) -> Quantity | None:
        """Return the quantity of that name."""
        return next((row for row in self.quantities if row.name == name), None)


@dataclass(frozen=True, kw_only=True)
class OutlookSection:
    """How things change as the cluster grows while ``kept``, the load or the utilisation, stays at ``share``."""

    kept: str = "load"
    share: float = 0.0
    rows: tuple[OutlookRow, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report(Result):
    """Everything about one cluster: a result whose rows stand at their section, and the sections themselves."""

    cluster: System
    load: Load | None
    findings: tuple[Finding, ...]
    capacity: Capacity | None
    response: ResponseSection
    waiting: WaitingSection
    policies: PolicySection
    what_if: WhatIfSection
    outlook: OutlookSection

    @property
    def title(self) -> str:
        """What the cluster is called."""
        return self.cluster.name or f"Cluster of {count(self.cluster.servers, 'server')}"

    @property
    def stable(self) -> bool:
        """Whether the cluster takes the load; False where that is not known to be so."""
        return self.load is not None and self.load.stable

    @property
    def methods(self) -> tuple[tuple[str, str, str], ...]:
        """Each (kind, method, citation) behind a number of the report, once."""
        found: dict[tuple[str, str, str], None] = {}
        for row in self.quantities:
            # Where numbers were given there is no method; how many jobs were simulated is in the provenance.
            if row.citation:
                found[row.kind, "simulation" if row.kind == "simulated" else row.method, row.citation] = None
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON writes it."""
        parts = (self.capacity, self.response, self.waiting, self.policies, self.what_if, self.outlook)
        more = {
            "notes": list(dict.fromkeys((*self.notes, *(note for part in parts if part for note in part.notes)))),
            "title": self.title,
            "stable": self.stable,
            "load": None if self.load is None else vars(self.load),
            "findings": [finding.to_dict(self.time_unit) for finding in self.findings],
        }
        document: dict[str, Any] = super().to_dict() | plain(more)
        return document
