"""What Fig. 7a and 7b of twoclass share: the claims of section 9.2."""

from __future__ import annotations

from msj.papers.figure import Claim, Rows
from msj.papers.twoclass.ratio_figure import RatioFigure, inner
from msj.papers.verdicts import printed_number


class PeaksFigure(RatioFigure):
    """A curve with moderate peaks."""

    def claims(self, rows: Rows) -> list[Claim]:
        return [
            self.few_at_small_ratios(rows),
            printed_number(
                "as μ₂/μ₁ increases to 1, wastage grows to 60 % of n_2 in these cases",
                "60",
                100 * self.of_need(self.at(1.0)),
                unit=" %",
            ),
            _many_turns(self, rows),
            self.limit_of_large_ratios(rows),
            self.only_the_ratio_matters(),
        ]


def _many_turns(figure: RatioFigure, rows: Rows) -> Claim:
    turns = [row for row in inner(rows) if row["rate_ratio"] > 1.0]
    optima = sum(row["extremum"] == "optimum" for row in turns)
    expected = figure.servers // figure.needs[1] - 1
    return Claim(
        claim="as μ₂/μ₁ rises further, many local optima and pessima exist",
        claimed="many",
        found=f"{optima} optima and {len(turns) - optima} pessima above 1",
        difference=f"n/n_2 − 1 = {expected} optima expected: one for each class-2 job displaced but the last",
        passed=optima == expected >= 2,
        because="Our reading of many: as many as large jobs can be displaced.",
        our_reading=True,
    )
