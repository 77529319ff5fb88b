"""Exact response times of policies that look only at how many jobs of each need there are.

With exponential durations the counts are a Markov chain (``fronts.count_levels``), matrix-geometric in one need; the
others are cut. E[T_i] = E[N_i]/lambda_i by Little's law; an arrival sees the stationary law (PASTA), so the probability
of waiting is that of the states in which it would not start at once.

**The cut.** Let f(c) be E[N] if at most c jobs of the other needs are let in. f(c + 1) − f(c) is the chance of being at
the cut times what one more job costs, so it falls as that chance does, geometrically. The chain is solved with growing
cuts; what is still missing is the last change, times the factor by which the probability at the cut has fallen since.
Ten times that must be below 1e-9 of E[N], or there is no answer. It is in the provenance as ``cut_error``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis
from msj.analysis.chain_cost import level_cost
from msj.analysis.counted import Counted, counted, looks_at_counts, why_not_counted
from msj.disciplines.counting import ByNeed
from msj.effort import Cost
from msj.errors import NotAccurate, TooLarge
from msj.fronts.count_levels import CountLevels, count_levels, number_of_phases
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.model import System
from msj.results import Quantity

Vector = NDArray[np.float64]
METHOD, CITATION = "chain of the counts", "Latouche & Ramaswami 1999 (QBD)"
ACCURATE = 1e-9  # relative, of E[N]
SAFETY = 10.0
AT_THE_CUT = 1e-12  # probability aimed at
MOST_PHASES, MOST_OPERATIONS = 2_500, 5e12
MOST_SOLUTIONS = 12


class CountChain(ResponseAnalysis):
    """The chain of the numbers of jobs present by need."""

    name: ClassVar[str] = "count-chain"
    summary: ClassVar[str] = "exact response times of policies that look at counts only, exponential durations"
    citation: ClassVar[str] = CITATION

    def supports(self, system: System) -> str | None:
        return why_not_counted(system)

    def concerns(self, system: System) -> bool:
        return looks_at_counts(system)

    def cost(self, system: System) -> Cost:
        jobs = counted(system)
        rate = system.arrival_rate_at(float("nan"))  # a load is a share of a threshold that is not asked for here
        busy = 0.9 if rate is None or not rate > 0 else rate / system.naive_threshold
        level, most = _plan(jobs, busy * system.naive_threshold)
        sizes = _sizes(jobs, level, most)
        cost = level_cost(sizes, 8.0 * sizes[0] ** 2 * (len(sizes) + 20.0))
        return Cost(operations=2.0 * cost.operations, bytes=cost.bytes)  # a smaller cut is solved too

    def why_no_percentiles(self, system: System) -> str | None:  # noqa: ARG002
        return "percentiles are not known from counts: they do not say which job is next; simulate them"

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:  # noqa: ARG002
        solved = solve_counts(counted(system), rate)
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
        return solve_counts(counted(system), rate).jobs_law(last)


@dataclass(frozen=True, kw_only=True, eq=False)
class SolvedCounts:
    """The stationary law of the counts at one arrival rate; arrays run over the needs."""

    jobs: Counted
    rate: float
    levels: CountLevels
    law: LevelLaw
    cut_error: float = float("inf")

    @cached_property
    def masses(self) -> list[Vector]:
        """Stationary vectors of levels 0..L-1, and of L and all above together."""
        return [*self.law.boundary, self.law.repeating_mass]

    @cached_property
    def mean_present(self) -> Vector:
        """E[N_i]."""
        found = self._mean(self.levels.present)
        found[self.levels.level] = self.law.mean_level()
        return found

    @property
    def mean_in_service(self) -> Vector:
        """Mean number in service, in units of jobs on all they need."""
        return self._mean(self.levels.in_service)

    @cached_property
    def waiting_probability(self) -> Vector:
        """P(an arrival does not start at once)."""
        return np.asarray(np.clip(1.0 - self._mean(self.levels.starts), 0.0, 1.0))

    @property
    def at_the_cut(self) -> float:
        """Probability that another need has as many jobs as are let in."""
        return float(sum(mass[cut].sum() for mass, cut in zip(self.masses, self.levels.at_cut, strict=True)))

    def marginal(self, need: int, most: int) -> Vector:
        """P(n jobs of a need other than the level's) for n up to the cut."""
        law = np.zeros(most + 1)
        for mass, present in zip(self.masses, self.levels.present, strict=True):
            law += np.bincount(present[:, need], weights=mass, minlength=most + 1)
        return law

    def jobs_law(self, last: int) -> Vector:
        """P(n jobs in the system) for n up to ``last``."""
        law = np.zeros(last + 1)
        top = len(self.levels.present) - 1
        vector = self.law.first_repeating
        for n in range(last + 1):
            present = self.levels.present[min(n, top)]
            together = present.sum(axis=1) + n - min(n, top)
            if n < top:
                mass = self.law.boundary[n]
            else:
                mass = vector = vector if n == top else vector @ self.law.rate_matrix
            law += np.bincount(together[together <= last], weights=mass[together <= last], minlength=last + 1)
        return law

    def _mean(self, values: Sequence[NDArray[Any]]) -> Vector:
        return np.asarray(sum(mass @ value for mass, value in zip(self.masses, values, strict=True)), dtype=float)


def solve_counts(jobs: Counted, rate: float) -> SolvedCounts:
    """Solve the chain of the counts with cuts that grow until they do not matter, or say why that is not possible.

    Examples
    --------
    >>> import msj
    >>> from msj.analysis.counted import counted
    >>> system = msj.System(
    ...     servers=4, policy="most-servers-first",
    ...     classes=[msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(rate="1/2")),
    ...              msj.JobClass(name="large", need=4, share="1/2", duration=msj.Exponential(rate="2/3"))])
    >>> solve_counts(counted(system), 0.8).mean_present.round(9)[1]  # for large jobs an M/M/1 of load 0.6
    np.float64(1.5)
    """
    level, most = _plan(jobs, rate, share=0.6)
    others = [i for i in range(len(jobs.needs)) if i != level]
    before: SolvedCounts | None = None
    for _ in range(MOST_SOLUTIONS):
        _require_room(jobs, level, most)
        levels = count_levels(jobs.rule, jobs.flow(rate), level, most)
        with blas_threads(1):
            solved = SolvedCounts(jobs=jobs, rate=rate, levels=levels, law=solve_levels(levels.process))
        if not others:
            return SolvedCounts(jobs=jobs, rate=rate, levels=levels, law=solved.law, cut_error=0.0)
        error = np.inf if before is None else _cut_error(before, solved)
        if error <= ACCURATE:
            return SolvedCounts(jobs=jobs, rate=rate, levels=levels, law=solved.law, cut_error=error)
        before = solved
        most = [_further(solved.marginal(i, most[i])) if i != level else 0 for i in range(len(most))]
    raise NotAccurate(
        f"with up to {max(most)} jobs of the needs that are cut, {solved.at_the_cut:.1e} of the probability still lies "
        f"at the cut at arrival rate {rate:.6g}; lower it, or simulate (the system may be unstable)"
    )


def _cut_error(before: SolvedCounts, now: SolvedCounts) -> float:
    """Return ten times what the cut is still expected to change in E[N], relatively."""
    mean = float(now.mean_present.sum())
    fallen = now.at_the_cut / max(before.at_the_cut, np.finfo(float).tiny)
    return SAFETY * fallen * abs(mean - float(before.mean_present.sum())) / mean if fallen < 0.5 else np.inf


def _further(marginal: Vector) -> int:
    """Return a cut at which hardly any probability should lie, judging by how the law falls off before this one."""
    most = len(marginal) - 1
    stride = max(most // 6, 1)
    edge, earlier = float(marginal[-1]), float(marginal[-1 - stride])
    if not 0 < edge < earlier:
        return most + 8 if edge <= 0 else 2 * most + 8
    steps = ceil(log(edge / AT_THE_CUT) * stride / log(earlier / edge)) if edge > AT_THE_CUT else 0
    return most + min(max(steps, most // 6, 6), 2 * most)


def _plan(jobs: Counted, rate: float, share: float = 1.0) -> tuple[int, list[int]]:
    """Return which count is the level, and about how many jobs of the other needs to let in (a share of that)."""
    most = [max(8, ceil(share * cut)) for cut in _expected(jobs, rate)]
    cheapest = min(
        jobs.rule.levels, key=lambda level: level_cost(_sizes(jobs, level, most, known=False), 0.0).operations
    )
    return cheapest, most


def _sizes(jobs: Counted, level: int, most: Sequence[int], *, known: bool = True) -> list[int]:
    phases = number_of_phases(jobs.rule, level, most)
    return [phases] * (jobs.rule.steady_from(level, most) + 1) if known or len(jobs.needs) < 4 else [phases]


def _expected(jobs: Counted, rate: float) -> list[float]:
    """Guess beyond how many jobs of each need hardly any probability lies: a start, and a price."""
    flow, rule, needs = jobs.flow(rate), jobs.rule, np.array(jobs.needs)
    work = needs / flow.service_rates
    idle = max(1.0 - float(flow.arrival_rates @ work) / rule.servers, 1e-3)
    mean_work = float(flow.arrival_rates @ work**2) / rule.servers / idle
    rises = -log(AT_THE_CUT) + 4.0
    together = rule.servers // needs
    if isinstance(rule, ByNeed):
        first = rule.order[0]
        busy = float(flow.arrival_rates[first] / flow.service_rates[first] / together[first])
        found = together + rises * mean_work / work
        if rule.preemptive and busy < 1:  # the favoured need is a queue of its own
            found[first] = together[first] + rises / -log(busy)
    else:  # near saturation the counts go as the needs do
        found = together + 6.0 + rises * mean_work * needs / float(needs @ work)
    return [float(value) for value in found]


def _require_room(jobs: Counted, level: int, most: Sequence[int]) -> None:
    phases = number_of_phases(jobs.rule, level, most)
    levels = jobs.rule.steady_from(level, most) if phases <= MOST_PHASES else 0
    if phases > MOST_PHASES or float(phases) ** 3 * levels > MOST_OPERATIONS:
        others = ", ".join(
            f"{m} of need {v}" for i, (m, v) in enumerate(zip(most, jobs.needs, strict=True)) if i != level
        )
        raise TooLarge(
            f"the chain of the counts would have {phases:,} phases (up to {others}), more than can be solved; "
            "lower the load, use fewer needs or servers, or simulate"
        )


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
