"""Zhang and Zwart's approximation of limited processor sharing, right in heavy traffic (wcfs, section 4.3.1)."""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import BoundAnalysis
from msj.analysis.wcfs_bounds import ResponseTimeBounds, wcfs_bounds
from msj.closed_forms.wcfs_terms import zhang_zwart
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.model import System
from msj.results import Quantity


class LimitedSharing(BoundAnalysis):
    """E[T] of limited processor sharing by two moments."""

    name: ClassVar[str] = "limited-sharing"
    summary: ClassVar[str] = "Zhang and Zwart's approximation of E[T] under limited processor sharing"
    citation: ClassVar[str] = "wcfs, section 4.3.1"

    def supports(self, system: System) -> str | None:
        if not isinstance(system.policy, LimitedProcessorSharing):
            return f"the approximation is for '{LimitedProcessorSharing.name}'"
        if min(system.policy.together(system.servers)) < 1.0:
            return "the approximation is for a total speed that does not depend on how many share it"
        return ResponseTimeBounds().supports(system)

    def concerns(self, system: System) -> bool:
        return isinstance(system.policy, LimitedProcessorSharing)

    def at_rate(self, system: System, rate: float) -> list[Quantity]:
        found = wcfs_bounds(system, rate)
        assert found.rho is not None
        value = zhang_zwart(
            limit=found.front, utilisation=found.rho, mean_size=found.mean_size, second_moment=found.second_moment
        )
        return [
            Quantity(
                name="approximate_mean_response_time",
                value=value,
                kind="asymptotic",
                method="Zhang and Zwart, two moments",
                citation=self.citation,
            )
        ]


VARIANT = LimitedSharing
