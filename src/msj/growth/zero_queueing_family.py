"""Clusters that grow: load rho = 1 − beta·n^-alpha, needs that are functions of n (zeroq, Figure 3 and section 7).

With m_max = Theta(n^gamma), the bound of Theorem 4.2 is of order n^(alpha + (gamma − 1)/2), so the probability that an
arrival waits vanishes if 2·alpha + gamma < 1. The regions of Figure 3: 1 (alpha = gamma = 0), 2 (alpha = 0 < gamma),
3 (gamma = 0 < alpha), 4 (both above 0).

The paper shows that the threshold is tight for one class. It is for several: the servers asked for are at least S of
``infinite_servers``, of mean n − beta·n^(1 − alpha) and variance n·sum m_i·rho_i. The largest class keeps its share of
the load, so the standard deviation is of order n^((1 + gamma)/2), and if 2·alpha + gamma >= 1 it does not fall behind
the gap to n: by the central limit theorem P(S > n − m_max) stays away from 0 (if > 1, it ends at 1/2 or more).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

from msj.closed_forms.queueing_bounds import QueueingBounds
from msj.errors import InvalidInput
from msj.growth.expressions import Expression
from msj.growth.growth_exponent import Growth, growth_of, largest_growth, outgrown_by
from msj.growth.queueing_bounds import queueing_bounds
from msj.growth.waiting import EXACT_SECONDS, Waiting, effort_for, waiting_at
from msj.model import JobClass, System
from msj.model.durations import Exponential
from msj.model.numbers import Number, exact, number, positive, vector, whole
from msj.model.value import Value
from msj.results import Watch
from msj.workloads import Rng, seed_sequence

Verdict: TypeAlias = Literal["vanishes", "stays", "undecided"]
#: Whether shares are of the arrivals or of the load (need × duration).
SharesOf: TypeAlias = Literal["load", "arrivals"]


@dataclass(frozen=True, kw_only=True)
class ZeroQueueingFamily(Value):
    """A sequence of clusters, one for every number n of servers.

    Parameters
    ----------
    needs
        Need of each class, an expression in n; rounded down to whole servers, but at least 1.
    alpha, beta
        The load is 1 − beta·n^-alpha.
    means
        Mean duration of each class (exponential); 1 where nothing is said.
    shares
        Of the load or of the arrivals, as ``shares_of`` says, for each class; equal where nothing is said.

    Examples
    --------
    >>> family = ZeroQueueingFamily(needs=["3", "log2(n)", "sqrt(n)"], alpha=0.1, beta=0.25, means=[4, 2, 1])
    >>> family.region, family.verdict, [c.need for c in family.system_at(1024).classes]
    (4, 'vanishes', [3, 10, 32])
    >>> family.replace(alpha=0.3, beta=1).verdict
    'stays'
    """

    needs: tuple[Expression, ...]
    alpha: Number = 0
    beta: Number = 0.25
    means: tuple[Number, ...] = ()
    shares: tuple[Number, ...] = ()
    shares_of: SharesOf = "load"

    def __post_init__(self) -> None:
        if isinstance(self.needs, (str, Expression)) or not self.needs:
            raise InvalidInput(f"needs = {self.needs!r} must be a list of expressions in n; write ['3', 'sqrt(n)']")
        needs = tuple(each if isinstance(each, Expression) else Expression(str(each)) for each in self.needs)
        object.__setattr__(self, "needs", needs)
        object.__setattr__(self, "alpha", number(self.alpha, "alpha"))
        object.__setattr__(self, "beta", positive(self.beta, "beta"))
        if self.alpha < 0:
            raise InvalidInput(f"alpha = {self.alpha} must be at least 0; with less the load falls without end")
        if self.alpha == 0 and self.beta >= 1:
            raise InvalidInput(f"beta = {self.beta} with alpha = 0 leaves no load; give beta below 1")
        if self.shares_of not in ("load", "arrivals"):
            raise InvalidInput(f"shares_of = {self.shares_of!r} is unknown; use 'load' or 'arrivals'")
        for name in ("means", "shares"):
            object.__setattr__(self, name, self._per_class(name))

    def _per_class(self, name: str) -> tuple[Number, ...]:
        given: Any = getattr(self, name)
        if len(given) == 0:
            return (1,) * len(self.needs)
        values = vector(list(given) if isinstance(given, tuple) else given, name)
        if len(values) != len(self.needs):
            raise InvalidInput(
                f"{name} and needs differ in length ({len(values)} and {len(self.needs)}); give one per class"
            )
        return tuple(positive(value, f"{name}[{index}]") for index, value in enumerate(values))

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return super().replace(**changes)

    def utilisation_at(self, servers: int) -> float:
        """Return 1 − beta·n^-alpha."""
        return 1.0 - float(self.beta) * math.pow(servers, -float(self.alpha))

    def system_at(self, servers: int) -> System:
        """Return the cluster of ``servers`` servers."""
        n = whole(servers, "servers")
        rho = self.utilisation_at(n)
        if rho <= 0.0:
            raise InvalidInput(
                f"the load 1 − beta·n^-alpha is {rho:.6g} at n = {n}; lower beta = {self.beta} or leave out small n"
            )
        needs = [each.need_at(n, name=f"needs[{i}]") for i, each in enumerate(self.needs)]
        weights = [float(share) for share in self.shares]
        if self.shares_of == "load":
            weights = [w / (m * float(d)) for w, m, d in zip(weights, needs, self.means, strict=True)]
        return System(
            name=f"{n} servers",
            servers=n,
            utilisation=rho,
            classes=tuple(
                JobClass(name=str(text), need=m, share=w / sum(weights), duration=Exponential(mean=d))
                for text, m, w, d in zip(self.class_names, needs, weights, self.means, strict=True)
            ),
        )

    @property
    def class_names(self) -> tuple[str, ...]:
        """Classes are called by their need; a need given twice gets a number."""
        texts = [str(each) for each in self.needs]
        return tuple(text if texts.count(text) == 1 else f"{text} ({i + 1})" for i, text in enumerate(texts))

    @cached_property
    def growth(self) -> Growth:
        """How the largest need grows."""
        return largest_growth([growth_of(each) for each in self.needs])

    @property
    def gamma(self) -> Fraction:
        """The exponent of the largest need."""
        return self.growth.exponent

    @property
    def region(self) -> int:
        """Region of zeroq's Figure 3; a logarithm counts as gamma = 0."""
        return 1 + (self.gamma > 0) + 2 * (self.alpha > 0)

    @property
    def border(self) -> Fraction:
        """2·alpha + gamma: below 1 waiting vanishes."""
        return 2 * exact(self.alpha) + self.gamma

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the probability of waiting vanishes as n grows."""
        # Not by gamma: on the border itself m_max·n^(2·alpha − 1) may fall more slowly than any power.
        vanishes = outgrown_by(list(self.needs), 1 - 2 * exact(self.alpha))
        return "undecided" if vanishes is None else "vanishes" if vanishes else "stays"

    def in_words(self) -> str:
        """Say region, exponents and verdict in one sentence."""
        said = "rounded" if self.growth.estimated else "read off the needs"
        logs = f", times (ln n)^{self.growth.logarithms}" if self.growth.logarithms else ""
        sign = "not below 1" if self.border >= 1 else "below 1"
        if self.verdict == "vanishes" and self.border >= 1:
            sign = "the border itself, and the logarithm decides"
        ends = {
            "vanishes": "the probability of waiting vanishes (zeroq, Theorem 4.2)",
            "stays": "the probability of waiting does not vanish (its lower bound does not)",
            "undecided": "what that means for these needs is not known here",
        }[self.verdict]
        return (
            f"Region {self.region}: alpha = {float(self.alpha):g}, gamma = {self.gamma} ({said}{logs}); "
            f"2·alpha + gamma = {float(self.border):g} is {sign}: {ends}."
        )


@dataclass(frozen=True, kw_only=True)
class FamilyPoint:
    """What is known at one n."""

    servers: int
    needs: tuple[int, ...]
    bounds: QueueingBounds
    waiting: Waiting


def family_points(
    family: ZeroQueueingFamily,
    servers: Sequence[int],
    *,
    simulation: bool = True,
    jobs: int | None = None,
    rng: Rng = None,
    exact_seconds: float = EXACT_SECONDS,
    progress: Watch | None = None,
) -> tuple[FamilyPoint, ...]:
    """Return bounds, simulated and (where the chain is small) exact probabilities of waiting for each n.

    Parameters
    ----------
    family, servers
        The clusters, and the numbers of servers to look at.
    simulation, jobs, rng, exact_seconds
        As for :func:`msj.zero_queueing`; by default the jobs grow with n.
    progress
        Told before each n and during its simulation.

    Examples
    --------
    >>> family = ZeroQueueingFamily(needs=["1", "sqrt(n)"], alpha=0.1)
    >>> for point in family_points(family, [36, 64], simulation=False):
    ...     found = (point.bounds.lower_bound, point.waiting.exact[0].value, point.bounds.sharper_bound)
    ...     print(point.servers, *(round(value, 4) for value in found))
    36 0.291 0.5092 1.6002
    64 0.2616 0.4501 1.3436
    """
    sizes = [whole(n, "servers") for n in servers]
    systems = [family.system_at(n) for n in sizes]  # all of them checked before any is simulated
    children = seed_sequence(rng).spawn(len(sizes))
    effort = effort_for(exact_seconds, jobs, progress=progress)
    points = []
    for done, (n, system, child) in enumerate(zip(sizes, systems, children, strict=True)):
        part = effort.part(done / len(sizes), (done + 1) / len(sizes), f"{n} servers")
        part.tell(0.0)
        rate = float(family.utilisation_at(n)) * system.naive_threshold
        bounds = queueing_bounds(system)
        points.append(
            FamilyPoint(
                servers=n,
                needs=tuple(c.need for c in system.classes),
                bounds=bounds,
                waiting=waiting_at(system, rate, bounds, part, child, simulation=simulation),
            )
        )
    return tuple(points)
