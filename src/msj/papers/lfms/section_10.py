"""lfms, sections 4 and 10: for which share of large jobs is the scaled response time largest?

The paper compares ``p_n = c n^-alpha`` and finds the peak, of order n, in the balanced regime, ``p_n = c/n``. Between
the regimes lies ``p_n = c/(n ln n)``: there mu is ``n mu_1/(1 + c)`` to leading order, the boundary term of (36)
cancels, and ``E[Delta(Y_d)]`` is ``c/(1 + c)² n ln n / 2``, largest at c = 1: ``n ln n / 8``, beyond any multiple of n.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from msj.growth.load_focused import load_focused_scaling
from msj.papers.figure import Claim, Figure, Rows, Work

SERVERS = (10**4, 10**8, 10**12)
BALANCED, BETWEEN = "1/n", "1/(n*ln(n))"
FACTORS = tuple(10.0 ** (k / 8) for k in range(-24, 17))  # n times the share, from 1/1000 to 100


class Section10(Figure):
    """Relative completions over the share of large jobs, at three sizes."""

    title: ClassVar[str] = "E[Δ(Y_d)]/n over the share of n-server jobs: the peak lies below 1/n"
    caption: ClassVar[str] = (
        "Exact, mu_1 = mu_n = 1. Squares: the balanced regime's 1/n; triangles: 1/(n ln n). The paper calls the "
        "balanced regime the largest; that holds among the shares c n^-α only, and at these sizes not even there."
    )

    def compute(self, work: Work) -> Rows:
        shares = [*((f"{factor!r}/n", factor) for factor in FACTORS), (BALANCED, 1.0), (BETWEEN, None)]
        points = [
            {"servers": n, "share": share, "factor": factor if factor is not None else 1 / math.log(n)}
            for n in SERVERS
            for share, factor in shares
        ]
        return work.map(point, points)

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        for n, colour in zip(SERVERS, ("#e08214", "#1b7837", "#6a3d9a"), strict=True):
            here = sorted((row for row in rows if row["servers"] == n), key=lambda row: float(row["factor"]))
            axes.semilogx(
                [row["factor"] for row in here],
                [row["completions"] / n for row in here],
                color=colour,
                label=f"$n = 10^{{{round(math.log10(n))}}}$",
            )
            for share, marker in ((BALANCED, "s"), (BETWEEN, "^")):
                [row] = [row for row in here if row["share"] == share]
                axes.plot(row["factor"], row["completions"] / n, marker, color=colour, fillstyle="none", markersize=7)
        for label, marker in (("$1/n$, balanced", "s"), (r"$1/(n\,\ln n)$", "^")):
            axes.plot([], [], marker, color="0.3", fillstyle="none", markersize=7, label=label)
        axes.set(xlabel="share of n-server jobs, times n", ylabel=r"$E[\Delta(Y_d)]/n$")
        axes.legend(frameon=False)
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)

    def claims(self, rows: Rows) -> list[Claim]:
        return [_balanced_is_largest(rows), _order_n(rows)]


def point(servers: int, share: str, factor: float) -> dict[str, Any]:
    """Return the relative completions at one size and share."""
    [exact] = load_focused_scaling(share, [servers]).points
    return {"servers": servers, "share": share, "factor": factor, "completions": exact.completions}


def _at(rows: Rows, servers: int, share: str) -> float:
    [value] = [row["completions"] for row in rows if (row["servers"], row["share"]) == (servers, share)]
    return float(value)


def _balanced_is_largest(rows: Rows) -> Claim:
    last = SERVERS[-1]
    ratios = {n: _at(rows, n, BETWEEN) / _at(rows, n, BALANCED) for n in SERVERS}
    return Claim(
        claim="the balanced regime, p_n = c/n, has the largest scaled response time (section 10)",
        claimed="larger at 1/n than at any share between the regimes",
        found=f"{_at(rows, last, BETWEEN):.4g} at 1/(n ln n), {_at(rows, last, BALANCED):.4g} at 1/n, n = {last:.0e}",
        difference=", ".join(f"{ratio:.2f} times as large at {n:.0e}" for n, ratio in ratios.items()),
        passed=all(ratio <= 1.0 for ratio in ratios.values()),
        because="With p_n = c/(n ln n), mu is n mu_1/(1 + c), the boundary term of (36) cancels and E[Δ] is "
        "c/(1 + c)²·n ln n/2 to leading order, largest at c = 1. It holds among the shares c·n^-α only.",
    )


def _order_n(rows: Rows) -> Claim:
    peaks = {n: max(row["completions"] for row in rows if row["servers"] == n) / n for n in SERVERS}
    grows = peaks[SERVERS[-1]] > peaks[SERVERS[-2]] > peaks[SERVERS[0]]
    return Claim(
        claim="the peak is of order n (sections 4 and 10)",
        claimed="E[Δ(Y_d)] at most a constant times n",
        found=", ".join(f"{peak:.3f} n at n = {n:.0e}" for n, peak in peaks.items()),
        difference="grows like ln n / 8: " + ", ".join(f"{math.log(n) / 8:.3f}" for n in SERVERS),
        passed=not grows,
        because="The worst share is near 1/(n ln n), where E[Δ] is n ln n/8 to leading order.",
    )


VARIANT = Section10
