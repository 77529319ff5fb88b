"""What Fig. 7 and 8 of twoclass share: wasted servers against the rate ratio mu_2/mu_1, with p_1 = p_2 = 1/2.

Only the ratio matters (Claim 1). The text around the figures (sections 9.2 and 9.3) says what they look like but not
n_1, n_2 and n; each figure takes values that agree with it and says so in its caption.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msj.analysis import saturate
from msj.answers.waste_curve import waste_curve
from msj.closed_forms import fast_large_jobs_limit, two_class
from msj.papers.figure import Claim, Figure, Rows, Work
from msj.papers.systems import exponential_system

LOW, HIGH = 1e-3, 1e5
SHARES = (0.5, 0.5)
CLOSE = 0.05  # of n_2: what "stabilises at" and "approaches" mean


class RatioFigure(Figure):
    """One curve, given n_1, n_2 and n."""

    needs: ClassVar[tuple[int, int]]
    servers: ClassVar[int]

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        small, large = self.needs
        system = exponential_system(self.servers, [(small, SHARES[0], 1.0), (large, SHARES[1], 1.0)])
        curve = waste_curve(system, f"rate-ratio={LOW:g}..{HIGH:g}", points=400)
        kinds = {extremum.parameter: extremum.kind for extremum in curve.extrema}
        columns = (curve.parameter, curve.wasted_servers, curve.saturated_utilisation)
        return [
            {"rate_ratio": ratio, "wasted_servers": wasted, "utilisation": used, "extremum": kinds.get(ratio, "")}
            for ratio, wasted, used in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        small, large = self.needs
        x, y = [row["rate_ratio"] for row in rows], [row["wasted_servers"] for row in rows]
        limit = large - small / SHARES[1]
        axes.axhline(large, color="0.45", linewidth=1.0, linestyle=(0, (1, 2)))
        axes.text(LOW * 1.2, large, f"n₂ = {large}", fontsize=9, va="bottom", color="0.3")
        if limit > 0.7 * large:  # the rule of thumb is for n_2 much larger than n_1
            axes.axhline(limit, color="#a61c00", linewidth=1.0, linestyle=(0, (6, 3)))
            axes.annotate(
                f"n₂ − n₁/p₂ = {limit:g}", (LOW * 1.2, limit), xytext=(0, -4), textcoords="offset points", fontsize=9,
                va="top", color="#a61c00",
            )  # fmt: skip
        axes.plot(x, y, "-", color="#0b5394", linewidth=1.8)
        for kind, marker, fill in (("pessimum", "^", "black"), ("optimum", "v", "white")):
            turns = [row for row in inner(rows) if row["extremum"] == kind]
            axes.plot(
                [row["rate_ratio"] for row in turns], [row["wasted_servers"] for row in turns], marker,
                color="black", markerfacecolor=fill, markersize=6, linestyle="none", label=f"local {kind}",
            )  # fmt: skip
        axes.set(xscale="log", xlim=(LOW, HIGH), ylim=(0.0, 1.12 * large))
        axes.set(xlabel="rate ratio μ₂/μ₁", ylabel="wasted servers")
        axes.set_title(f"{self.servers} servers, needs {small} and {large}, p₁ = p₂ = 1/2", fontsize=10)
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        if inner(rows):
            axes.legend(frameon=False, loc="lower right")

    def at(self, ratio: float) -> float:
        """Return the waste at one rate ratio."""
        return two_class(servers=self.servers, needs=self.needs, shares=SHARES, rates=(1.0, ratio)).wasted_servers

    def of_need(self, waste: float) -> float:
        """Return a waste as a share of n_2."""
        return waste / self.needs[1]

    def few_at_small_ratios(self, rows: Rows) -> Claim:
        """Compare: few servers are wasted when the ratio is very small."""
        share = self.of_need(rows[0]["wasted_servers"])
        return Claim(
            claim="few servers are wasted when μ₂/μ₁ is very small",
            claimed="0 in the limit, as n_2 divides n",
            found=f"{share:.2%} of n_2 at μ₂/μ₁ = {LOW:g}",
            difference=f"{rows[0]['wasted_servers']:.3f} servers",
            passed=self.servers % self.needs[1] == 0 and share < CLOSE,
        )

    def limit_of_large_ratios(self, rows: Rows) -> Claim:
        """Compare: wastage stabilises at n_2 − n_1/p_2."""
        small, large = self.needs
        claimed, end = large - small / SHARES[1], rows[-1]["wasted_servers"]
        limit = fast_large_jobs_limit(servers=self.servers, needs=self.needs, shares=SHARES).wasted_servers
        return Claim(
            claim="as μ₂/μ₁ gets very high, wastage stabilises at about n_2 − n_1/p_2",
            claimed=f"{claimed:g}",
            found=f"{end:.3f} at μ₂/μ₁ = {HIGH:g}, {limit:.3f} in the limit",
            difference=f"{limit - claimed:+.3f}, or {self.of_need(limit - claimed):+.1%} of n_2",
            passed=abs(self.of_need(limit - claimed)) < CLOSE and abs(self.of_need(end - limit)) < CLOSE,
            because="The paper's limit is a rule of thumb for n_2 much larger than n_1.",
        )

    def only_the_ratio_matters(self) -> Claim:
        """Compare: for a given ratio the rates themselves do not matter (Claim 1)."""
        gap = max(abs(self.at(ratio) - self._by_the_chain(7.3, 7.3 * ratio)) for ratio in (0.01, 1.0, 30.0, 1e4))
        return Claim(
            claim="the waste depends on the rates through their ratio only (Claim 1)",
            claimed="no difference",
            found=f"at most {gap:.1e} servers when both rates are 7.3 times as high",
            difference=f"{gap:.1e}",
            passed=gap < 1e-9 * self.servers,
            because="Product form at rates 1 and μ₂/μ₁, saturated chain at the higher ones.",
        )

    def _by_the_chain(self, *rates: float) -> float:
        return saturate(exponential_system(self.servers, zip(self.needs, SHARES, rates, strict=True))).wasted_servers


def inner(rows: Rows) -> Rows:
    """Return the local optima and pessima inside the range."""
    return [row for row in rows[1:-1] if row["extremum"]]


def deepest_dip(rows: Rows) -> float:
    """Return by how many servers the waste falls at most before it rises again."""
    top, dip = 0.0, 0.0
    for row in rows:
        top = max(top, row["wasted_servers"])
        dip = max(dip, top - row["wasted_servers"])
    return dip
