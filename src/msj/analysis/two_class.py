"""Two exponential classes under FCFS: the product form (``closed_forms.two_class``)."""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import Saturated, SaturatedAnalysis, why_not_exponential, why_not_fcfs
from msj.closed_forms import two_class
from msj.effort import Cost
from msj.model import System


class TwoClassForm(SaturatedAnalysis):
    """Threshold and waste for two exponential classes, to millions of servers."""

    name: ClassVar[str] = "two-class"
    summary: ClassVar[str] = "threshold and waste of FCFS with two exponential classes, to millions of servers"
    citation: ClassVar[str] = "twoclass, Theorems 4.1-4.3"
    closed_form: ClassVar[bool] = True
    gives_completions: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        reason = why_not_fcfs(system) or why_not_exponential(system)
        if reason is None:
            active = system.active_classes
            if len(active) != 2:
                return f"there are {len(active)} classes and this form needs exactly two"
            if active[0].need == active[1].need:
                return f"both classes need {active[0].need} servers and this form needs two different needs"
        return reason

    def cost(self, system: System) -> Cost:
        return Cost(operations=200.0 * system.servers)

    def saturate(self, system: System) -> Saturated:
        first, second = system.active_classes
        found = two_class(
            servers=system.servers,
            needs=(first.need, second.need),
            shares=(float(first.share), float(second.share)),
            rates=(1.0 / float(first.duration.mean), 1.0 / float(second.duration.mean)),
        )
        return Saturated(
            stability_threshold=found.stability_threshold,
            wasted_servers=found.wasted_servers,
            saturated_utilisation=found.saturated_utilisation,
            method="two-class product form",
            citation=self.citation,
        )


VARIANT = TwoClassForm
