"""Exact means of FCFS where every job needs more than half of the servers, whatever the durations.

No two jobs run at once, so the cluster is an M/G/1 queue. With S the duration of a job and rho = lambda·E[S], a job of
any class waits E[W] = lambda·E[S²]/(2·(1 - rho)) on average (Pollaczek 1930, Khinchine 1932), and with probability rho
at all, since Poisson arrivals see time averages. Phase-type durations have a chain, which gives percentiles too.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from msj.analysis.base import AtRate, ResponseAnalysis, why_not_fcfs
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.results import Quantity

METHOD, CITATION = "Pollaczek-Khinchine: one job runs at a time", "Pollaczek 1930; Khinchine 1932"


class OneAtATime(ResponseAnalysis):
    """Means of the M/G/1 queue that a cluster is whose jobs each need more than half of it."""

    name: ClassVar[str] = "one-at-a-time"
    summary: ClassVar[str] = "exact means of FCFS where no two jobs fit at once (M/G/1), durations not phase type"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD

    def supports(self, system: System) -> str | None:
        if reason := why_not_one_at_a_time(system):
            return reason
        for c in system.active_classes:
            if not math.isfinite(c.duration.second_moment):
                return f"{c.duration.law} durations of class '{c.name}' have no variance, so the mean wait is infinite"
        return None

    def concerns(self, system: System) -> bool:
        return self.supports(system) is None

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return "percentiles are not known where durations are not phase type; simulate them"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        active = system.active_classes
        shares = np.array([float(c.share) for c in active])
        means = np.array([float(c.duration.mean) for c in active])
        squares = float(shares @ [float(c.duration.second_moment) for c in active])
        used = rate * float(shares @ means)
        waiting = np.full(len(active), rate * squares / (2.0 * (1.0 - used)))
        rows = []
        for name, each, weights in (
            ("mean_response_time", waiting + means, shares),
            ("mean_waiting_time", waiting, shares),
            ("mean_jobs_in_system", rate * shares * (waiting + means), np.ones(len(active))),
            ("mean_jobs_waiting", rate * shares * waiting, np.ones(len(active))),
            ("waiting_probability", np.full(len(active), used), shares),
        ):
            values = [(float(weights @ each), None), *zip(each.tolist(), (c.name for c in active), strict=True)]
            rows += [
                Quantity(name=name, value=value, kind="exact", method=METHOD, citation=CITATION, job_class=of)
                for value, of in values
            ]
        return AtRate(rows=tuple(rows))


def why_not_one_at_a_time(system: System) -> str | None:
    """Return the reason if this is not FCFS with needs above half of the servers and durations without a chain."""
    if reason := why_not_fcfs(system):
        return reason
    smallest = min(system.active_classes, key=lambda c: c.need)
    if 2 * smallest.need <= system.servers:
        return f"two jobs of class '{smallest.name}' fit at once, and this form is for one job at a time"
    if why_not_phase_type(system) is None:
        return "all durations are phase type, so that the chain answers, with percentiles"
    return None


VARIANT = OneAtATime
