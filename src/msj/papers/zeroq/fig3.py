"""Figure 3: scaling regimes, load 1 − beta·n^-alpha against largest need n^gamma.

Waiting vanishes where 2·alpha + gamma < 1; the paper calls this tight because a single class of need m = n^gamma is an
M/M/s queue, s = n/m. That queue is computed here (Erlang C by Poisson probabilities, up to n = 2^50) on a grid.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

from msj.growth.expressions import Expression
from msj.growth.zero_queueing_family import ZeroQueueingFamily
from msj.papers.figure import Claim, Figure, Rows, Work

BETA = Fraction(1, 4)
SMALL, LARGE = 2**20, 2**50
STEPS = 10


def erlang_c(servers: float, load: float) -> float:
    """Return the probability that a job waits in an M/M/s queue with load lambda/(s·mu).

    B = P(N = s)/P(N <= s) with N Poisson of mean s·load, and C = B/(1 − load·(1 − B)).

    Examples
    --------
    >>> erlang_c(1, 0.5)
    0.5
    """
    from scipy.stats import poisson

    mean = servers * load
    blocked = math.exp(poisson.logpmf(servers, mean) - poisson.logcdf(servers, mean))
    return float(blocked / (1.0 - load * (1.0 - blocked)))


def waiting_at(family: ZeroQueueingFamily, servers: int) -> float:
    """Return P(wait) of the family's only class."""
    need = family.needs[0].need_at(servers)
    fit = servers // need
    load = family.utilisation_at(servers) * servers / (need * fit)
    return erlang_c(fit, load) if load < 1.0 else 1.0


class Figure3(Figure):
    """Regions of the plane (alpha, gamma)."""

    title: ClassVar[str] = "Scaling regimes: where waiting vanishes"
    caption: ClassVar[str] = (
        "Filled: the exact waiting probability of one class of need n^gamma (an M/M/s queue) at least halves from "
        "n = 2^20 to n = 2^50. Crosses: it does not. beta = 1/4."
    )
    height: ClassVar[float] = 4.8

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        rows: Rows = []
        for i in range(STEPS + 1):  # to alpha = 1/2, where even constant needs wait (Halfin and Whitt)
            for j in range(STEPS + 1):
                alpha, gamma = Fraction(i, 2 * STEPS), Fraction(j, STEPS)
                family = ZeroQueueingFamily(needs=(Expression(f"n^({gamma})"),), alpha=alpha, beta=BETA)
                before, after = waiting_at(family, SMALL), waiting_at(family, LARGE)
                rows.append(
                    {
                        "alpha": float(alpha),
                        "gamma": float(gamma),
                        "two_alpha_plus_gamma": float(2 * alpha + gamma),
                        "region": family.region,
                        "verdict": family.verdict,
                        "waiting_small": before,
                        "waiting_large": after,
                        "falls": after < 0.5 * before or after == 0.0,  # below 1e-300
                    }
                )
        return rows

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        axes.fill([0, 0.5, 0], [0, 0, 1], color="0.88", zorder=0)
        axes.plot([0, 0.5], [1, 0], "k--", linewidth=1.2, label=r"$2\alpha + \gamma = 1$")
        for falls, style, label in ((True, "ko", "waiting falls"), (False, "kx", "waiting does not fall")):
            here = [row for row in rows if row["falls"] is falls]
            axes.plot([r["alpha"] for r in here], [r["gamma"] for r in here], style, markersize=4.5, label=label)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 2.0}
        axes.annotate("region 1", (0, 0), xytext=(8, 7), textcoords="offset points", bbox=box, fontsize=9)
        axes.annotate("region 2: load constant", (0.012, 0.55), rotation=90, va="center", bbox=box, fontsize=9)
        axes.annotate("region 3: needs constant, up to 1/2", (0.28, 0.035), ha="center", bbox=box, fontsize=9)
        axes.annotate("region 4: zero queueing", (0.175, 0.25), ha="center", bbox=box, fontsize=10)
        axes.annotate("no zero queueing", (0.37, 0.65), ha="center", bbox=box, fontsize=10)
        axes.set_xlim(-0.012, 0.515)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel(r"$\alpha$   (load $1 - \beta n^{-\alpha}$)")
        axes.set_ylabel(r"$\gamma$   (largest need $n^\gamma$)")
        axes.legend(fontsize=9, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=3)

    def claims(self, rows: Rows) -> list[Claim]:
        inside = [row for row in rows if row["verdict"] == "vanishes"]
        outside = [row for row in rows if row["verdict"] == "stays"]
        fallen, kept = sum(row["falls"] for row in inside), sum(not row["falls"] for row in outside)
        return [
            Claim(
                claim="waiting vanishes where 2·alpha + gamma < 1 (regions 1 to 4)",
                claimed=f"falls at all {len(inside)} grid points",
                found=f"falls at {fallen}",
                difference=str(len(inside) - fallen),
                passed=fallen == len(inside),
            ),
            Claim(
                claim="tight: for one class it does not vanish where 2·alpha + gamma >= 1",
                claimed=f"does not fall at all {len(outside)} grid points",
                found=f"does not fall at {kept}",
                difference=str(len(outside) - kept),
                passed=kept == len(outside),
            ),
        ]


VARIANT = Figure3
