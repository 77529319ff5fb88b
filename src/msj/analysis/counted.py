"""A system as its count chain sees it: jobs by need.

Policies that look at counts (``disciplines.counting``) see needs, not classes. Classes of one need and one rate are one
kind of job to them; classes of one need and different rates are not, for among jobs of equal need the oldest is served,
and counts do not say which class that is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import why_not_exponential
from msj.disciplines.counting import Counting
from msj.disciplines.model import policy_of
from msj.fronts.count_levels import Flow
from msj.model import System

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Counted:
    """Jobs by need, in ascending order: their shares of all jobs, the rates of their durations, and who they are."""

    rule: Counting
    shares: Vector
    service_rates: Vector
    kind_of: tuple[int, ...]  # of each active class, which need it has

    def flow(self, rate: float) -> Flow:
        """Return how often they come when all jobs together come at ``rate``."""
        return Flow(arrival_rates=rate * self.shares, service_rates=self.service_rates)

    @property
    def needs(self) -> tuple[int, ...]:
        """The needs."""
        return self.rule.needs


def looks_at_counts(system: System) -> bool:
    """Return whether the policy looks only at how many jobs of each need there are."""
    return system.model is None and _rule(system) is not None


def why_not_counted(system: System) -> str | None:
    """Return the reason why the counts of a system are no Markov chain, or None if they are."""
    if system.model is not None:
        return f"the model is '{system.model.name}' and this method knows only plain clusters"
    rule = _rule(system)
    if rule is None:
        return f"policy '{system.policy.name}' looks at more than how many jobs of each need there are"
    seen: dict[int, tuple[str, float]] = {}
    for c in system.active_classes:
        rate = 1.0 / float(c.duration.mean)
        name, other = seen.setdefault(c.need, (c.name, rate))
        if abs(rate - other) > 1e-12 * rate:
            return (
                f"classes '{name}' and '{c.name}' both need {c.need} and differ in duration, so who is older matters; "
                "simulate it"
            )
    return policy_of(system).supports(system) or why_not_exponential(system) or rule.why_not_decided()


def counted(system: System) -> Counted:
    """Return a system that :func:`why_not_counted` has nothing against, as counts."""
    rule = _rule(system)
    assert rule is not None
    classes = system.active_classes
    kind_of = tuple(rule.needs.index(c.need) for c in classes)
    shares = np.bincount(kind_of, weights=[float(c.share) for c in classes], minlength=len(rule.needs))
    means = np.zeros(len(rule.needs))
    means[list(kind_of)] = [float(c.duration.mean) for c in classes]
    return Counted(rule=rule, shares=shares / shares.sum(), service_rates=1.0 / means, kind_of=kind_of)


def _rule(system: System) -> Counting | None:
    needs = sorted({c.need for c in system.active_classes})
    return policy_of(system).counting(system.servers, needs)
