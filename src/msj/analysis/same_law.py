"""One exponential duration law for all classes under FCFS (``closed_forms.same_law``)."""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import Saturated, SaturatedAnalysis, why_not_exponential, why_not_fcfs
from msj.closed_forms import same_law
from msj.effort import Cost
from msj.model import System


class SameLawForm(SaturatedAnalysis):
    """Threshold and waste when need and duration are independent and durations exponential."""

    name: ClassVar[str] = "same-law"
    summary: ClassVar[str] = "threshold and waste of FCFS when all classes share one exponential law"
    citation: ClassVar[str] = "twoclass, Theorem 8.1"
    closed_form: ClassVar[bool] = True
    gives_completions: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        reason = why_not_fcfs(system) or why_not_exponential(system)
        if reason is None:
            first, *others = system.active_classes
            for c in others:
                if float(c.duration.mean) != float(first.duration.mean):
                    return (
                        f"classes '{first.name}' and '{c.name}' have means {float(first.duration.mean):g} and "
                        f"{float(c.duration.mean):g}, and this form needs one law for all"
                    )
        return reason

    def cost(self, system: System) -> Cost:
        return Cost(operations=50.0 * system.servers * len(system.active_classes))

    def saturate(self, system: System) -> Saturated:
        active = system.active_classes
        found = same_law(
            servers=system.servers,
            needs=[c.need for c in active],
            shares=[float(c.share) for c in active],
            rate=1.0 / float(active[0].duration.mean),
        )
        return Saturated(
            stability_threshold=found.stability_threshold,
            wasted_servers=found.wasted_servers,
            saturated_utilisation=found.saturated_utilisation,
            method="one service law, renewal sum",
            citation=self.citation,
        )


VARIANT = SameLawForm
