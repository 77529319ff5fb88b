"""Stability thresholds of policies that look only at how many jobs of each need there are; exponential durations.

- Sharing (the last job takes what remains): no server idles while the jobs present can use all, so lambda* is the naive
  threshold, k/E[need x duration] (Foster's criterion with the work present).
- MaxWeight is stable wherever any policy is (Tassiulas & Ephremides 1992): with V = sum of n_i²/mu_i the drift is twice
  the sum of n_i·(lambda_i/mu_i - z_i), and z maximises the sum of n_i·z_i over packings. So lambda* is the largest rate
  whose mean numbers in service, lambda·p_i/mu_i, lie below a mixture of packings: a linear programme.
- Priority with preemption, two needs: the favoured need is an M/M/m of its own, m = floor(k/v). The other is
  served in what it leaves, s(n) jobs at n favoured ones, so it is stable if and only if
  lambda·p_2 < mu_2·E[s(N_1)] and the first is. The left side grows with lambda and the right side falls.
- Smaller needs first without preemption, two needs: where both wait, small jobs take over, and no large one is left
  after a while. So this is a random walk in the quarter plane whose count of large jobs grows inside; it is
  stable if and only if small jobs alone are and large ones, where they never run out beside the stationary law of the
  small ones, complete faster than they come (Fayolle, Malyshev & Menshikov 1995, chapter 3).
- Needs that take turns, each served until none of it waits (quickswap): while need i has its turn floor(k/v_i) jobs are
  served, and passing the turn on takes a time that does not grow with the queues. That is a polling system with
  exhaustive service: stable if and only if sum of lambda_i/(mu_i·floor(k/v_i)) < 1 (Fricker & Jaibi 1994).

Larger needs first without preemption has many ways to be busy while both wait, and which of them lasts depends on the
past; three needs and more under priorities have no known formula. Both are refused in words.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from msj.analysis.base import Saturated, SaturatedAnalysis
from msj.analysis.counted import Counted, counted, looks_at_counts, why_not_counted
from msj.disciplines.counting import ByNeed, Heaviest
from msj.disciplines.remembering import Remembered
from msj.effort import Cost
from msj.fronts.count_levels import levels_beside
from msj.markov.blas import blas_threads
from msj.markov.level_process import solve as solve_levels
from msj.model import System

FAYOLLE = "Fayolle, Malyshev & Menshikov 1995"
EVALUATIONS = 40  # of a drift, until its root is found


class CountThreshold(SaturatedAnalysis):
    """Threshold and waste of policies that look at counts."""

    name: ClassVar[str] = "count-threshold"
    summary: ClassVar[str] = "threshold and waste of policies that look at counts only, exponential durations"
    citation: ClassVar[str] = "Tassiulas & Ephremides 1992"
    gives_completions: ClassVar[bool] = False

    def supports(self, system: System) -> str | None:
        reason = why_not_counted(system)
        if reason is not None:
            return reason
        rule = counted(system).rule
        if isinstance(rule, Heaviest) or (isinstance(rule, Remembered) and rule.takes_turns):
            return None
        if not isinstance(rule, ByNeed):
            return "nothing is known of the threshold of this rule; simulate it"
        if rule.shares or len(rule.needs) == 1:
            return None
        if len(rule.needs) > 2:
            return (
                f"the threshold of a priority rule is known for two needs and there are {len(rule.needs)}; simulate it"
            )
        if not rule.preemptive and rule.larger_first:
            return (
                "without preemption, larger needs first, it depends on the past who holds the servers while both wait; "
                "simulate it"
            )
        return None

    def concerns(self, system: System) -> bool:
        return looks_at_counts(system)

    def cost(self, system: System) -> Cost:
        rule = counted(system).rule
        if rule.preemptive or len(rule.needs) == 1 or isinstance(rule, Remembered):
            return Cost(operations=0.0)
        states = rule.steady_from(0, [0, 0]) * (system.servers // rule.needs[1] + 1.0)
        return Cost(operations=EVALUATIONS * 5e5 * states)  # written down in plain Python, each time anew

    def saturate(self, system: System) -> Saturated:
        rate, method, citation = _threshold(counted(system), system.naive_threshold)
        rate = min(rate, system.naive_threshold)  # rounding
        busy = rate / system.naive_threshold
        return Saturated(
            stability_threshold=rate,
            wasted_servers=system.servers * (1.0 - busy),
            saturated_utilisation=busy,
            method=method,
            citation=citation,
        )


def _threshold(jobs: Counted, naive: float) -> tuple[float, str, str]:
    rule = jobs.rule
    if isinstance(rule, Remembered):
        places = np.array([rule.servers // need for need in rule.needs])
        rate = 1.0 / float((jobs.shares / jobs.service_rates / places).sum())
        return rate, "needs take turns, each served out", "Fricker & Jaibi 1994"
    if isinstance(rule, Heaviest):
        return largest_packed(jobs), "best mixture of packings", "Tassiulas & Ephremides 1992"
    assert isinstance(rule, ByNeed)
    if rule.shares:
        return naive, "no server idles while jobs can use all", "wcfs, section 3.3"
    if len(rule.needs) == 1:
        return float(rule.servers // rule.needs[0] * jobs.service_rates[0]), "M/M/m", "Erlang 1917"
    if rule.preemptive:
        return _left_over(jobs, rule), "what the favoured need leaves", "Neuts 1981, chapter 3 (drift)"
    return _beside_smaller(jobs, rule), "drifts of the counts", FAYOLLE


def largest_packed(jobs: Counted) -> float:
    """Return the largest rate whose mean numbers in service are below a mixture of packings.

    With w_z the share of time of packing z: maximise lambda so that sum of w_z·z_i >= lambda·p_i/mu_i, sum of w_z <= 1.
    """
    rule = jobs.rule
    assert isinstance(rule, Heaviest)
    packings = Heaviest(servers=rule.servers, needs=rule.needs, limited=False, ties="smallest").packings
    offered = jobs.shares / jobs.service_rates
    scale = float(rule.servers / (np.array(rule.needs) @ offered))  # the naive threshold: lambda/scale <= 1
    upper = np.vstack([np.column_stack([-packings.T, offered * scale]), np.append(np.ones(len(packings)), 0.0)])
    limits = np.append(np.zeros(len(offered)), 1.0)
    found = optimize.linprog(np.append(np.zeros(len(packings)), -1.0), A_ub=upper, b_ub=limits, method="highs-ds")
    assert found.success
    return _exactly(packings[found.x[:-1] > 1e-9], offered) or float(found.x[-1]) * scale


def _exactly(packings: NDArray[np.int64], offered: NDArray[np.float64]) -> float | None:
    """Return the rate again from the packings in use alone, to the last digit; None if they are not all that binds."""
    size = len(packings)
    if size != len(offered):
        return None
    system = np.zeros((size + 1, size + 1))
    system[:-1, :-1], system[:-1, -1], system[-1, :-1] = packings.T, -offered, 1.0
    try:
        return float(np.linalg.solve(system, np.append(np.zeros(size), 1.0))[-1])
    except np.linalg.LinAlgError:
        return None


def _left_over(jobs: Counted, rule: ByNeed) -> float:
    first, second = rule.order
    together = rule.servers // rule.needs[first]
    room = (rule.servers - rule.needs[first] * np.arange(together + 1)) // rule.needs[second]
    alone = together * jobs.service_rates[first] / jobs.shares[first]  # where the favoured need is too much

    def drift(rate: float) -> float:
        offered = rate * jobs.shares[first] / jobs.service_rates[first]
        logs = np.append(0.0, np.cumsum(np.log(offered) - np.log(np.arange(1, together + 1))))
        logs[-1] -= np.log1p(-offered / together)  # all states of at least so many
        law = np.exp(logs - logs.max())
        law /= law.sum()
        return float(rate * jobs.shares[second] / jobs.service_rates[second] - law @ room)

    high = alone * (1.0 - 1e-12)
    if drift(high) <= 0:  # there is room for the other need even then
        return float(alone)
    return float(optimize.brentq(drift, alone * 1e-12, high, xtol=alone * 1e-15, rtol=1e-14))


def _beside_smaller(jobs: Counted, rule: ByNeed) -> float:
    small, large = rule.order
    alone = rule.servers // rule.needs[small] * jobs.service_rates[small] / jobs.shares[small]

    def drift(rate: float) -> float:
        levels = levels_beside(rule, jobs.flow(rate), small, large)
        law = solve_levels(levels.process)
        masses = [*law.boundary, law.repeating_mass]
        served = sum(float(mass @ now[:, large]) for mass, now in zip(masses, levels.in_service, strict=True))
        return float(rate * jobs.shares[large] / jobs.service_rates[large]) - served

    with blas_threads(1):
        # Small jobs alone fill the servers near ``alone``, and large ones get nothing there.
        return float(optimize.brentq(drift, alone * 1e-9, alone * (1.0 - 1e-7), xtol=alone * 1e-13, rtol=1e-12))


VARIANT = CountThreshold
