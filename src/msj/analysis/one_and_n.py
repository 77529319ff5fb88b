"""Jobs that need one server or all of them, under FCFS (``closed_forms.one_and_n``)."""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import Saturated, SaturatedAnalysis, why_not_exponential, why_not_fcfs
from msj.closed_forms import one_and_n
from msj.effort import Cost
from msj.model import System


class OneAndNForm(SaturatedAnalysis):
    """Threshold, waste and relative completions of the "1 and n" system, to any size."""

    name: ClassVar[str] = "one-and-n"
    summary: ClassVar[str] = "threshold, waste and RESET of FCFS with exponential jobs that need one server or all"
    citation: ClassVar[str] = "lfms, Lemmas 5.1-5.5"
    closed_form: ClassVar[bool] = True

    def supports(self, system: System) -> str | None:
        reason = why_not_fcfs(system) or why_not_exponential(system)
        if reason is None:
            needs = sorted(c.need for c in system.active_classes)
            if needs != [1, system.servers] or system.servers == 1:
                return f"the needs are {needs} and this form needs exactly one class of 1 and one of {system.servers}"
        return reason

    def cost(self, system: System) -> Cost:
        return Cost(operations=50.0 * system.servers)

    def saturate(self, system: System) -> Saturated:
        small, large = sorted(system.active_classes, key=lambda c: c.need)
        found = one_and_n(
            servers=system.servers,
            share_large=float(large.share),
            share_small=float(small.share),
            rate_small=1.0 / float(small.duration.mean),
            rate_large=1.0 / float(large.duration.mean),
        )
        return Saturated(
            stability_threshold=found.stability_threshold,
            wasted_servers=found.wasted_servers,
            saturated_utilisation=found.saturated_utilisation,
            relative_completions_at_departure=found.relative_completions_at_departure,
            method="1-and-n sums",
            citation=self.citation,
        )


VARIANT = OneAndNForm
