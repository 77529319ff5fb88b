"""Two exponential classes under FCFS: the product form (``closed_forms.two_class``).

Classes of one need and one rate are one class to it.
"""

from __future__ import annotations

from typing import ClassVar

from msj.analysis.base import Saturated, SaturatedAnalysis, why_not_exponential, why_not_fcfs
from msj.closed_forms import two_class
from msj.effort import Cost
from msj.model import System
from msj.model.numbers import Number


class TwoClassForm(SaturatedAnalysis):
    """Threshold, waste and relative completions for two exponential classes, to millions of servers."""

    name: ClassVar[str] = "two-class"
    summary: ClassVar[str] = "threshold, waste and RESET of FCFS with two exponential classes, to millions of servers"
    citation: ClassVar[str] = "twoclass, Theorems 4.1-4.3"
    closed_form: ClassVar[bool] = True

    def supports(self, system: System) -> str | None:
        reason = why_not_fcfs(system) or why_not_exponential(system)
        if reason is None:
            kinds = list(_kinds(system))
            if len(kinds) != 2:
                return f"there are {len(kinds)} classes and this form needs exactly two"
            if kinds[0][0] == kinds[1][0]:
                return f"both classes need {kinds[0][0]} servers and this form needs two different needs"
        return reason

    def cost(self, system: System) -> Cost:
        return Cost(operations=200.0 * system.servers)

    def saturate(self, system: System) -> Saturated:
        kinds = _kinds(system)
        needs, means = zip(*kinds, strict=True)
        found = two_class(
            servers=system.servers,
            needs=needs,
            shares=[float(share) for share in kinds.values()],
            rates=[1.0 / mean for mean in means],
        )
        return Saturated(
            stability_threshold=found.stability_threshold,
            wasted_servers=found.wasted_servers,
            saturated_utilisation=found.saturated_utilisation,
            relative_completions_at_departure=found.relative_completions_at_departure,
            method="two-class product form",
            citation=self.citation,
        )


def _kinds(system: System) -> dict[tuple[int, float], Number]:
    """Return the share of the arrivals of each (need, mean duration)."""
    found: dict[tuple[int, float], Number] = {}
    for c in system.active_classes:
        kind = (c.need, float(c.duration.mean))
        found[kind] = found.get(kind, 0) + c.share
    return found


VARIANT = TwoClassForm
