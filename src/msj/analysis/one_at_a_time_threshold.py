"""Threshold and waste of FCFS where every job needs more than half of the servers, whatever the durations.

No two jobs run at once, so the saturated cluster completes 1/E[S] jobs per unit of time, and the servers in use are
E[V·S]/E[S] on average, V the need and S the duration of a job (renewal reward).
"""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import Saturated, SaturatedAnalysis
from msj.analysis.one_at_a_time import why_not_one_at_a_time
from msj.model import System


class OneAtATimeThreshold(SaturatedAnalysis):
    """Threshold and waste of clusters whose jobs each need more than half of them."""

    name: ClassVar[str] = "one-at-a-time-threshold"
    summary: ClassVar[str] = "threshold and waste of FCFS where no two jobs fit at once, durations not phase type"
    citation: ClassVar[str] = "renewal reward"
    closed_form: ClassVar[bool] = True
    gives_completions: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        return why_not_one_at_a_time(system)

    def concerns(self, system: System) -> bool:
        return self.supports(system) is None

    def saturate(self, system: System) -> Saturated:
        rate = 1.0 / sum(float(c.share) * float(c.duration.mean) for c in system.active_classes)
        busy = rate * float(system.mean_work)
        return Saturated(
            stability_threshold=rate,
            wasted_servers=system.servers - busy,
            saturated_utilisation=busy / system.servers,
            method="one job runs at a time",
            citation=self.citation,
        )


VARIANT = OneAtATimeThreshold
