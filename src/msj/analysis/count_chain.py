"""Exact response times of policies that look only at how many jobs of each need there are.

With exponential durations the counts are a Markov chain (``fronts.count_levels``), matrix-geometric in one need; the
others are cut. E[T_i] = E[N_i]/lambda_i by Little's law; an arrival sees the stationary law (PASTA), so the probability
of waiting is that of the states in which it would not start at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis
from msj.analysis.chain_cost import level_cost
from msj.analysis.count_threshold import CountThreshold
from msj.analysis.counted import counted, looks_at_counts, why_not_counted
from msj.analysis.solved_counts import SolvedCounts, cheapest, sizes, solve_counts
from msj.effort import USUAL, Cost
from msj.model import System
from msj.results import Quantity

Vector = NDArray[np.float64]
METHOD, CITATION = "chain of the counts", "Latouche & Ramaswami 1999 (QBD)"


class CountChain(ResponseAnalysis):
    """The chain of the numbers of jobs present by need."""

    name: ClassVar[str] = "count-chain"
    summary: ClassVar[str] = "exact response times of policies that look at counts only, exponential durations"
    citation: ClassVar[str] = CITATION
    method: ClassVar[str] = METHOD

    def supports(self, system: System) -> str | None:
        return why_not_counted(system)

    def concerns(self, system: System) -> bool:
        return looks_at_counts(system)

    def cost(self, system: System) -> Cost:
        jobs = counted(system)
        level, most = cheapest(jobs, _rate_of(system))
        phases = sizes(jobs, level, most)
        cost = level_cost(phases, 8.0 * phases[0] ** 2 * (len(phases) + 20.0))
        return Cost(operations=2.0 * cost.operations, bytes=cost.bytes)  # a smaller cut is solved too

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return "percentiles are not known from counts: they do not say which job is next; simulate them"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        solved = solve_counts(counted(system), rate, most_operations=self._limit(system))
        names = [c.name for c in system.active_classes]
        shares = np.array([float(c.share) for c in system.active_classes])
        facts = {
            "phases": max(solved.levels.process.level_sizes),
            "levels": len(solved.levels.present),
            "exact_residual": solved.law.residual,
            "cut_error": solved.cut_error,
        }
        return AtRate(rows=tuple(_rows(solved, names, shares / shares.sum())), facts=facts)

    def jobs_law(self, system: System, rate: float, last: int) -> Vector:
        return solve_counts(counted(system), rate, most_operations=self._limit(system)).jobs_law(last)

    def _limit(self, system: System) -> float:
        """What it may cost in the end: how far the cut must be is a guess beforehand."""
        return max(USUAL.operations, 5.0 * self.cost(system).operations)


def _rate_of(system: System) -> float:
    """Return the arrival rate of a system, as far as it is known without much work."""
    known = CountThreshold()
    threshold = system.naive_threshold
    if known.supports(system) is None and known.in_a_moment(system):
        threshold = known.saturate(system).stability_threshold
    rate = system.arrival_rate_at(threshold)
    return 0.9 * threshold if rate is None or not rate > 0 else rate


def _rows(solved: SolvedCounts, names: Sequence[str], shares: Vector) -> Iterator[Quantity]:
    kinds = list(solved.jobs.kind_of)
    stay = solved.mean_present / (solved.rate * solved.jobs.shares)
    arriving = solved.rate * shares
    found = [
        ("mean_response_time", float(solved.mean_present.sum()) / solved.rate, stay[kinds]),
        ("mean_jobs_in_system", float(solved.mean_present.sum()), arriving * stay[kinds]),
    ]
    if not solved.jobs.rule.shares:  # a stay is a duration and the time in which the job is not served
        waiting = stay - 1.0 / solved.jobs.service_rates
        found.insert(1, ("mean_waiting_time", float(solved.jobs.shares @ waiting), waiting[kinds]))
        jobs_waiting = arriving * waiting[kinds]
        found.append(("mean_jobs_waiting", float(jobs_waiting.sum()), jobs_waiting))
    waits = solved.waiting_probability
    found.append(("waiting_probability", float(solved.jobs.shares @ waits), waits[kinds]))
    for name, overall, by_class in found:
        for value, job_class in ((overall, None), *zip(by_class, names, strict=True)):
            yield Quantity(
                name=name, value=float(value), kind="exact", method=METHOD, citation=CITATION, job_class=job_class
            )


VARIANT = CountChain
