"""Load-focused scaling of the 1-and-n system: exact values beside the asymptotics of the family's regime.

The exact values are :mod:`msj.closed_forms.one_and_n`'s, the asymptotics :mod:`msj.closed_forms.load_focused`'s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from msj.closed_forms import one_and_n
from msj.closed_forms.load_focused import Regime, paper_asymptotics, refined_asymptotics
from msj.errors import InvalidInput
from msj.growth.expressions import Expression
from msj.growth.regime import Decision, decide_regime
from msj.model.numbers import positive, whole
from msj.results import Progress, Watch


@dataclass(frozen=True, kw_only=True)
class OneAndNPoint:
    """One number of servers: exact values beside the paper's, corrected and refined asymptotics.

    ``lost`` is ``n mu_1 - mu``, what the large jobs cost, without the cancellation of that difference. ``corrected`` is
    Theorem 4.3 with Euler's constant, in its regime only. None stands where there is no form.
    """

    servers: int
    share_large: float
    threshold: float
    threshold_paper: float | None
    threshold_corrected: float | None
    threshold_refined: float
    lost: float
    lost_paper: float | None
    lost_corrected: float | None
    completions: float
    completions_paper: float | None
    completions_refined: float | None

    def ratio(self, quantity: str, form: str = "paper") -> float | None:
        """Return exact over asymptotic, None where there is no positive asymptotic value.

        ``quantity`` is threshold, lost or completions; ``form`` paper, corrected or refined.
        """
        approximate = getattr(self, f"{quantity}_{form}")
        return None if approximate is None or approximate <= 0 else getattr(self, quantity) / approximate


@dataclass(frozen=True, kw_only=True)
class LoadFocusedScaling:
    """A family of 1-and-n systems: its regime and one point per number of servers."""

    share: Expression
    rate_small: float
    rate_large: float
    decision: Decision
    points: tuple[OneAndNPoint, ...]

    @property
    def regime(self) -> Regime:
        """The regime of the family."""
        return self.decision.regime


def load_focused_scaling(
    share: Expression | str,
    servers: Iterable[int],
    *,
    rate_small: float = 1.0,
    rate_large: float = 1.0,
    progress: Watch | None = None,
) -> LoadFocusedScaling:
    """Return exact and asymptotic values for a family of shares ``p_n`` of jobs that need all ``n`` servers.

    Parameters
    ----------
    share
        ``p_n`` as an expression in ``n``.
    servers
        Numbers of servers, 2 to 2^53.
    rate_small, rate_large
        Rates ``mu_1`` and ``mu_n`` of the exponential durations.
    progress
        Told before each number of servers.

    Examples
    --------
    >>> family = load_focused_scaling("n^-2", [10**4, 10**8])
    >>> family.regime.value
    '1-server dominated'
    >>> [(round(p.ratio("lost"), 4), round(p.ratio("lost", "corrected"), 4)) for p in family.points]
    [(1.0616, 0.999), (1.0313, 1.0)]
    >>> [(round(p.ratio("completions"), 4), round(p.ratio("completions", "refined"), 4)) for p in family.points]
    [(1.1581, 0.9999), (1.0714, 1.0)]
    """
    share = share if isinstance(share, Expression) else Expression(share)
    decision = decide_regime(share)
    numbers = sorted({whole(n, "servers", least=2) for n in servers})
    if not numbers:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    small, large = float(positive(rate_small, "rate_small")), float(positive(rate_large, "rate_large"))
    shares = [_share_at(share, n) for n in numbers]
    points: list[OneAndNPoint] = []
    for n, p in zip(numbers, shares, strict=True):
        if progress is not None:
            progress(Progress(done=len(points) / len(numbers), words=f"{n} servers"))
        points.append(_point(n, p, small, large, decision.regime))
    return LoadFocusedScaling(share=share, rate_small=small, rate_large=large, decision=decision, points=tuple(points))


def _share_at(share: Expression, n: int) -> float:
    p = share(n)
    if not 0 < p < 1:
        raise InvalidInput(
            f"share '{share}' is {p:.10g} at n = {n}; a share of large jobs must lie strictly between 0 and 1: "
            "change the expression or leave out such n"
        )
    return p


def _point(n: int, p: float, small: float, large: float, regime: Regime) -> OneAndNPoint:
    exact = one_and_n(servers=n, share_large=p, rate_small=small, rate_large=large)
    threshold, completions = paper_asymptotics(n, p, small, large, regime)
    refined_threshold, refined_completions = refined_asymptotics(n, p, small, large)
    lost: dict[str, float | None] = {"paper": None, "corrected": None}
    if regime is Regime.ONE_SERVER:
        known = math.log(n) + small / large - 1
        lost = {"paper": small * n**2 * p * known, "corrected": small * n**2 * p * (known + np.euler_gamma)}
    return OneAndNPoint(
        servers=n,
        share_large=p,
        threshold=exact.stability_threshold,
        threshold_paper=threshold,
        threshold_corrected=None if lost["corrected"] is None else small * n - lost["corrected"],
        threshold_refined=refined_threshold,
        # n mu_1 - mu = mu (n mu_1/mu - 1)
        lost=exact.stability_threshold * exact.threshold_shortfall,
        lost_paper=lost["paper"],
        lost_corrected=lost["corrected"],
        completions=exact.relative_completions_at_departure,
        completions_paper=completions,
        # Sums over b turn into integrals only if p vanishes; mu needs no such thing when n p is large.
        completions_refined=None if regime is Regime.CONSTANT else refined_completions,
    )
