"""What any policy could take, whatever the durations: the linear programme over packings.

The mathematics is in ``closed_forms.packing_programme``; here b_i is the share of a class times its mean duration. The
bound knows nothing of the policy: it holds for whoever gives a job its need, all of it, while it runs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from msj.analysis.base import LimitAnalysis, without_load
from msj.closed_forms.packing_programme import packing_programme
from msj.disciplines.model import policy_of
from msj.effort import Cost
from msj.model import System
from msj.results import Quantity

ROUNDING = 1e-12
ROUNDS = 10.0  # packings generated for each class, about


class AttainableThreshold(LimitAnalysis):
    """The greatest arrival rate at which some policy keeps the queue from growing."""

    name: ClassVar[str] = "attainable-threshold"
    summary: ClassVar[str] = "what the best of all policies could take, any durations, classes and size"
    citation: ClassVar[str] = "Maguluri, Srikant & Ying 2012"

    def supports(self, system: System) -> str | None:
        if system.model is not None:
            return f"the model is '{system.model.name}' and packings are those of plain clusters"
        policy = policy_of(system)
        if policy.turns_away:
            return f"policy '{policy.name}' turns jobs away, so it takes any load"
        if policy.shares_speed:
            return f"under policy '{policy.name}' jobs may run on fewer servers than they need"
        if policy.fastest_speed(system.servers) != 1.0:
            return f"under policy '{policy.name}' servers have different speeds"
        return None

    def cost(self, system: System) -> Cost:
        needs = len({c.need for c in system.active_classes})
        return Cost(operations=ROUNDS * needs * needs * system.servers, bytes=40.0 * system.servers)

    def limits(self, system: System) -> list[Quantity]:
        return [_row(without_load(system))]


@lru_cache(maxsize=64)
def _row(system: System) -> Quantity:
    active = system.active_classes
    found = packing_programme(
        servers=system.servers,
        needs=[c.need for c in active],
        in_service=[float(c.share) * float(c.duration.mean) for c in active],
    )
    return Quantity(
        name="attainable_threshold",
        value=system.naive_threshold if found.threshold >= system.naive_threshold * (1 - ROUNDING) else found.threshold,
        kind="bound",
        method="linear programme over packings, any policy",
        citation=AttainableThreshold.citation,
    )


VARIANT = AttainableThreshold
