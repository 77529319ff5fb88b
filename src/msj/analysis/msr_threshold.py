"""What packings that take turns can take: lambda* = min over needs of (places on average)·mu_i/p_i."""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import Saturated, SaturatedAnalysis
from msj.analysis.service_rates import queues, why_not_service_rates
from msj.disciplines.model import policy_of
from msj.disciplines.msr import Msr
from msj.effort import Cost
from msj.model import System


class MsrThreshold(SaturatedAnalysis):
    """Threshold and waste of MSR without filling up."""

    name: ClassVar[str] = "msr-threshold"
    summary: ClassVar[str] = "threshold and waste of packings that take turns (msr), exponential durations"
    citation: ClassVar[str] = "Neuts 1981, chapter 3 (drift)"
    closed_form: ClassVar[bool] = True
    gives_completions: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        return why_not_service_rates(system)

    def concerns(self, system: System) -> bool:
        return system.model is None and isinstance(policy_of(system), Msr)

    def cost(self, system: System) -> Cost:  # noqa: ARG002
        return Cost(operations=0.0)

    def saturate(self, system: System) -> Saturated:
        rate = min(queue.threshold for _, queue in queues(system))
        busy = min(rate / system.naive_threshold, 1.0)
        return Saturated(
            stability_threshold=rate,
            wasted_servers=system.servers * (1.0 - busy),
            saturated_utilisation=busy,
            method="places of each need on average",
            citation=self.citation,
        )


VARIANT = MsrThreshold
