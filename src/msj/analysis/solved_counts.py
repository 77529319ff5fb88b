"""The stationary law of the counts, its cuts chosen and checked (``fronts.count_levels``).

**The cut.** Let f(c) be E[N] if at most c jobs of the other needs are let in. f(c + 1) − f(c) is the chance of being at
the cut times what one more job costs, so it falls as that chance does, geometrically. The chain is solved with growing
cuts; what is still missing is the last change, times the factor by which the probability at the cut has fallen since.
Ten times that must be below 1e-9 of E[N], or there is no answer. It is in the provenance as ``cut_error``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.analysis.chain_cost import level_cost
from msj.analysis.counted import Counted
from msj.disciplines.counting import ByNeed
from msj.errors import NotAccurate, TooLarge
from msj.fronts.count_levels import CountLevels, count_levels, number_of_phases
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels

Vector = NDArray[np.float64]
ACCURATE = 1e-9  # relative, of E[N]
SAFETY = 10.0
AT_THE_CUT = 1e-12  # probability aimed at
MOST_PHASES, MOST_OPERATIONS = 2_500, 5e12
MOST_SOLUTIONS = 12


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


def solve_counts(jobs: Counted, rate: float, *, most_operations: float = MOST_OPERATIONS) -> SolvedCounts:
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
    best, *others = _cheapest_first(jobs, rate)
    try:
        return _with_level(jobs, rate, best, most_operations)
    except NotAccurate as error:
        for level in others:  # where rounding spoils one way to cut the counts, another may do
            with suppress(NotAccurate):
                return _with_level(jobs, rate, level, most_operations)
        raise error from None


def _with_level(jobs: Counted, rate: float, level: int, most_operations: float) -> SolvedCounts:
    most = cuts_to_expect(jobs, rate, share=0.6)
    before: SolvedCounts | None = None
    for _ in range(MOST_SOLUTIONS):
        _require_room(jobs, level, most, most_operations)
        levels = count_levels(jobs.rule, jobs.flow(rate), level, most)
        with blas_threads(1):
            law = solve_levels(levels.process)
        now = SolvedCounts(jobs=jobs, rate=rate, levels=levels, law=law)
        error = 0.0 if len(jobs.needs) == 1 else np.inf if before is None else _cut_error(before, now)
        if error <= ACCURATE:
            return replace(now, cut_error=error)
        before = now
        most = [_further(now.marginal(i, most[i])) if i != level else 0 for i in range(len(most))]
    raise NotAccurate(
        f"with up to {max(most)} jobs of the needs that are cut, {now.at_the_cut:.1e} of the probability still lies "
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


def cheapest(jobs: Counted, rate: float) -> tuple[int, list[int]]:
    """Return which count had best be the level, and about how many jobs of the other needs are let in then."""
    return _cheapest_first(jobs, rate)[0], cuts_to_expect(jobs, rate)


def _cheapest_first(jobs: Counted, rate: float) -> list[int]:
    most = cuts_to_expect(jobs, rate)
    return sorted(jobs.rule.levels, key=lambda level: level_cost(sizes(jobs, level, most), 0.0).operations)


def sizes(jobs: Counted, level: int, most: Sequence[int]) -> list[int]:
    """Return about how many phases each level has."""
    return [number_of_phases(jobs.rule, level, most)] * (jobs.rule.steady_from(level, most) + 1)


def cuts_to_expect(jobs: Counted, rate: float, *, share: float = 1.0) -> list[int]:
    """Return about how many jobs of each need to let in, or a share of that to begin with."""
    return [max(8, ceil(share * cut)) for cut in _expected(jobs, rate)]


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
        if not rule.preemptive and len(needs) > 1:  # it piles up while others run on
            last = rule.order[-1]
            ends = float(together[last] * flow.service_rates[last])
            busy = max(busy, float(flow.arrival_rates[first] / (flow.arrival_rates[first] + ends)))
        alone = rule.preemptive or not rule.larger_first  # the favoured need is a queue of its own, or nearly
        if alone and busy < 1:
            found[first] = together[first] + rises / -log(busy)
    else:  # near saturation the counts go as the needs do
        found = together + 6.0 + rises * mean_work * needs / float(needs @ work)
    return [float(value) for value in found]


def _require_room(jobs: Counted, level: int, most: Sequence[int], most_operations: float) -> None:
    phases = number_of_phases(jobs.rule, level, most)
    levels = jobs.rule.steady_from(level, most) if phases <= MOST_PHASES else 0
    if phases > MOST_PHASES or float(phases) ** 3 * levels > most_operations:
        others = ", ".join(
            f"{m} of need {v}" for i, (m, v) in enumerate(zip(most, jobs.needs, strict=True)) if i != level
        )
        raise TooLarge(
            f"the chain of the counts would have {phases:,} phases (up to {others}), more than can be solved; "
            "lower the load, use fewer needs or servers, or simulate"
        )
