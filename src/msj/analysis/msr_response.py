"""Exact response times of MSR without filling up: one level process for each need (``analysis.service_rates``)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from msj.analysis.base import AtRate, ResponseAnalysis
from msj.analysis.service_rates import queues, why_not_service_rates
from msj.disciplines.model import policy_of
from msj.disciplines.msr import Msr
from msj.effort import Cost
from msj.markov.blas import blas_threads
from msj.model import System
from msj.results import Quantity

METHOD, CITATION = "a queue for each need in an environment of packings", "Latouche & Ramaswami 1999 (QBD)"


class MsrResponse(ResponseAnalysis):
    """Means of MSR, need by need."""

    name: ClassVar[str] = "msr-response"
    summary: ClassVar[str] = "exact response times of packings that take turns (msr), exponential durations"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD

    def supports(self, system: System) -> str | None:
        return why_not_service_rates(system)

    def concerns(self, system: System) -> bool:
        return system.model is None and isinstance(policy_of(system), Msr)

    def cost(self, system: System) -> Cost:
        packings = len(getattr(policy_of(system).on(system), "packings", ()))
        needs = len({c.need for c in system.active_classes})
        return Cost(operations=50.0 * needs * system.servers * packings**3, bytes=100.0 * system.servers * packings**2)

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return "percentiles are not known from counts: they do not say which job is next; simulate them"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        stay, waits = {}, {}
        with blas_threads(1):
            for need, queue in queues(system):
                law = queue.law(rate)
                stay[need] = law.mean_level() / (rate * queue.share)
                waits[need] = queue.waiting_probability(law)
        active = system.active_classes
        shares = np.array([float(c.share) for c in active])
        stays = np.array([stay[c.need] for c in active])
        waiting = stays - np.array([float(c.duration.mean) for c in active])
        probability = np.array([waits[c.need] for c in active])
        rows = []
        for name, each, weights in (
            ("mean_response_time", stays, shares),
            ("mean_waiting_time", waiting, shares),
            ("mean_jobs_in_system", rate * shares * stays, np.ones(len(active))),
            ("mean_jobs_waiting", rate * shares * waiting, np.ones(len(active))),
            ("waiting_probability", probability, shares),
        ):
            values = [(float(weights @ each), None), *zip(each.tolist(), (c.name for c in active), strict=True)]
            rows += [
                Quantity(name=name, value=value, kind="exact", method=METHOD, citation=CITATION, job_class=of)
                for value, of in values
            ]
        return AtRate(rows=tuple(rows))


VARIANT = MsrResponse
