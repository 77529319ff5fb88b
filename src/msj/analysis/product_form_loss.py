"""Loss instead of waiting, exactly: the product form, for any laws of the durations (``closed_forms.loss``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis
from msj.closed_forms.loss import Loss, loss
from msj.disciplines.model import policy_of
from msj.effort import Cost
from msj.model import System
from msj.results import Quantity

METHOD, CITATION = "product form, whatever the durations", "Kaufman 1981; Roberts 1981"


class ProductFormLoss(ResponseAnalysis):
    """How many jobs are lost where nobody waits."""

    name: ClassVar[str] = "product-form-loss"
    summary: ClassVar[str] = "loss probabilities where a job that does not fit leaves; any durations, large clusters"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD

    def supports(self, system: System) -> str | None:
        if system.model is not None:
            return f"the model is '{system.model.name}' and the product form is that of plain clusters"
        if not policy_of(system).turns_away:
            return f"under policy '{system.policy.name}' jobs wait and none is lost"
        return None

    def concerns(self, system: System) -> bool:
        return system.model is None and policy_of(system).turns_away

    def cost(self, system: System) -> Cost:
        needs = len({c.need for c in system.active_classes})
        return Cost(operations=100.0 * needs * system.servers, bytes=8.0 * system.servers)

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return "a job stays its duration or not at all, so there are no percentiles to give"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        return AtRate(rows=tuple(_rows(system, rate, _lost(system, rate))))

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:
        """Return P(n jobs in the system); n jobs are n servers only where all needs are 1, so others are refused."""
        if any(c.need > 1 for c in system.active_classes):
            return super().jobs_law(system, rate, last)
        law = _lost(system, rate).busy_servers
        return np.append(law, np.zeros(max(last + 1 - len(law), 0)))[: last + 1]


def _lost(system: System, rate: float) -> Loss:
    active = system.active_classes
    offered = [rate * float(c.share) * float(c.duration.mean) for c in active]
    return loss(servers=system.servers, needs=[c.need for c in active], offered=offered)


def _rows(system: System, rate: float, found: Loss) -> Iterator[Quantity]:
    active = system.active_classes
    shares = np.array([float(c.share) for c in active])
    present = rate * shares * np.array([float(c.duration.mean) for c in active]) * (1.0 - found.probabilities)
    facts: dict[str, Any] = {"kind": "exact", "method": METHOD, "citation": CITATION}
    for name, overall, each in (
        ("loss_probability", float(shares @ found.probabilities), found.probabilities),
        ("mean_jobs_in_system", float(present.sum()), present),
    ):
        yield Quantity(name=name, value=overall, **facts)
        for c, value in zip(active, each, strict=True):
            yield Quantity(name=name, value=float(value), job_class=c.name, **facts)
    yield Quantity(name="utilisation", value=found.mean_busy_servers / system.servers, **facts)


VARIANT = ProductFormLoss
