"""twoclass, Fig. 8(a): n/n_2 = 3 as in Fig. 7(a), but n_2 much larger than n_1: pronounced peaks and troughs."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows, Work
from msj.papers.twoclass.fig7a import Fig7a
from msj.papers.twoclass.ratio_figure import RatioFigure, deepest_dip, inner

SIMILAR = 3.0  # a factor: what similar values are on an axis of eight decades


class Fig8a(RatioFigure):
    title: ClassVar[str] = "Wasted servers against the rate ratio: 90 servers, needs 1 and 30"
    caption: ClassVar[str] = (
        "Our choice: n_1 = 1, n_2 = 30, n = 90. The text asks for n/n_2 = 3, n_2 much larger than n_1, and peaks near "
        "those of Fig. 7(a); the larger n_2, the more pronounced the peaks and the further they move."
    )
    needs: ClassVar[tuple[int, int]] = (1, 30)
    servers: ClassVar[int] = 90

    def claims(self, rows: Rows) -> list[Claim]:
        other = Fig7a().compute(Work())
        return [
            self.few_at_small_ratios(rows),
            _three_peaks(self, rows),
            _similar_places(rows, other),
            _more_pronounced(self, rows, other),
            self.limit_of_large_ratios(rows),
        ]


def _peaks(rows: Rows) -> list[float]:
    return [float(row["rate_ratio"]) for row in inner(rows) if row["extremum"] == "pessimum"]


def _three_peaks(figure: RatioFigure, rows: Rows) -> Claim:
    found = len(_peaks(rows)) + 1
    return Claim(
        claim="n/n_2 = 3 leads to a 3-peaked pattern",
        claimed="3",
        found=f"{len(_peaks(rows))} peaks and the final rise to the limit",
        difference=str(found - 3),
        passed=found == 3 == figure.servers // figure.needs[1],
        because="The third peak has no fall after it: the waste goes on rising to its limit.",
    )


def _similar_places(rows: Rows, other: Rows) -> Claim:
    ours, theirs = _peaks(rows), _peaks(other)
    factors = [max(a / b, b / a) for a, b in zip(ours, theirs, strict=False)]
    return Claim(
        claim="the peaks occur at similar values of μ₂/μ₁ as in Fig. 7(a)",
        claimed=", ".join(f"{place:.3g}" for place in theirs),
        found=", ".join(f"{place:.3g}" for place in ours),
        difference="factors " + ", ".join(f"{factor:.2f}" for factor in factors),
        passed=len(ours) == len(theirs) and max(factors) <= SIMILAR,
        because=f"Our reading of similar: within a factor of {SIMILAR:g} on this logarithmic axis.",
        our_reading=True,
    )


def _more_pronounced(figure: RatioFigure, rows: Rows, other: Rows) -> Claim:
    ours, theirs = figure.of_need(deepest_dip(rows)), deepest_dip(other) / Fig7a.needs[1]
    return Claim(
        claim="peaks and troughs are very pronounced, in Fig. 7(a) far more moderate",
        claimed="deeper than in Fig. 7(a)",
        found=f"a dip of {ours:.1%} of n_2, against {theirs:.1%}",
        difference=f"{ours / theirs:.2f} times as deep",
        passed=ours > 1.5 * theirs,
        because="Our reading of far more moderate: at most two thirds as deep, as shares of n_2.",
        our_reading=True,
    )


VARIANT = Fig8a
